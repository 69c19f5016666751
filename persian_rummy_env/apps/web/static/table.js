// One table: it shows what the server says that this seat may see, and sends what is pressed, dragged or typed.
import { alertUser, byId, make } from "./dom.js";
import { showFelt } from "./felt.js";
import { fly, remember } from "./fly.js";
import { forgetHint, handOf, showActions, showHand, showHint, showOffers } from "./hand.js";
import { aloud, newActions, showHistory, tell } from "./history.js";
import { keepFocus, letters, roving } from "./keys.js";
import { Legal } from "./legal.js";
import { ask, Connection, takeSeat, tokenOf } from "./net.js";
import { Pace } from "./pace.js";
import { lastMove, showEnd, wentOut } from "./result.js";
import { showHead, showSeats, sourceOf } from "./seats.js";
import { stay } from "./settings.js";
import { listed, parsed, spoken, standing } from "./words.js";

const GROUPS = ["pile", "melds", "offers", "hand", "actions"];
const OWN = 0.35; // of the time that another player's move is shown
for (const id of GROUPS) roving(byId(id));

export class TableView {
  constructor(table) {
    this.table = table;
    this.view = null;
    this.selected = new Set();
    this.pace = new Pace((view) => this.turnTo(view));
    this.connection = new Connection(table, (message) => this.receive(message), alertUser);
    this.stopLetters = letters({
      s: () => byId("stock-card").click(), m: () => byId("meld").click(), x: () => byId("discard").click(),
      u: () => byId("undo").click(), h: () => byId("hint").click(), Escape: () => this.lower(),
    });
    this.resized = () => this.view && this.draw();
    addEventListener("resize", this.resized);
    byId("result").onclose = () => this.afterEnd();
    byId("next-deal").onclick = () => byId("result").close();
    byId("results").onclick = () => byId("result").showModal();
    byId("again").onclick = () => this.playAgain();
    byId("replay").onclick = () => this.seeReplay();
    byId("record").onclick = () => this.saveRecord();
    this.fillAnalysts();
    byId("turn").textContent = "Connecting …";
  }

  close() {
    this.stopLetters();
    removeEventListener("resize", this.resized);
    this.pace.close();
    this.connection.close();
    byId("result").onclose = null;
    byId("result").close();
    for (const id of ["pile", "melds", "offers", "hand", "news", "log"]) byId(id).replaceChildren();
  }

  async fillAnalysts() {
    const { policies } = await (await ask("/api/lobby")).json().catch(() => ({ policies: [] }));
    byId("analyst").replaceChildren(...policies.map((policy) => make("option", { value: policy, textContent: policy })));
    if (policies.includes("expert")) byId("analyst").value = "expert";
  }

  receive(message) {
    if (message.type === "view") this.pace.add(message);
    else if (message.type === "hint") {
      if (message.version === this.view?.version) showHint(this, message);
    } else if (message.type === "error") alertUser(message.text);
  }

  say(message) {
    alertUser("");
    this.connection.send({ ...message, version: this.view.version });
  }

  act(action) {
    if (action && this.view.legal.includes(action)) this.say({ type: "act", action });
  }

  // What is chosen ------------------------------------------------------------------------------------------------------

  get chosen() {
    return handOf(this.view).filter(({ key }) => this.selected.has(key)).map(({ card }) => card);
  }

  toggle(key) {
    if (!this.selected.delete(key)) this.selected.add(key);
    this.draw();
  }

  lower() {
    this.selected.clear();
    this.draw();
  }

  /** Lay off on a meld; where several cards would fit, one has to be chosen first. */
  layOnto(actions) {
    if (actions.length === 1) this.act(actions[0]);
    else this.advise(`Choose the card first: ${listed(actions.map((action) => spoken(parsed(action).cards[0])))}.`);
  }

  advise(text) {
    forgetHint();
    byId("advice").textContent = text;
  }

  /** Where a card of the hand may be dropped. */
  targets(card, key) {
    const { view, legal } = this;
    const found = view.melds.flatMap((meld, number) => (legal.onto(meld, [card]).length ? [`meld-${number}`] : []));
    if (legal.discard([card])) found.push("pile");
    if (legal.meld(this.with(card, key))) found.push("new");
    return found;
  }

  /** The chosen cards and this one. */
  with(card, key) {
    return this.selected.has(key) ? this.chosen : [...this.chosen, card];
  }

  drop(card, key, name) {
    if (name === "pile") this.act(this.legal.discard([card]));
    else if (name === "new") this.act(this.legal.meld(this.with(card, key)));
    else this.act(this.legal.onto(this.view.melds[Number(name.split("-")[1])], [card])[0]);
  }

  // What is shown -------------------------------------------------------------------------------------------------------

  /** Show a state of the table, after the end of a deal if one has come; returns for how long it is to stay. */
  turnTo(view) {
    const before = this.view;
    const ended = before && view.ends.length > before.ends.length;
    tell(view, before);
    if (ended && view.phase !== "over") {
      byId("turn").textContent = lastMove(view, view.ends.length - 1);
      this.pace.hold();
      this.next = view;
      this.openEnd(view, view.ends.length - 1);
      return 0;
    }
    this.render(view);
    if (view.phase === "over" && before?.phase !== "over") this.openEnd(view, view.ends.length - 1);
    const moved = newActions(view, before);
    if (!moved.length) return 0;
    return stay() * (moved.every(([, seat]) => seat === view.seat) ? OWN : 1);
  }

  openEnd(view, number) {
    showEnd(view, number);
    aloud(wentOut(view, view.ends[number]));
    byId("result").showModal();
  }

  /** The window is closed: the deal that waits is shown. */
  afterEnd() {
    if (this.next) {
      this.render(this.next);
      this.next = null;
      this.pace.release();
    }
    if (document.activeElement === document.body) byId("stock-card").focus();
  }

  render(view) {
    const before = this.view;
    const same = before?.version === view.version;
    const anew = !before || before.deal !== view.deal;
    if (!same) forgetHint();
    this.view = view;
    this.legal = new Legal(view);
    const held = new Set(handOf(view).map(({ key }) => key));
    for (const key of [...this.selected]) if (anew || !held.has(key)) this.selected.delete(key);
    const root = byId("table");
    const places = remember(root);
    for (const card of root.querySelectorAll(".fresh")) if (!same) card.classList.remove("fresh");
    this.draw();
    showHistory(view);
    const arrived = same ? [] : fly(places, root, anew ? undefined : sourceOf(view, before));
    if (!anew) for (const card of arrived) card.classList.add("fresh");
    if (view.failed) alertUser(view.failed);
  }

  draw() {
    const back = keepFocus(GROUPS.map(byId), () => byId("stock-card"));
    const mine = this.view.legal.length > 0;
    byId("table").dataset.version = this.view.version;
    byId("turn").textContent = standing(this.view);
    byId("turn").classList.toggle("go", mine);
    byId("results").hidden = this.view.phase !== "over";
    showHead(this.view);
    showSeats(this.view);
    showOffers(this);
    showHand(this);
    showActions(this);
    showFelt(this);
    byId("table").style.setProperty("--mine", `${byId("mine").offsetHeight}px`);
    back();
  }

  // After the game ------------------------------------------------------------------------------------------------------

  /** That this browser holds a seat of the table. */
  get proof() {
    return { authorization: `Bearer ${tokenOf(this.table)}` };
  }

  async playAgain() {
    const { players, seat, drawn } = this.view;
    const seats = [0, 1, 2, 3].map((place) => players[(seat + place) % 4]).map(({ human, name }) => (human ? "human" : name));
    try {
      takeSeat(await (await ask("/api/tables", { seats, name: players[seat].name, draw: drawn.length > 0 })).json());
    } catch (error) {
      alertUser(error.message);
    }
  }

  async seeReplay() {
    byId("replay").textContent = "Opening …";
    try {
      location.assign((await (await ask(`/api/tables/${this.table}/replay`, {}, this.proof)).json()).url);
    } catch (error) {
      alertUser(error.message);
    } finally {
      byId("replay").textContent = "See it again";
    }
  }

  async saveRecord() {
    try {
      const answer = await ask(`/api/tables/${this.table}/record`, undefined, this.proof);
      const url = URL.createObjectURL(await answer.blob());
      make("a", { href: url, download: `persian-rummy-${this.table}.jsonl` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    } catch (error) {
      alertUser(error.message);
    }
  }
}
