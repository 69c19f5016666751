// Cards that move from where they lay to where they lie now.
import { still } from "./settings.js";

const MS = 420;
const CARDS = ".fan > .card, .meld > .card, #stock-card";

/** Where all cards and places are. */
export function remember(root) {
  const elements = new Map(), cards = new Map();
  for (const element of root.querySelectorAll(CARDS)) {
    const box = element.getBoundingClientRect();
    elements.set(element, box);
    const { card } = element.dataset;
    if (card) cards.set(card, [...(cards.get(card) ?? []), { element, box }]);
  }
  return { elements, cards };
}

/** Let cards fly from where they were. A card that was nowhere comes from `source`, a box. Returns the cards that came. */
export function fly(before, root, source) {
  const arrived = [];
  const present = new Set(root.querySelectorAll(CARDS));
  for (const element of present) {
    if (!element.checkVisibility()) continue;
    let from = before.elements.get(element);
    if (!from) {
      const gone = (before.cards.get(element.dataset.card) ?? []).find((other) => !present.has(other.element) && !other.used);
      if (gone) gone.used = true;
      from = gone?.box ?? source;
      arrived.push(element);
    }
    if (from && !still()) start(element, from);
  }
  return arrived;
}

function start(element, from) {
  const to = element.getBoundingClientRect();
  const [x, y] = [from.left - to.left, from.top - to.top];
  if (!to.width || Math.abs(x) + Math.abs(y) < 2) return;
  const size = Math.min(from.width, to.width * 3) / to.width;
  element.style.zIndex = "8";
  const flight = element.animate(
    [{ transform: `translate(${x}px, ${y}px) scale(${size})`, transformOrigin: "0 0" }, { transform: "none", transformOrigin: "0 0" }],
    { duration: MS, easing: "cubic-bezier(0.2, 0.7, 0.3, 1)" },
  );
  flight.onfinish = flight.oncancel = () => { element.style.zIndex = ""; };
}
