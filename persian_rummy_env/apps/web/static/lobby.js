// Opening a table, and joining one.
import { alertUser, byId, make } from "./dom.js";
import { ask, takeSeat } from "./net.js";

const USUAL = { 1: "expert", 2: "champion", 3: "expert" };
const SOMEBODY = "human";
const ABOUT = {
  champion: "a trained network, the strongest",
  expert: "a strong bot, and quick",
  deepest: "a fair bot: takes deep, melds high",
  greedy: "a fair bot: takes what gains most",
  random: "plays anything that is legal",
  human: "another person, who finds the table in the list",
};
const about = (policy) => ABOUT[policy] ?? (policy.startsWith("search") ? "looks ahead, and takes its time" : "");

const seated = (promise) => promise.then((answer) => answer.json()).then(takeSeat, (error) => alertUser(error.message));

function name() {
  const text = byId("name").value.trim();
  if (!text) {
    alertUser("Please fill in your name first.");
    byId("name").focus();
    return null;
  }
  localStorage.setItem("persian-rummy-name", text);
  return text;
}

export async function showLobby() {
  byId("name").value ||= localStorage.getItem("persian-rummy-name") ?? "";
  let lobby;
  try {
    lobby = await (await ask("/api/lobby")).json();
  } catch (error) {
    return alertUser(error.message);
  }
  for (const seat of [1, 2, 3]) fillSeat(seat, lobby.policies);
  byId("waiting").replaceChildren(...lobby.tables.map(line));
  byId("none-waiting").hidden = lobby.tables.length > 0;
}

function fillSeat(seat, policies) {
  const select = byId(`seat-${seat}`);
  const before = select.value || (policies.includes(USUAL[seat]) ? USUAL[seat] : policies[0]);
  select.replaceChildren(
    ...policies.map((policy) => make("option", { value: policy, textContent: policy })),
    make("option", { value: SOMEBODY, textContent: "somebody else" }),
  );
  select.value = before;
  select.onchange = () => { byId(`about-${seat}`).textContent = about(select.value); };
  select.onchange();
}

function line({ table, seats }) {
  const team = (first) => [first, first + 2].map((seat) => (seats[seat].free ? "…" : seats[seat].name)).join(" & ");
  const buttons = seats.flatMap((seat, number) => (seat.free ? [make("button", {
    type: "button", textContent: `Sit down with ${seats[(number + 2) % 4].free ? "somebody" : seats[(number + 2) % 4].name}`,
    onclick: () => name() && seated(ask(`/api/tables/${table}/join`, { seat: number, name: name() })),
  })] : []));
  return make("li", {}, make("span", { textContent: `${team(0)} against ${team(1)}` }), ...buttons);
}

byId("open").onsubmit = (event) => {
  event.preventDefault();
  const called = name();
  if (!called) return;
  const seats = ["human", ...[1, 2, 3].map((seat) => byId(`seat-${seat}`).value)];
  seated(ask("/api/tables", { seats, name: called, draw: byId("draw").checked }));
};
byId("refresh").onclick = showLobby;
