// The reader's own hand, what can be laid from it, and the buttons below.
import { keyed, picture, remark, row } from "./cards.js";
import { byId, heard, keep, make, pressable } from "./dom.js";
import { draggable } from "./drag.js";
import { fan } from "./fan.js";
import { plate } from "./seats.js";
import { called, done, object, parsed, written } from "./words.js";

/** The cards of the hand with their keys; of equal cards, the one drawn is the last. */
export const handOf = (view) => {
  const { cards, known } = view.hands[view.seat];
  const drew = cards.lastIndexOf(view.drew);
  return keyed(cards).map((item, at) => ({ ...item, known: known[at], drew: at === drew }));
};

export function showHand(table) {
  const { view, legal } = table;
  const hand = byId("hand");
  plate(byId("hand-head"), view, view.seat);
  keep(hand, handOf(view), ({ card, key }) => makeCard(table, card, key), (button, item) => {
    const owed = view.turn === view.seat && view.owed === item.card && item.known;
    const chosen = table.selected.has(item.key);
    button.setAttribute("aria-pressed", String(chosen));
    const marks = [item.drew && "just drawn", owed && "must be melded first", item.known && "known to all"].filter(Boolean);
    button.setAttribute("aria-label", [called(item.card), ...marks].join(", "));
    button.classList.toggle("drew", item.drew);
    button.classList.toggle("owed", owed);
    button.classList.toggle("can", Boolean(legal.discard([item.card])));
    remark(button, item.known ? ["eye"] : []);
  });
  byId("no-hand").hidden = view.hands[view.seat].cards.length > 0;
  fan(hand);
}

function makeCard(table, card, key) {
  const button = picture(card, [], "button");
  button.type = "button";
  button.onclick = () => table.toggle(key);
  button.ondblclick = () => table.act(table.legal.discard([card]));
  draggable(button, () => table.targets(card, key), (name) => table.drop(card, key, name));
  return button;
}

/** The melds and lay-offs that the hand holds, each a button. */
export function showOffers(table) {
  const { offers } = table.legal;
  byId("offers-box").hidden = !offers.length;
  keep(byId("offers"), offers.map((offer) => ({ ...offer, key: offer.action })),
    ({ cards, action, points }) => make("button", { className: "offer" }, row(cards), make("span", {},
      parsed(action).verb === "layoff" ? "lay off" : "meld", heard(` ${object(action)}`), ` +${points}`, heard(points === 1 ? " point" : " points"))),
    (button, { action }) => pressable(button, true, () => table.act(action)));
}

export function showActions(table) {
  const { view, legal, chosen } = table;
  const meld = legal.meld(chosen);
  const layoff = meld ? undefined : legal.layoff(chosen);
  const discard = legal.discard(chosen);
  say(byId("meld"), meld ?? layoff, meld ? "Meld" : layoff ? "Lay off" : "Meld", () => table.act(meld ?? layoff));
  say(byId("discard"), discard, "Discard", () => table.act(discard));
  pressable(byId("undo"), view.undo, () => table.say({ type: "undo" }));
  pressable(byId("hint"), view.legal.length > 0, () => table.say({ type: "hint", policy: byId("analyst").value }));
}

function say(button, action, word, press) {
  pressable(button, Boolean(action), press);
  const cards = action ? parsed(action).cards : [];
  const seen = cards.length === 1 ? [make("span", { textContent: ` ${written(cards[0])}`, ariaHidden: "true" })] : [];
  button.replaceChildren(word, ...seen, ...(action ? [heard(` ${object(action)}`)] : []));
}

/** What a policy would play: said, and its cards outlined. */
export function showHint(table, { policy, action }) {
  byId("advice").textContent = `${policy} would ${done(action, true)}.`;
  const { verb, cards } = parsed(action);
  const place = { draw: "stock", pass: "stock", take: "pile" }[verb] ?? "hand";
  const found = place === "stock" ? [byId("stock-card")] : cards.map((card) => byId(place).querySelector(`[data-card="${card}"]:not(.advised)`));
  for (const element of found) element?.classList.add("advised");
}

export function forgetHint() {
  byId("advice").textContent = "";
  for (const element of document.querySelectorAll(".advised")) element.classList.remove("advised");
}
