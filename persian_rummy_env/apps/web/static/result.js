// The end of a deal and of a game, in full: points of both teams, the cards left in hands, who went out.
import { OUT_BONUS, row, worth } from "./cards.js";
import { byId, heard, make } from "./dom.js";
import { called, capital, done, listed, nameOf, outcome, plain, signed, teamOf } from "./words.js";

const cells = (tag, texts) => texts.map((text) => make(tag, tag === "th" ? { scope: "col" } : {}, text));
const line = (name, texts, className = "") => make("tr", { className }, make("th", { scope: "row", textContent: name }), ...cells("td", texts));

/** What a team lost by the cards in its hands, what it got for going out, and so what it has laid. */
function account(end, team) {
  const lost = worth([...end.left[team], ...end.left[team + 2]]);
  const bonus = end.out !== null && end.out % 2 === team ? OUT_BONUS : 0;
  return { laid: end.score[team] - bonus + lost, lost, bonus };
}

export const wentOut = (view, { out }) =>
  (out === null ? "Nobody went out: the stock is empty." : `${capital(nameOf(view, out))} went out.`);

/** How a deal ended: with the move of the player who went out, where it is known. */
export function lastMove(view, number) {
  const { out } = view.ends[number];
  const [, seat, action] = view.log.findLast(([deal]) => deal === number) ?? [];
  if (out === null || seat !== out) return wentOut(view, view.ends[number]);
  const you = seat === view.seat;
  return `${capital(nameOf(view, seat))} ${done(action, you)} and ${you ? "go" : "goes"} out.`;
}

function points(view, number) {
  const end = view.ends[number];
  const teams = [view.seat % 2, 1 - (view.seat % 2)];
  const accounts = teams.map((team) => account(end, team));
  const before = teams.map((team) => view.ends.slice(0, number).reduce((sum, { score }) => sum + score[team], 0));
  const rows = [
    ...view.ends.slice(0, number).map(({ score }, deal) => line(`deal ${deal + 1}`, teams.map((team) => plain(score[team])), "sum")),
    line("laid on the table", accounts.map(({ laid }) => signed(laid))),
    line("left in hands", accounts.map(({ lost }) => signed(-lost))),
    line("going out", accounts.map(({ bonus }) => (bonus ? signed(bonus) : "–"))),
    line(`deal ${number + 1}`, teams.map((team) => plain(end.score[team])), "sum"),
  ];
  if (number) rows.push(line("game", teams.map((team, at) => plain(before[at] + end.score[team])), "sum"));
  return make("table", { className: "points" },
    make("caption", { className: "heard", textContent: `Points of deal ${number + 1}` }),
    make("thead", {}, make("tr", {}, make("td"), ...teams.map((team) => make("th", { scope: "col", className: `team-${team}`, textContent: teamOf(view, team) })))),
    make("tbody", {}, ...rows));
}

function hands(view, number) {
  const { left } = view.ends[number];
  const seats = [0, 1, 2, 3].map((place) => (view.seat + place) % 4);
  return make("ul", { className: "left-over" }, ...seats.map((seat) => make("li", {},
    make("span", { className: `team-${seat % 2}`, textContent: nameOf(view, seat) }),
    left[seat].length ? row(left[seat]) : make("span", { className: "quiet", textContent: "no cards" }),
    heard(listed(left[seat].map(called))),
    make("b", { textContent: signed(-worth(left[seat])) }))));
}

/** Fill the window with the end of a deal. */
export function showEnd(view, number) {
  const over = view.phase === "over";
  byId("result-head").textContent = over ? capital(outcome(view)) + (outcome(view) === "a tie" ? "" : "!") : `Deal ${number + 1} is over`;
  byId("result-words").textContent = over
    ? `${plain(view.score[view.seat % 2])} to ${plain(view.score[1 - (view.seat % 2)])} after ${view.deals === 1 ? "one deal" : `${view.deals} deals`}. ${lastMove(view, number)}`
    : lastMove(view, number);
  byId("result-points").replaceChildren(points(view, number));
  byId("result-hands").replaceChildren(make("h3", { textContent: "Left in hands" }), hands(view, number));
  byId("after").hidden = !over;
  byId("next-deal").textContent = over ? "Look at the table" : "Next deal";
}
