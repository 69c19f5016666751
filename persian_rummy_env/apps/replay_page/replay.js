
class Replay {
  constructor(data) {
    this.data = data;
    this.drawing = new Drawing(data);
    this.timer = null;
    this.deal = -1;
    [this.game, this.moment, this.view] = [data.games[0], 0, data.views[0]];
    this.fill();
    this.listen();
    this.fromAddress();
  }

  get last() {
    return this.game.actions.length - 1;
  }

  dealOf(moment) {
    return lastAt(this.game.deals.map((deal) => deal.start), moment);
  }

  stop(deal) {
    return deal + 1 < this.game.deals.length ? this.game.deals[deal + 1].start - 1 : this.last;
  }

  who(seat) {
    return `player_${seat}${this.game.players[seat] === `player_${seat}` ? "" : ` ${this.game.players[seat]}`}`;
  }

  team(team) {
    return `${this.game.players[team]} & ${this.game.players[team + 2]}`;
  }

  // Where the reader is -------------------------------------------------------------------------------------------------

  go(moment) {
    this.moment = Math.max(0, Math.min(this.last, moment));
    this.show();
  }

  goGame(number) {
    this.game = this.data.games[number];
    this.deal = -1;
    this.fillGame();
    this.go(0);
  }

  goView(view) {
    if (!this.data.views.includes(view)) return;
    this.view = byId("view").value = view;
    this.deal = -1;
    this.show();
  }

  dealBack() {
    const { start } = this.game.deals[this.dealOf(this.moment)];
    this.go(start < this.moment ? start : (this.game.deals[this.dealOf(this.moment) - 1]?.start ?? 0));
  }

  dealNext() {
    this.go(this.game.deals[this.dealOf(this.moment) + 1]?.start ?? this.last);
  }

  nextDifference() {
    let moment = this.moment + 1;
    while (moment <= this.last && !this.differs(moment)) moment++;
    if (moment <= this.last) this.go(moment);
  }

  /** What a policy thinks at a moment; to a player's eyes, of this player's own decisions alone. */
  thought({ decisions }, moment) {
    return this.view === "open" || this.view === `player_${this.game.seats[moment]}` ? decisions[moment] : null;
  }

  differs(moment) {
    return this.game.analyses.some((analysis) => {
      const thought = this.thought(analysis, moment);
      return thought && thought[0] !== this.game.actions[moment];
    });
  }

  toggle() {
    if (this.timer === null && this.moment === this.last) this.moment = 0;
    this.play(this.timer === null);
  }

  play(on) {
    clearInterval(this.timer);
    this.timer = on ? setInterval(() => (this.moment < this.last ? this.go(this.moment + 1) : this.play(false)), 1000 / Number(byId("speed").value)) : null;
    byId("play-sign").setAttribute("d", on ? PAUSE : PLAY);
    byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
    byId("play").title = on ? "Pause (Space)" : "Play (Space)";
    byId("now").setAttribute("aria-live", on ? "off" : "polite");
    if (on) this.show();
  }

  faster(by) {
    const speed = byId("speed");
    speed.selectedIndex = Math.max(0, Math.min(speed.length - 1, speed.selectedIndex + by));
    if (this.timer !== null) this.play(true);
  }

  // What is pressed -----------------------------------------------------------------------------------------------------

  listen() {
    const press = { "deal-back": () => this.dealBack(), back: () => this.go(this.moment - 1), play: () => this.toggle(),
      step: () => this.go(this.moment + 1), "deal-next": () => this.dealNext() };
    for (const [id, run] of Object.entries(press)) byId(id).onclick = run;
    byId("place").oninput = (event) => this.go(Number(event.target.value));
    byId("game").onchange = (event) => this.goGame(Number(event.target.value));
    byId("view").onchange = (event) => this.goView(event.target.value);
    byId("speed").onchange = () => this.faster(0);
    byId("fit").onclick = () => {
      byId("fit").setAttribute("aria-pressed", String(byId("table").classList.toggle("whole")));
      this.lookAtMarked();
    };
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("keyup", (event) => { if (event.key === " " && byId("list").contains(event.target)) event.preventDefault(); });
    addEventListener("hashchange", () => this.fromAddress());
  }

  key(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || target.tagName === "SELECT") return;
    if (target === byId("place") && /^(Arrow|Page|Home|End)/.test(key)) return;
    if (key === " " && /BUTTON|SUMMARY/.test(target.tagName) && !byId("list").contains(target)) return;
    const keys = {
      ArrowLeft: () => this.go(this.moment - 1), ArrowRight: () => this.go(this.moment + 1), " ": () => this.toggle(),
      PageUp: () => this.dealBack(), PageDown: () => this.dealNext(), Home: () => this.go(0), End: () => this.go(this.last),
      "+": () => this.faster(1), "=": () => this.faster(1), "-": () => this.faster(-1), d: () => this.nextDifference(),
      0: () => this.goView("open"), 1: () => this.goView("player_0"), 2: () => this.goView("player_1"),
      3: () => this.goView("player_2"), 4: () => this.goView("player_3"),
    };
    if (Object.hasOwn(keys, key)) {
      event.preventDefault();
      keys[key]();
    }
  }

  /** The address names the place, so that it can be kept and sent: #game=2&at=17&view=player_1. */
  fromAddress() {
    const said = new URLSearchParams(location.hash.slice(1));
    const number = this.data.games.findIndex((game) => String(game.number) === said.get("game"));
    const at = Number.parseInt(said.get("at") ?? "", 10);
    if (this.data.views.includes(said.get("view"))) [this.view, this.deal] = [(byId("view").value = said.get("view")), -1];
    if (number >= 0 && this.data.games[number] !== this.game) {
      byId("game").value = number;
      this.goGame(number);
    }
    this.go(Number.isNaN(at) ? this.moment : at - 1);
  }

  toAddress() {
    clearTimeout(this.writing); // browsers allow so many changes of the address in a while
    this.writing = setTimeout(() => {
      const place = new URLSearchParams({ game: this.game.number, at: this.moment + 1, view: this.view });
      history.replaceState(null, "", `#${place}`);
    }, 300);
  }

  // What is shown -------------------------------------------------------------------------------------------------------

  fill() {
    const { games, views } = this.data;
    byId("which").hidden = games.length === 1;
    byId("game").replaceChildren(...games.map((game, number) => make("option", {
      value: number, textContent: `${game.number}: ${game.score[0]} to ${game.score[1]}`,
    })));
    byId("view").replaceChildren(...views.map((view) => make("option", { value: view, textContent: view === "open" ? "all hands open" : `as ${view} sees it` })));
    byId("view").disabled = views.length === 1;
    this.fillGame();
    this.play(false);
  }

  fillGame() {
    const { game } = this;
    const seed = game.seed === null ? "" : ` · seed ${game.seed}`;
    byId("about").replaceChildren(
      make("span", { className: "team-0", textContent: this.team(0) }), make("b", { textContent: ` ${game.score[0]} : ${game.score[1]} ` }),
      make("span", { className: "team-1", textContent: this.team(1) }), make("small", { textContent: ` · ${game.rules}${seed}` }),
    );
    byId("place").max = this.last;
    byId("analyses").hidden = game.analyses.length === 0;
    byId("deals").replaceChildren(...game.deals.map(({ start }, number) => make("button", {
      type: "button", textContent: `Deal ${number + 1}`, onclick: () => this.go(start),
    })));
  }

  show() {
    const { game, moment } = this;
    const deal = this.dealOf(moment);
    this.drawing.show(game.films[this.view], moment);
    this.drawing.mark(game.actions[moment], game.seats[moment]);
    this.lookAtMarked();
    byId("now").replaceChildren(...this.told(deal));
    byId("place").value = moment;
    byId("place").setAttribute("aria-valuetext", byId("now").textContent);
    if (deal !== this.deal || game !== this.listed) this.fillList(deal);
    this.showRow();
    this.showAnalyses(deal);
    this.toAddress();
  }

  told(deal) {
    const { game, moment } = this;
    const { start, out, score } = game.deals[deal];
    const place = `Deal ${deal + 1} of ${game.deals.length}, `;
    if (game.actions[moment] === null) {
      const end = moment === this.last ? `; the game ends ${game.score[0]} to ${game.score[1]}` : "";
      return [place, make("b", { textContent: `the end: ${out === null ? "nobody" : this.who(out)} went out, ${score[0]} to ${score[1]}${end}` })];
    }
    const seat = game.seats[moment];
    return [`${place}decision ${moment - start + 1} of ${this.stop(deal) - start}: `,
      make("span", { className: `team-${seat % 2}`, textContent: this.who(seat) }), ": ", make("b", { textContent: game.actions[moment] })];
  }

  /** On a narrow screen the table is wider than its box: show its middle, or the side where the marked card lies. */
  lookAtMarked() {
    const box = byId("table");
    const room = box.scrollWidth - box.clientWidth;
    if (room <= 0) return;
    const [all, marked] = ["svg", ".next"].map((what) => box.querySelector(what)?.getBoundingClientRect());
    const middle = marked ? (marked.left + marked.width / 2 - all.left) / all.width : 0.5;
    box.scrollLeft = middle < 0.22 ? 0 : middle > 0.78 ? room : room / 2;
  }

  fillList(deal) {
    const { game } = this;
    const rows = [];
    for (let moment = game.deals[deal].start; moment <= this.stop(deal); moment++) {
      const action = game.actions[moment];
      const seat = game.seats[moment];
      const first = moment === game.deals[deal].start || game.seats[moment - 1] !== seat;
      const row = make("button", { type: "button", data: { moment }, onclick: () => this.go(moment) },
        make("span", { className: "number", textContent: action === null ? "" : moment - game.deals[deal].start + 1 }),
        make("span", { className: `who team-${seat % 2}` }, make("span", { className: first ? "" : "heard", textContent: action === null ? "" : this.who(seat) })),
        make("span", { className: "action", textContent: action ?? "the end of the deal" }));
      if (this.differs(moment)) {
        row.append(make("span", { className: "heard", textContent: "a policy would have chosen otherwise" }),
          make("span", { className: "differs", title: "A policy would have chosen otherwise", textContent: "≠" }));
      }
      rows.push(make("li", { className: first && action !== null ? "first" : "" }, row));
    }
    byId("list").replaceChildren(...rows);
    [...byId("deals").children].forEach((button, number) => button.setAttribute("aria-pressed", String(number === deal)));
    [this.deal, this.listed, this.row] = [deal, game, null];
  }

  showRow() {
    this.row?.removeAttribute("aria-current");
    this.row = byId("list").children[this.moment - this.game.deals[this.deal].start].firstChild;
    this.row.setAttribute("aria-current", "step");
    const [row, list] = [this.row.getBoundingClientRect(), byId("list").getBoundingClientRect()];
    if (row.top < list.top || row.bottom > list.bottom) byId("list").scrollTop += row.top - list.top - list.height / 3;
  }

  showAnalyses(deal) {
    byId("analyses").replaceChildren(...this.game.analyses.map((analysis) => analysisBox(this, analysis, deal)));
  }
}

unpack().then((data) => {
  byId("loading").remove();
  document.querySelector("main").hidden = false;
  new Replay(data);
}).catch((error) => {
  byId("loading").remove();
  byId("alert").hidden = false;
  byId("alert").textContent = `This browser cannot show the games: ${error.message}. A current Firefox, Chrome, Edge or Safari can.`;
});
