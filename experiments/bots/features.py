"""What each feature of the expert says, in groups: the rows of docs/bots.md, and what the ablation switches off."""

from __future__ import annotations

GROUPS: dict[str, dict[str, str]] = {
    "what a take brings": {
        "take": "1: it is a take, and not a draw",
        "take_ready": "value of the cards that it makes ready to lay, in tens",
        "take_load": "value of the cards that it brings and that are not ready, in tens",
        "take_cards": "cards taken",
        "take_late": "as `take_ready`, when fewer than 8 cards are left in the stock",
    },
    "what a take leaves and may become": {
        "take_pairs": "ranks of which two or more cards of the new hand are not ready",
        "take_neighbours": "cards of the new hand, not ready, within two ranks of another in their suit",
        "take_left_pile": "cards that it leaves in the pile, in tens",
    },
    "points now or later": {
        "points": "points that a meld or lay-off earns, in tens",
        "held": "value of the cards kept that are not ready, in tens",
        "ready": "value of the cards kept that could be laid, in tens",
        "ready_late": "as `ready`, when fewer than 8 cards are left in the stock",
        "cards": "cards kept",
    },
    "what the hand may become": {
        "pairs": "pairs kept whose rank is still alive: a third card is unseen or in the pile",
        "neighbours": "cards of a suit side by side whose run can still be completed",
        "gaps": "cards of a suit with one missing between them that is still alive",
        "triples": "ranks of which three are kept",
        "joker_pair": "1: two jokers are kept",
    },
    "waiting for four at once": {
        "quad_chance": "ranks of which three are kept and the fourth is alive",
    },
    "danger: an opponent may go out": {
        "take_load_danger": "`take_load`, times the danger",
        "take_ready_danger": "`take_ready`, times the danger",
        "points_danger": "`points`, times the danger",
        "held_danger": "`held`, times the danger",
        "ready_danger": "`ready`, times the danger",
    },
    "going out": {
        "out": "1: the action goes out",
        "out_their_cards": "cards in the opponents' hands as it does",
    },
    "the partner": {
        "openings_us": "places on the table for cards that the partner is known to hold",
        "out_partner_cards": "cards in the partner's hand as one goes out",
        "discard_for_partner": "1: the discard can be laid with what the partner is known to hold",
    },
    "giving to the next player": {
        "openings_them": "places on the table for cards that opponents may hold",
        "discard_layable": "value of a discard that the next player can lay on the table, in tens",
        "discard_for_left": "1: the next player can meld the discard with cards known in the hand",
        "discard_declined": "cards close to the discard that the next player left in the pile",
    },
    "the discard and the pile": {
        "discard": "1: it is a discard",
        "discard_value": "its value, in tens",
        "discard_rank_in_pile": "cards of its rank in the pile: whoever has another can take it all",
        "discard_near_in_pile": "cards of its suit within two ranks in the pile",
        "discard_pile_depth": "how many cards lie on the deepest of these, in tens",
        "discard_takes_back": "1: one could lay it oneself with what is kept, and so take it back",
    },
    "counting cards": {
        "discard_live": "unseen cards of its rank, and half as much those of its suit within two ranks",
    },
}
"""Group to feature to what a unit of it is. The danger is 1 / (1 + cards in the shorter opponent's hand)."""
DESCRIPTIONS = {feature: text for group in GROUPS.values() for feature, text in group.items()}
