// What the reader may do: legal actions, by the cards that are chosen and the places that are pressed.
import { fits, index, isJoker, worth } from "./cards.js";
import { parsed } from "./words.js";

const sorted = (cards) => [...cards].sort((a, b) => index(a) - index(b)).join(" ");

export class Legal {
  constructor(view) {
    this.view = view;
    this.actions = view.legal;
    this.melds = this.actions.filter((action) => action.startsWith("meld "));
    this.layoffs = this.actions.filter((action) => action.startsWith("layoff "));
  }

  get draw() {
    return this.actions.find((action) => action === "draw" || action === "pass");
  }

  has(action) {
    return this.actions.includes(action) ? action : undefined;
  }

  /** Taking the card at a place of the pile, with all above it. */
  take(place) {
    const pile = this.view.pile.map(([card]) => card);
    const card = pile[place];
    return this.has(`take ${card}${isJoker(card) ? pile.slice(place).filter(isJoker).length : ""}`);
  }

  discard(cards) {
    return cards.length === 1 ? this.has(`discard ${cards[0]}`) : undefined;
  }

  meld(cards) {
    const wanted = sorted(cards);
    return this.melds.find((action) => sorted(parsed(action).cards) === wanted);
  }

  /** Laying a card off, where it fits one kind of meld only. */
  layoff(cards) {
    const found = cards.length === 1 ? this.layoffs.filter((action) => parsed(action).cards[0] === cards[0]) : [];
    return found.length === 1 ? found[0] : undefined;
  }

  /** The lay-offs that a meld accepts: of the one card that is chosen, or of any card when none is. */
  onto(meld, cards) {
    if (cards.length > 1) return [];
    return this.layoffs.filter((action) => {
      const { cards: [card], kind } = parsed(action);
      return kind === meld.kind && fits(card, meld) && (!cards.length || card === cards[0]);
    });
  }

  /** Melds and lay-offs worth pointing out: no meld that is part of another. The most points come first. */
  get offers() {
    const melds = this.melds.map((action) => ({ action, cards: parsed(action).cards }));
    const partOf = (small, large) => small.cards.length < large.cards.length && small.cards.every((card) => large.cards.includes(card))
      && small.cards.filter(isJoker).length <= large.cards.filter(isJoker).length;
    const whole = melds.filter((small) => !melds.some((large) => partOf(small, large)));
    const layoffs = this.layoffs.map((action) => ({ action, cards: parsed(action).cards }));
    const offers = [...whole, ...layoffs].map((offer) => ({ ...offer, points: this.points(offer.cards) }));
    return offers.sort((a, b) => b.points - a.points);
  }

  /** What cards count when they are laid at once: a set of four counts double, where the rules say so. */
  points(cards) {
    const four = cards.length === 4 && new Set(cards.map((card) => (isJoker(card) ? card : card[0]))).size === 1;
    const double = four && (this.view.rules.quad_bonus === "any" || cards[0][0] === "J" && !isJoker(cards[0]));
    return worth(cards) * (double ? 2 : 1);
  }
}
