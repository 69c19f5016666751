/** The drawing: what differs from the one before is put in its place. */
class Drawing {
  constructor(data) {
    this.data = data;
    this.shown = {};
    byId("table").innerHTML = data.frame;
    this.groups = Object.fromEntries([...byId("table").querySelectorAll("[data-part]")].map((group) => [group.dataset.part, group]));
  }

  markup(content) {
    const { pieces, cards, cardMark, contents } = this.data;
    const kinds = cards.length;
    return contents[content].map((code) => pieces[Math.floor(code / kinds)].replaceAll(cardMark, cards[code % kinds])).join("");
  }

  show(film, moment) {
    for (const [part, [moments, contents]] of Object.entries(film)) {
      const content = contents[lastAt(moments, moment)];
      if (this.shown[part] !== content) {
        this.groups[part].innerHTML = this.markup(content);
        this.shown[part] = content;
      }
    }
  }

  /** Mark the cards that an action is about. */
  mark(action, seat) {
    for (const marked of byId("table").querySelectorAll(".next")) marked.classList.remove("next");
    if (!action) return;
    for (const card of this.meant(action.split(" "), seat)) card.classList.add("next");
  }

  meant([verb, ...words], seat) {
    const uses = (part) => [...(this.groups[part]?.querySelectorAll("use") ?? [])];
    if (verb === "draw" || verb === "pass") return uses("stock").slice(-1);
    if (verb === "take") {
      const pile = uses("pile").filter((use) => use.dataset.card);
      const name = words[0].slice(0, 2);
      const found = pile.filter((use) => use.dataset.card === name);
      const lowest = name === "JK" ? found[found.length - Number(words[0].slice(2))] : found[0];
      return lowest ? pile.slice(pile.indexOf(lowest)) : [];
    }
    const hand = uses(`hand-${seat}`);
    return words.flatMap((card) => {
      const place = hand.findIndex((use) => use.dataset.card === card);
      return place < 0 ? [] : hand.splice(place, 1);
    });
  }
}
