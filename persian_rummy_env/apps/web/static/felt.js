// The middle of the table: stock, discard pile and melds. What can be played is lit, and a press plays it.
import { byId, heard, keep, make, pressable } from "./dom.js";
import { keyed, keepCards, picture, piece, remark } from "./cards.js";
import { draggable } from "./drag.js";
import { fan, shrink } from "./fan.js";
import { pointer } from "./seats.js";
import { called, counted, listed, nameOf, object, parsed, spoken, written } from "./words.js";

export function showFelt(table) {
  showStock(table);
  showPile(table);
  showMelds(table);
}

function showStock(table) {
  const { view, legal } = table;
  const button = byId("stock-card");
  const draw = legal.draw;
  pressable(button, Boolean(draw), () => table.act(draw));
  const left = view.stock ? counted(view.stock) : "empty";
  const what = draw === "pass" ? "Pass: the stock is empty" : `${draw ? "Draw from the stock" : "Stock"}, ${left}`;
  button.setAttribute("aria-label", what);
  button.classList.toggle("lit", Boolean(draw));
  button.classList.toggle("empty", !view.stock);
  button.replaceChildren(piece(view.stock ? "card-back" : "slot", "sheet"));
  if (!view.stock) button.append(make("span", { className: "on-slot", textContent: draw === "pass" ? "Pass" : "empty" }));
  byId("stock-count").textContent = `stock ${view.stock}`;
}

function showPile(table) {
  const { view, legal } = table;
  const pile = byId("pile");
  const items = keyed(view.pile.map(([card]) => card)).map((item, place) => ({ ...item, place, by: view.pile[place][1] }));
  const discard = legal.discard(table.chosen);
  keep(pile, items, ({ card, key }) => makePileCard(table, card, key), (button, { card, place, by }) => {
    const take = legal.take(place);
    const above = view.pile.length - place - 1;
    const from = by === null ? "turned up" : `discarded by ${nameOf(view, by)}`;
    pressable(button, Boolean(take), () => table.act(take));
    button.classList.toggle("lit", Boolean(take));
    button.title = from;
    button.setAttribute("aria-label", take ? `Take ${spoken(card)}${above ? ` and the ${counted(above)} above it` : ""}, ${from}` : `${called(card)}, ${from}`);
    remark(button, by === null ? [] : [pointer(view, by)]);
  });
  pile.classList.toggle("lit", Boolean(discard));
  pile.onclick = ({ target }) => { if (discard && !target.closest("[aria-disabled=false]")) table.act(discard); };
  byId("pile-count").textContent = discard ? `discard ${written(table.chosen[0])} here` : `discard pile ${view.pile.length}`;
  fan(pile);
}

function makePileCard(table, card, key) {
  const button = picture(card, [], "button");
  const place = () => keyed(table.view.pile.map(([one]) => one)).findIndex((one) => one.key === key);
  draggable(button, () => (table.legal.take(place()) ? ["hand"] : []), () => table.act(table.legal.take(place())));
  return button;
}

function showMelds(table) {
  const { view, legal, chosen } = table;
  const fresh = legal.meld(chosen);
  const items = view.melds.map((meld, number) => ({ ...meld, number, key: keyOf(meld), actions: legal.onto(meld, chosen) }));
  const box = byId("melds");
  keep(box, items, () => make("button", { className: "meld" }), (button, meld) => showMeld(table, button, meld));
  if (fresh) box.append(makeFresh(table, fresh));
  byId("no-melds").hidden = view.melds.length > 0 || Boolean(fresh);
  shrink(box, box);
}

/** The first card of a run may change, its suit and one of its cards do not: a meld is known by its middle. */
const keyOf = ({ kind, cards }) => (kind === "set" ? `set ${cards[0][0]}` : `run ${cards[0][1]} ${cards[1]}`);

function showMeld(table, button, meld) {
  const { view } = table;
  const laid = listed([...new Set(meld.seats.map((seat) => nameOf(view, seat)))]);
  const cards = listed(meld.cards.map(called));
  button.dataset.drop = `meld-${meld.number}`;
  pressable(button, meld.actions.length > 0, () => table.layOnto(meld.actions));
  button.classList.toggle("lit", meld.actions.length > 0);
  const offer = listed(meld.actions.map((action) => spoken(parsed(action).cards[0])));
  button.setAttribute("aria-label", `${offer ? `Lay off ${offer} on the ` : ""}${meld.kind} of ${cards}, laid by ${laid}`);
  keepCards(button, keyed(meld.cards).map((item, at) => ({ ...item, by: meld.seats[at] })), ({ by }) => [pointer(view, by)]);
}

function makeFresh(table, action) {
  const button = make("button", { className: "meld new lit", data: { drop: "new", key: "new" } }, "Meld here", heard(`: ${object(action)}`));
  return pressable(button, true, () => table.act(action));
}
