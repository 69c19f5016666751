// What was played: a list to read, and what a screen reader is told.
import { byId, make } from "./dom.js";
import { doneInShort, listed, nameOf, sentence } from "./words.js";

const KEPT = 30;

/** The actions that are new since a view. */
export const newActions = (view, before) => (before ? view.log.slice(Math.max(0, view.log.length - Math.max(0, view.at - before.at))) : []);

export function showHistory(view) {
  const list = byId("log");
  list.start = view.at - view.log.length + 1;
  list.replaceChildren(...view.log.map(([, seat, action]) => make("li", {},
    make("span", { className: `team-${seat % 2}`, textContent: nameOf(view, seat) }), " ", ...doneInShort(action, seat === view.seat))));
  list.scrollTop = list.scrollHeight;
  byId("drawn").hidden = !view.drawn.length;
  byId("drawn").textContent = `Drawn for partners: ${listed(view.drawn.map(([name, card]) => `${name} ${card}`))}.`;
}

/** Say what was played since a view, aloud; a card that the reader drew is said by the line below the table. */
export function tell(view, before) {
  const news = byId("news");
  for (const [, seat, action] of newActions(view, before)) {
    if (seat !== view.seat || action !== "draw") news.append(make("p", { textContent: sentence(view, seat, action) }));
  }
  while (news.children.length > KEPT) news.firstChild.remove();
}

/** Say a sentence aloud. */
export const aloud = (text) => byId("news").append(make("p", { textContent: text }));
