// What a card is called, and how it looks: the faces are the symbols of the page.
const RANKS = {
  2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten",
  J: "jack", Q: "queen", K: "king", A: "ace",
};
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const ORDER = "23456789TJQKA";
const SVG = "http://www.w3.org/2000/svg";

export const isJoker = (card) => card === "JK";
export const spoken = (card) => (isJoker(card) ? "joker" : `${RANKS[card[0]]} of ${SUITS[card[1]]}`);
export const index = (card) => (isJoker(card) ? 52 : "CDHS".indexOf(card[1]) * 13 + ORDER.indexOf(card[0]));

/** An action in notation, as words. */
export function spokenAction(text) {
  const [verb, ...rest] = text.split(" ");
  if (verb === "draw") return "draws from the stock";
  if (verb === "pass") return "passes";
  const cards = rest.filter((word) => word !== "set" && word !== "run").map((word) => spoken(word.replace(/^JK\d$/, "JK")));
  const verbs = { take: "takes", meld: "melds", layoff: "lays off", discard: "discards" };
  const where = verb === "layoff" ? ` on a ${rest[rest.length - 1]}` : "";
  return `${verbs[verb]} ${cards.join(", ")}${where}`;
}

/** The picture of a card; null is a back. */
export function face(card) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 56 80");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#card-${card ?? "back"}`);
  use.setAttribute("width", "56");
  use.setAttribute("height", "80");
  svg.append(use);
  return svg;
}

/** Whether a card may lie at the end of a meld: what is legal is for the server to say, this says where it would lie. */
export function fits(card, meld) {
  if (meld.kind === "set") return isJoker(card) ? isJoker(meld.cards[0]) : card[0] === meld.cards[0][0];
  if (isJoker(card) || card[1] !== meld.cards[0][1]) return false;
  const first = index(meld.cards[0]);
  return index(card) === first - 1 || index(card) === first + meld.cards.length;
}
