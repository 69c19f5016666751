// Requests, the seats that this browser holds, and the connection to one of them.
const KEY = "persian-rummy-seats";
const LOST = "The connection is lost; trying again …";
/** What the closing codes say after which the connection does not come back. */
const ENDED = {
  4001: "This seat was opened in another window, or the table was cleared away.",
  1008: "The server has refused this seat.",
};

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
    Object.assign(this, { table, onMessage, onState, tries: 0, closed: false, wrong: false, told: LOST });
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
      this.told = ENDED[code] ?? LOST;
      this.tell(this.told);
      if (code in ENDED) return;
      this.timer = setTimeout(() => this.open(), Math.min(5000, 250 * 2 ** this.tries++));
    };
  }

  /** Send a message; where the connection is down, it is not sent, and `onState` is told. */
  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) return this.socket.send(JSON.stringify(message));
    this.tell(`That was not sent. ${this.told}`);
  }

  /** What is wrong with the connection. It is shown until the next message comes. */
  tell(text) {
    this.wrong = true;
    this.onState(text);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket.close();
  }
}
