// All that the table says in English.
import { isJoker } from "./cards.js";
import { make } from "./dom.js";

const RANKS = {
  2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten",
  J: "jack", Q: "queen", K: "king", A: "ace",
};
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const AS_TEXT = "\ufe0e"; // a suit's sign is no coloured picture
export const PLACES = ["you", "left", "partner", "right"];

export const counted = (count, word = "card") => `${count} ${word}${count === 1 ? "" : "s"}`;
export const signed = (number) => (number ? `${number < 0 ? "−" : "+"}${Math.abs(number)}` : "0");
export const plain = (number) => String(number).replace("-", "−");
export const capital = (text) => text[0].toUpperCase() + text.slice(1);
/** "a, b and c" */
export const listed = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

/** A card as it is called in a list: "king of diamonds". */
export const called = (card) => (isJoker(card) ? "joker" : `${RANKS[card[0]]} of ${SUITS[card[1]]}`);
/** A card in a sentence: "the king of diamonds". */
export const spoken = (card) => (isJoker(card) ? "a joker" : `the ${called(card)}`);
/** A card as it is written: "K♦". */
export const written = (card) => (isJoker(card) ? "joker" : `${card[0].replace("T", "10")}${SIGNS[card[1]]}${AS_TEXT}`);

/** An action in notation: its verb, its cards, and the kind of meld that a card is laid off on. */
export function parsed(action) {
  const [verb, ...words] = action.split(" ");
  const kind = verb === "layoff" ? words.pop() : null;
  return { verb, kind, cards: words.map((word) => word.replace(/^JK\d$/, "JK")) };
}

function spokenCards(cards) {
  const jokers = cards.filter(isJoker).length;
  return jokers > 1 ? `${RANKS[jokers]} jokers` : listed(cards.map(spoken));
}

const VERBS = { draw: "draw", take: "take", meld: "meld", layoff: "lay off", discard: "discard", pass: "pass" };
const THIRD = { draw: "draws", take: "takes", meld: "melds", layoff: "lays off", discard: "discards", pass: "passes" };

/** What an action is about: "the six of spades on a run". */
export function object(action) {
  const { kind, cards } = parsed(action);
  return `${spokenCards(cards)}${kind ? ` on a ${kind}` : ""}`;
}

/** What somebody does, as the end of a sentence: "draws a card from the stock". `you` says it to them. */
export function done(action, you, drew = null) {
  const { verb, cards } = parsed(action);
  const start = (you ? VERBS : THIRD)[verb];
  if (verb === "pass") return start;
  if (verb === "draw") return you && drew ? `${start} ${spoken(drew)}` : `${start} a card from the stock`;
  if (verb === "take") return `${start} ${spoken(cards[0])} from the pile`;
  return `${start} ${object(action)}`;
}

/** A card as text in the colour of its suit. */
export const coloured = (card) => make("span", { className: `suit ${isJoker(card) ? "suit-K" : `suit-${card[1]}`}`, textContent: written(card) });

/** The same in short, with the suits in colour: "discards K♦". */
export function doneInShort(action, you) {
  const { verb, cards } = parsed(action);
  return [(you ? VERBS : THIRD)[verb], ...cards.flatMap((card) => [" ", coloured(card)])];
}

/** A table that some player cannot be named at without their place: two experts are "expert (left)" and "expert (right)". */
export function nameOf(view, seat) {
  if (seat === view.seat) return "you";
  const { name } = view.players[seat];
  const alone = view.players.filter((player) => player.name === name).length === 1 && name !== "you";
  return alone ? name : `${name} (${PLACES[(seat - view.seat + 4) % 4]})`;
}

/** What somebody did, as a sentence. */
export const sentence = (view, seat, action, drew) =>
  `${seat === view.seat ? "You" : nameOf(view, seat)} ${done(action, seat === view.seat, drew)}.`;

/** Where the game stands, and what the reader is to do. */
export function standing(view) {
  if (view.failed) return "The game has ended without a result: a player could not go on.";
  const missing = view.players.filter((player) => player.free).length;
  if (!view.started) return `Waiting for ${missing} more ${missing === 1 ? "player" : "players"} to sit down.`;
  if (view.phase === "over") return `The game is over: ${outcome(view)}.`;
  if (view.turn !== view.seat) return `${capital(nameOf(view, view.turn))} is to ${view.phase === "draw" ? "draw" : "meld or discard"}.`;
  if (view.owed) return `Your turn: you took ${spoken(view.owed)}, which must be melded first.`;
  if (view.phase === "meld") return `${view.drew ? `You drew ${spoken(view.drew)}. ` : "Your turn: "}Meld, or discard a card.`;
  const takes = view.legal.some((action) => action.startsWith("take"));
  if (view.legal.includes("pass")) return `Your turn: the stock is empty. ${takes ? "Take from the pile, or pass." : "Pass."}`;
  return `Your turn: draw${takes ? ", or take from the pile" : ""}.`;
}

export function outcome(view) {
  const [us, them] = [view.score[view.seat % 2], view.score[1 - (view.seat % 2)]];
  return us === them ? "a tie" : us > them ? "you win" : "you lose";
}

/** The two players of a team. */
export const teamOf = (view, team) => listed([team, team + 2].map((seat) => (seat === view.seat ? "you" : view.players[seat].name)).sort((a) => (a === "you" ? -1 : 1)));
