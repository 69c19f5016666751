"""The features of the expert in groups with their units, for docs/bots.md and for the ablation."""

from __future__ import annotations

GROUPS: dict[str, dict[str, str]] = {
    "what a take brings": {
        "take": "1: it is a take, and not a draw",
        "take_load": "value of the cards that it brings and that are not ready, in tens",
        "take_cards": "cards taken",
        "take_late": "value of the cards that it makes ready to lay, in tens, with fewer than 8 cards in the stock",
    },
    "what a take leaves and may become": {
        "take_pairs": "ranks of which two or more cards of the new hand are not ready",
    },
    "points now or later": {
        "held": "value of the cards kept that are not ready, in tens",
        "ready": "value of the cards kept that could be laid, in tens",
        "ready_late": "as `ready`, when fewer than 8 cards are left in the stock",
        "cards": "cards kept",
    },
    "what the hand may become": {
        "joker_pair": "1: two jokers are kept",
    },
    "waiting for four at once": {
        "quad_chance": "ranks of which three are kept and the fourth is alive",
    },
    "danger: an opponent may go out": {
        "take_ready_danger": "value of the cards that it makes ready to lay, in tens, times the danger",
        "points_danger": "points that a meld or lay-off earns, in tens, times the danger",
    },
    "going out": {
        "out": "1: the action goes out",
    },
    "the partner": {
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
        "discard_takes_back": "1: one could lay it oneself with what is kept, and so take it back",
    },
    "counting cards": {
        "discard_live": "unseen cards of its rank, and half as much those of its suit within two ranks",
    },
}
"""The unit of each feature, by group. The danger is 1 / (1 + cards in the shorter opponent's hand)."""
DESCRIPTIONS = {feature: text for group in GROUPS.values() for feature, text in group.items()}
