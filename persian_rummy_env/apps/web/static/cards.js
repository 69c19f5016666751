// What a card is worth and how it looks: card pictures and marks are the symbols of the page.
import { byId, keep, make } from "./dom.js";

const ORDER = "23456789TJQKA";
const SVG = "http://www.w3.org/2000/svg";
const facts = JSON.parse(byId("facts").textContent);

export const OUT_BONUS = facts.outBonus;
export const isJoker = (card) => card === "JK";
export const value = (card) => facts.values[card];
export const worth = (cards) => cards.reduce((sum, card) => sum + value(card), 0);
export const index = (card) => (isJoker(card) ? 52 : "CDHS".indexOf(card[1]) * 13 + ORDER.indexOf(card[0]));

/** Cards with a key each: of equal ones, by their order. */
export function keyed(cards) {
  const seen = {};
  return cards.map((card) => ({ card, key: `${card}#${(seen[card] = (seen[card] ?? -1) + 1)}` }));
}

/** A symbol of the drawing: a card's picture, or a mark. */
export function piece(name, className) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", name.startsWith("card-") ? "0 0 56 80" : "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", className);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${name}`);
  svg.append(use);
  return svg;
}

/** A card, to look at or to press; null is a back. `marks` are symbols that lie on it. */
export function picture(card, marks = [], tag = "span") {
  const element = make(tag, { className: "card" }, piece(`card-${card ?? "back"}`, "sheet"));
  if (card) element.dataset.card = card;
  remark(element, marks);
  return element;
}

/** Put marks on a card in the place of those that it has. */
export function remark(element, marks) {
  for (const mark of element.querySelectorAll(":scope > .mark")) mark.remove();
  element.append(...marks.map((name) => piece(name, "mark")));
}

/** Cards side by side that are only looked at. */
export const row = (cards) => make("span", { className: "row" }, ...cards.map((card) => picture(card)));

/** Make a container show cards, keyed, with `marks(item)` on each. */
export function keepCards(container, items, marks = () => []) {
  keep(container, items, ({ card }) => picture(card), (element, item) => remark(element, marks(item)));
}

/** Whether a card may lie at the end of a meld: what is legal is for the server to say, this says where it would lie. */
export function fits(card, meld) {
  if (meld.kind === "set") return isJoker(card) ? isJoker(meld.cards[0]) : card[0] === meld.cards[0][0];
  if (isJoker(card) || card[1] !== meld.cards[0][1]) return false;
  const first = index(meld.cards[0]);
  return index(card) === first - 1 || index(card) === first + meld.cards.length;
}
