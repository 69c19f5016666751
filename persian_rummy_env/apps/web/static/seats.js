// The other players around the table, the scores, and which deal it is.
import { keepCards, keyed, piece } from "./cards.js";
import { byId, heard, make } from "./dom.js";
import { fan } from "./fan.js";
import { called, counted, doneInShort, listed, nameOf, PLACES, plain, signed, teamOf } from "./words.js";

const SIDES = ["below", "left", "above", "right"];
const place = (view, seat) => (seat - view.seat + 4) % 4;

/** The symbol that points to where a player sits, in the colour of the team. */
export const pointer = (view, seat) => `by-${SIDES[place(view, seat)]}-${seat % 2}`;

/** The actions of the latest turn of a seat, if it is of this deal. */
function latestTurn(view, seat) {
  const log = view.log.filter(([deal]) => deal === view.deal);
  const last = log.findLastIndex(([, who]) => who === seat);
  if (last < 0) return [];
  const first = log.slice(0, last + 1).findLastIndex(([, who]) => who !== seat) + 1;
  return log.slice(first, last + 1).map(([, , action]) => action);
}

const atTurn = (view, seat) => view.turn === seat && view.phase !== "over" && view.started && !view.failed;

/** Name, and what is to be done; on gold for who is to move. */
export function plate(heading, view, seat) {
  const player = view.players[seat];
  const { cards, hidden } = view.hands[seat];
  const count = cards.length + hidden;
  const state = player.free ? "free seat" : !player.here ? "away" : "";
  const doing = atTurn(view, seat) ? `to ${view.phase}, ` : "";
  const where = seat === view.seat ? "your hand" : PLACES[place(view, seat)];
  const after = `${doing}${count ? counted(count) : "no cards"}`;
  const parts = [
    piece(pointer(view, seat), "pointer"), make("span", { className: "name", textContent: player.free ? "…" : player.name }),
    make("small", { textContent: [where, state, after].filter(Boolean).join(" · ") }),
  ];
  if (view.dealer === seat) parts.push(piece("dealer", "pointer"), heard(", dealer"));
  heading.replaceChildren(...parts);
  heading.classList.toggle("turn", atTurn(view, seat));
}

export function showSeats(view) {
  for (const side of ["left", "partner", "right"]) showSeat(view, byId(`at-${side}`), (view.seat + PLACES.indexOf(side)) % 4);
}

function showSeat(view, box, seat) {
  const { cards, hidden } = view.hands[seat];
  const hand = box.querySelector(".fan");
  box.dataset.seat = seat;
  plate(box.querySelector("h2"), view, seat);
  keepCards(hand, [...keyed(cards), ...Array.from({ length: hidden }, (_, at) => ({ card: null, key: `back#${at}` }))],
    ({ card }) => (card ? ["eye"] : []));
  hand.setAttribute("aria-label", cards.length
    ? `${counted(cards.length + hidden)}, of which all know: ${listed(cards.map(called))}` : counted(hidden));
  const actions = latestTurn(view, seat);
  box.querySelector(".said").replaceChildren(...actions.flatMap((action, at) => [at ? ", " : "", ...doneInShort(action, false)]));
  fan(hand);
}

export function showHead(view) {
  byId("heading").textContent = `Deal ${view.deal + 1} of ${view.deals}`;
  const passes = view.passes ? ` · ${view.passes} ${view.passes === 1 ? "pass" : "passes in a row"}` : "";
  byId("dealt").textContent = `dealt by ${nameOf(view, view.dealer)}${passes}`;
  const us = view.seat % 2;
  byId("scores").replaceChildren(...[us, 1 - us].map((team) => make("tr", {},
    make("th", { scope: "row", className: `team-${team}`, textContent: teamOf(view, team) }),
    make("td", { className: "total", textContent: plain(view.score[team]) }),
    make("td", { className: `team-${team}`, textContent: view.phase === "over" ? "" : signed(view.points[team]) }))));
}

/** Where a card that was nowhere comes from: the stock, or the hand of who moved. */
export function sourceOf(view, before) {
  const [, seat, action] = view.log.at(-1) ?? [];
  if (action === undefined || !before || view.deal !== before.deal) return byId("stock").getBoundingClientRect();
  if (action === "draw" || seat === view.seat) return byId("stock").getBoundingClientRect();
  return document.querySelector(`[data-seat="${seat}"] .fan`)?.getBoundingClientRect();
}
