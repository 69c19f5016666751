// One table: it shows what the server says that this seat may see, and sends what is clicked, dragged or typed.
import { byId, make, alertUser } from "./dom.js";
import { face, fits, index, isJoker, spoken, spokenAction } from "./cards.js";
import { draggable } from "./drag.js";
import { ask, Connection, tokenOf } from "./net.js";

const PLACES = ["you", "left", "partner", "right"];
const counted = (count) => (count === 1 ? "1 card" : `${count} cards`);
const meldKey = (cards) => `meld ${[...cards].sort((a, b) => index(a) - index(b)).join(" ")}`;

export class TableView {
  constructor(table) {
    this.table = table;
    this.view = null;
    this.selected = new Set();
    this.heard = 0;
    this.connection = new Connection(table, (message) => this.receive(message), alertUser);
    byId("meld").onclick = () => this.meld();
    byId("discard").onclick = () => this.discard();
    byId("undo").onclick = () => this.say({ type: "undo" });
    byId("hint").onclick = () => this.say({ type: "hint", policy: byId("analyst").value });
    byId("record").onclick = () => this.saveRecord();
    byId("replay").onclick = () => this.seeReplay();
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    ask("/api/lobby").then((answer) => answer.json()).then(({ policies }) => {
      byId("analyst").replaceChildren(...policies.map((policy) => make("option", { value: policy, textContent: policy })));
      if (policies.includes("expert")) byId("analyst").value = "expert";
    }, () => {});
  }

  close() {
    removeEventListener("keydown", this.keys);
    this.connection.close();
  }

  receive(message) {
    if (message.type === "view") this.show(message);
    else if (message.type === "hint") {
      if (message.version === this.view?.version) byId("advice").textContent = `${message.policy}: ${message.action}`;
    } else if (message.type === "error") alertUser(message.text);
  }

  say(message) {
    alertUser("");
    this.connection.send({ ...message, version: this.view.version });
  }

  act(action) {
    if (this.view.legal.includes(action)) this.say({ type: "act", action });
  }

  // What is meant -----------------------------------------------------------------------------------------------------

  get chosen() {
    const hand = this.view.hands[this.view.seat].cards;
    return [...this.selected].map((key) => hand[key]);
  }

  meldAction(cards) {
    const key = meldKey(cards);
    return this.view.legal.find((action) => action.startsWith("meld") && meldKey(action.split(" ").slice(1)) === key);
  }

  layoffAction(card, meld) {
    const action = `layoff ${card} ${meld.kind}`;
    return fits(card, meld) && this.view.legal.includes(action) ? action : undefined;
  }

  takeAction(place) {
    const pile = this.view.pile.map(([card]) => card);
    const card = pile[place];
    const order = isJoker(card) ? pile.slice(place).filter(isJoker).length : "";
    const action = `take ${card}${order}`;
    return this.view.legal.includes(action) ? action : undefined;
  }

  meld() {
    const action = this.meldAction(this.chosen);
    if (action) this.act(action);
    else if (this.chosen.length === 1) this.layOffAnywhere(this.chosen[0]);
  }

  layOffAnywhere(card) {
    const found = this.view.legal.filter((action) => action.startsWith(`layoff ${card} `));
    if (found.length === 1) this.act(found[0]);
  }

  discard() {
    if (this.chosen.length === 1) this.act(`discard ${this.chosen[0]}`);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName) || !this.view) return;
    const hand = [...byId("hand").children];
    const at = hand.indexOf(document.activeElement);
    const keys = {
      s: () => this.act(this.view.legal.includes("pass") ? "pass" : "draw"), m: () => this.meld(), x: () => this.discard(),
      u: () => byId("undo").click(), h: () => byId("hint").click(),
      ArrowLeft: () => at > 0 && hand[at - 1].focus(), ArrowRight: () => at >= 0 && hand[at + 1]?.focus(),
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  }

  // What is shown -----------------------------------------------------------------------------------------------------

  place(seat) {
    return (seat - this.view.seat + 4) % 4;
  }

  who(seat) {
    const place = PLACES[this.place(seat)];
    return place === "you" ? "you" : `${this.view.players[seat].name} (${place})`;
  }

  show(view) {
    const focused = document.activeElement?.dataset?.key;
    const same = this.view?.version === view.version;
    if (!same) byId("advice").textContent = "";
    const held = this.view && [...this.selected].map((key) => this.view.hands[this.view.seat].cards[key]);
    this.view = view;
    this.reselect(held ?? []);
    this.showHead();
    this.showOthers();
    this.showMiddle();
    this.showMelds();
    this.showHand();
    this.showLegal();
    this.showLog();
    this.showResults();
    if (focused) document.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  /** Keep chosen what is still in the hand. */
  reselect(cards) {
    this.selected.clear();
    const hand = this.view.hands[this.view.seat].cards;
    for (const card of cards) {
      const place = hand.findIndex((other, key) => other === card && !this.selected.has(key));
      if (place >= 0) this.selected.add(place);
    }
  }

  toggle(key) {
    if (!this.selected.delete(key)) this.selected.add(key);
    this.showHand();
    this.showMiddle();
    this.showMelds();
    document.querySelector(`[data-key="hand-${key}"]`)?.focus();
  }

  get mine() {
    return this.view.legal.length > 0;
  }

  showHead() {
    const { view } = this;
    const us = view.seat % 2;
    byId("heading").textContent = `Deal ${view.deal + 1} of ${view.deals}, dealt by ${this.who(view.dealer)}`;
    byId("scores").textContent =
      `We ${view.score[us]}, they ${view.score[1 - us]}; in this deal ${view.points[us]} to ${view.points[1 - us]}`;
    byId("turn").textContent = this.turnText();
    byId("turn").classList.toggle("go", this.mine);
    if (view.failed) alertUser(view.failed);
  }

  turnText() {
    const { view } = this;
    if (view.failed) return "The game has ended without a result: a player could not go on.";
    if (!view.started) return "Waiting for " + view.players.filter((one) => one.free).length + " more to sit down.";
    if (view.phase === "over") {
      const [us, them] = [view.score[view.seat % 2], view.score[1 - (view.seat % 2)]];
      return `The game is over: ${us === them ? "a tie" : us > them ? "you win" : "you lose"}.`;
    }
    if (view.turn !== view.seat) return `${this.who(view.turn)} is to ${view.phase === "draw" ? "draw" : "play"}.`;
    if (view.owed) return `Your turn: ${spoken(view.owed)} must be melded first.`;
    return view.phase === "draw" ? "Your turn: draw, or take from the pile." : "Your turn: meld, or discard.";
  }

  showOthers() {
    const { view } = this;
    byId("others").replaceChildren(...[1, 2, 3].map((place) => {
      const seat = (view.seat + place) % 4;
      const { cards, hidden } = view.hands[seat];
      const player = view.players[seat];
      const count = cards.length + hidden;
      const known = cards.length ? `, known: ${cards.map(spoken).join(", ")}` : "";
      const fan = make("div", { className: "fan", role: "img", aria: { label: `${counted(count)}${known}` } },
        ...cards.map((card) => make("span", { className: "card" }, face(card))),
        ...Array.from({ length: hidden }, () => make("span", { className: "card" }, face(null))));
      const state = player.free ? " (free)" : player.here ? "" : " (away)";
      return make("div", {
        className: view.turn === seat && view.phase !== "over" ? `other ${PLACES[place]} turn` : `other ${PLACES[place]}`,
        data: { seat },
      }, make("h2", { textContent: `${PLACES[place]}: ${player.name}${state}` }), make("p", { textContent: counted(count) }), fan);
    }));
  }

  showMiddle() {
    const { view } = this;
    const draw = view.legal.find((action) => action === "draw" || action === "pass");
    const stock = make("button", {
      type: "button", className: "card stock", disabled: !draw, onclick: () => this.act(draw), data: { key: "stock" },
      aria: { label: `${draw === "pass" ? "Pass" : "Draw"}; stock, ${counted(view.stock)}`, keyshortcuts: "s" },
    }, view.stock ? face(null) : make("span", { className: "empty", textContent: "pass" }));
    stock.classList.toggle("lit", Boolean(draw));
    if (draw) draggable(stock, () => ["hand"], () => this.act(draw));
    byId("stock").replaceChildren(stock, make("p", { textContent: `stock ${view.stock}` }));
    const discard = this.chosen.length === 1 && view.legal.includes(`discard ${this.chosen[0]}`);
    const pile = byId("pile");
    pile.dataset.drop = "pile";
    pile.classList.toggle("lit", discard);
    pile.onclick = (event) => { if (event.target === pile || view.phase !== "draw") this.discard(); };
    pile.replaceChildren(...view.pile.map(([card, seat], place) => {
      const action = this.takeAction(place);
      const by = seat === null ? "turned up" : `discarded by ${this.who(seat)}`;
      const more = view.pile.length - place - 1;
      const button = make("button", {
        type: "button", className: "card", disabled: !action && !discard, data: { key: `pile-${place}`, card },
        title: by, aria: { label: `${action ? "Take " : ""}${spoken(card)}${action && more ? ` with ${more} above it` : ""}, ${by}` },
        onclick: () => action && this.act(action),
      }, face(card), make("span", { className: `by team-${seat === null ? "none" : (seat - view.seat + 4) % 2}` }));
      button.classList.toggle("lit", Boolean(action));
      if (action) draggable(button, () => ["hand"], () => this.act(action));
      return button;
    }), ...(view.pile.length ? [] : [make("span", { className: "empty", textContent: "empty" })]));
  }

  showMelds() {
    const { view } = this;
    const one = this.chosen.length === 1 ? this.chosen[0] : null;
    const melds = view.melds.map((meld, number) => {
      const action = one && this.layoffAction(one, meld);
      const by = [...new Set(meld.seats.map((seat) => this.who(seat)))].join(", ");
      const element = make("button", {
        type: "button", className: "meld", disabled: !action, onclick: () => this.act(action),
        data: { drop: `meld-${number}`, key: `meld-${number}` },
        aria: { label: `${action ? `Lay ${spoken(one)} off on ` : ""}${meld.kind}: ${meld.cards.map(spoken).join(", ")}, laid by ${by}` },
      }, ...meld.cards.map((card, place) => make("span", { className: "card", data: { card } }, face(card),
        make("span", { className: `by team-${(meld.seats[place] - view.seat + 4) % 2}` }))));
      element.classList.toggle("lit", Boolean(action));
      return element;
    });
    const action = this.meldAction(this.chosen);
    const fresh = make("button", {
      type: "button", className: "meld new", disabled: !action, textContent: "new meld", data: { drop: "new", key: "new" },
      onclick: () => this.meld(), aria: { label: action ? `Meld ${this.chosen.map(spoken).join(", ")}` : "New meld: choose its cards first" },
    });
    fresh.classList.toggle("lit", Boolean(action));
    byId("melds").replaceChildren(...melds, fresh);
  }

  showHand() {
    const { view } = this;
    const hand = view.hands[view.seat];
    byId("hand").dataset.drop = "hand";
    byId("hand").replaceChildren(...hand.cards.map((card, key) => {
      const chosen = this.selected.has(key);
      const known = hand.known[key] ? ", known to all" : "";
      const owed = view.turn === view.seat && view.owed === card;
      const button = make("button", {
        type: "button", className: "card", onclick: () => this.toggle(key), data: { key: `hand-${key}`, card },
        aria: { label: `${spoken(card)}${known}${owed ? ", must be melded first" : ""}`, pressed: chosen },
      }, face(card));
      button.classList.toggle("known", hand.known[key]);
      button.classList.toggle("owed", owed);
      draggable(button, () => this.targets(card, key), (name) => this.drop(card, key, name));
      return button;
    }));
    const one = this.chosen.length === 1 ? this.chosen[0] : null;
    const layoff = one && view.legal.filter((action) => action.startsWith(`layoff ${one} `)).length === 1;
    byId("meld").disabled = !this.meldAction(this.chosen) && !layoff;
    byId("meld").textContent = layoff && !this.meldAction(this.chosen) ? "Lay off" : "Meld";
    byId("discard").disabled = !one || !view.legal.includes(`discard ${one}`);
    byId("undo").disabled = !view.undo;
    byId("hint").disabled = !this.mine;
  }

  /** Where a card of the hand may be dropped. */
  targets(card, key) {
    const { view } = this;
    const found = view.melds.flatMap((meld, number) => (this.layoffAction(card, meld) ? [`meld-${number}`] : []));
    if (view.legal.includes(`discard ${card}`)) found.push("pile");
    if (this.meldAction(this.with(card, key))) found.push("new");
    return found;
  }

  /** The chosen cards and this one. */
  with(card, key) {
    return this.selected.has(key) ? this.chosen : [...this.chosen, card];
  }

  drop(card, key, name) {
    if (name === "pile") this.act(`discard ${card}`);
    else if (name === "new") this.act(this.meldAction(this.with(card, key)));
    else this.act(this.layoffAction(card, this.view.melds[Number(name.split("-")[1])]));
  }

  showLegal() {
    byId("legal").replaceChildren(...this.view.legal.map((action) => make("button", {
      type: "button", textContent: action, data: { action, key: `legal-${action}` }, onclick: () => this.act(action),
    })));
  }

  showLog() {
    const { log, at } = this.view;
    const told = log.map(([, seat, action]) => `${this.who(seat)}: ${action}`);
    byId("log").replaceChildren(...told.map((textContent) => make("li", { textContent })));
    byId("log").start = at - log.length + 1;
    const fresh = log.slice(Math.max(0, log.length - Math.max(0, at - this.heard))).filter(([, seat]) => seat !== this.view.seat);
    if (fresh.length && this.heard) {
      const spokenNews = fresh.map(([, seat, action]) => `${this.who(seat)} ${spokenAction(action)}`).join(". ");
      byId("turn").textContent = `${spokenNews}. ${this.turnText()}`;
    }
    this.heard = at;
  }

  showResults() {
    const { view } = this;
    const us = view.seat % 2;
    const lines = view.ends.map((end, number) => {
      const out = end.out === null ? "nobody went out" : `${this.who(end.out)} went out`;
      const left = end.left.map((cards, seat) => `${this.who(seat)}: ${cards.join(" ") || "nothing"}`).join("; ");
      return make("p", { textContent: `Deal ${number + 1}: ${end.score[us]} to ${end.score[1 - us]}, ${out}. Left in hands: ${left}.` });
    });
    if (view.drawn.length) {
      lines.unshift(make("p", { textContent: `Drawn for partners: ${view.drawn.map(([name, card]) => `${name} ${card}`).join(", ")}.` }));
    }
    byId("results").replaceChildren(...lines);
    byId("after").hidden = view.phase !== "over";
  }

  /** That this browser holds a seat of the table. */
  get proof() {
    return { authorization: `Bearer ${tokenOf(this.table)}` };
  }

  async seeReplay() {
    try {
      location.assign((await (await ask(`/api/tables/${this.table}/replay`, {}, this.proof)).json()).url);
    } catch (error) {
      alertUser(error.message);
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
