// Requests, the seats that this browser holds, and the connection to one of them.
const KEY = "persian-rummy-seats";
const REPLACED = 4001, REFUSED = 1008;

const seats = () => JSON.parse(localStorage.getItem(KEY) ?? "{}");
export const tokenOf = (table) => seats()[table];

export async function ask(path, body, headers = {}) {
  const options = body === undefined ? { headers } : {
    method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body),
  };
  const answer = await fetch(path, options);
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({ text: answer.statusText }));
    throw new Error(told.text);
  }
  return answer;
}

/** Take the seat that the server has given: keep its token, and go there. */
export function takeSeat({ table, token }) {
  const held = Object.entries(seats()).slice(-19);
  localStorage.setItem(KEY, JSON.stringify({ ...Object.fromEntries(held), [table]: token }));
  location.hash = table;
}

/** A connection that comes back by itself until it is closed or the seat was opened elsewhere. `onState` is told what is wrong, and "" when it is right again. */
export class Connection {
  constructor(table, onMessage, onState) {
    Object.assign(this, { table, onMessage, onState, tries: 0, closed: false, wrong: false });
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/ws/${encodeURIComponent(this.table)}`);
    this.socket.onopen = () => this.send({ type: "join", token: tokenOf(this.table) ?? "" });
    this.socket.onmessage = (event) => {
      this.tries = 0;
      if (this.wrong) this.onState("");
      this.wrong = false;
      this.onMessage(JSON.parse(event.data));
    };
    this.socket.onclose = ({ code }) => {
      if (this.closed) return;
      this.wrong = true;
      if (code === REPLACED) return this.onState("This seat was opened in another window, or the table was cleared away.");
      if (code === REFUSED) return this.onState("The server has refused this seat.");
      this.onState("The connection is lost; trying again …");
      this.timer = setTimeout(() => this.open(), Math.min(5000, 250 * 2 ** this.tries++));
    };
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket.close();
  }
}
