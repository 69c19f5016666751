// Opening a table, and joining one.
import { byId, make, alertUser } from "./dom.js";
import { ask, takeSeat } from "./net.js";

const USUAL = "expert";

const seated = (promise) => promise.then((answer) => answer.json()).then(takeSeat, (error) => alertUser(error.message));

function name() {
  const text = byId("name").value.trim();
  if (!text) {
    alertUser("Say first what you are called.");
    byId("name").focus();
    return null;
  }
  localStorage.setItem("persian-rummy-name", text);
  return text;
}

export async function showLobby() {
  byId("name").value ||= localStorage.getItem("persian-rummy-name") ?? "";
  let told;
  try {
    told = await (await ask("/api/lobby")).json();
  } catch (error) {
    return alertUser(error.message);
  }
  for (const seat of [1, 2, 3]) {
    const select = byId(`seat-${seat}`);
    const before = select.value || (told.policies.includes(USUAL) ? USUAL : told.policies[0]);
    select.replaceChildren(
      ...told.policies.map((policy) => make("option", { value: policy, textContent: policy })),
      make("option", { value: "human", textContent: "somebody else" }),
    );
    select.value = before;
  }
  byId("waiting").replaceChildren(...told.tables.map(line));
  if (!told.tables.length) byId("waiting").append(make("li", { textContent: "none now" }));
}

function line({ table, seats }) {
  const who = seats.map((seat) => (seat.free ? "free" : seat.name)).join(", ");
  const buttons = seats.flatMap((seat, number) => (seat.free ? [make("button", {
    type: "button", textContent: `Take seat ${number + 1}`,
    onclick: () => name() && seated(ask(`/api/tables/${table}/join`, { seat: number, name: name() })),
  })] : []));
  return make("li", {}, `${who} `, ...buttons);
}

byId("open").onsubmit = (event) => {
  event.preventDefault();
  const called = name();
  if (!called) return;
  const seats = ["human", ...[1, 2, 3].map((seat) => byId(`seat-${seat}`).value)];
  seated(ask("/api/tables", { seats, name: called, draw: byId("draw").checked }));
};
byId("refresh").onclick = showLobby;
