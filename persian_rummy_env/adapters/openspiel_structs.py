"""OpenSpiel: states, observations and actions as JSON, in the words of ``persian_rummy_env.text``.

OpenSpiel calls these methods for ``to_struct``, ``to_observation_struct``, ``action_to_struct`` and
``struct_to_actions``, and so for ``to_json``, ``to_dict``, ``validate_action_struct`` and ``apply_action_struct``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arrays import shown
from ..cards import CARD_NAMES
from ..text import STANDARD, names_of, parse, to_json
from ..text.situation import SEATS, TEAMS, TURNED_UP

MOVE, CARD, DEALER = "move", "card", "dealer"
"""The key of an action: what a player plays, the card that chance chooses, or the dealer that it chooses."""
_PLAYERS: dict[str, int] = {name: player for player, name in enumerate(SEATS)}
"""The player of each name of a seat in what player 0 knows."""


class Structs:
    """The part of ``PersianRummyState`` that writes and reads JSON."""

    def _to_struct(self: Any) -> dict[str, Any]:
        """The state with all hands. Lists of four are by player, lists of two by team (players 0 and 2 first).

        The stock is sorted: a state holds no order of it.
        """
        known = to_json(self.record, 0)
        out = known["last_deal_out"]
        return {
            "current_player": int(self.current_player()),
            **{name: known[name] for name in ("rules", "deal", "deals", "phase", "owed", "passes")},
            "dealer": int(self.record["dealer"][0]) if self._dealt >= 0 else None,
            **{name: [known[name][team] for team in TEAMS] for name in ("score", "points")},
            "last_deal_out": None if out is None else _PLAYERS[out],
            "hands": [STANDARD.names(int(hand)) for hand in self.record["hand"][0]],
            "stock": [CARD_NAMES[card] for card in self.left_to_deal()],
            **{name: [known[name][seat] for seat in SEATS] for name in ("known", "declined")},
            "pile": [
                {"card": one["card"], "by": None if one["by"] == TURNED_UP else _PLAYERS[one["by"]]}
                for one in known["pile"]
            ],
            "melds": [{**meld, "by": [_PLAYERS[seat] for seat in meld["by"]]} for meld in known["melds"]],
        }

    def _to_observation_struct(self: Any, player: int) -> dict[str, Any]:
        """What a player knows: the object of ``text.to_json``, with two keys more."""
        known = to_json(self.record, player, _history(self))
        return {**known, "observing_player": player, "current_player": int(self.current_player())}

    def _action_to_struct(self: Any, player: int, action: int) -> dict[str, Any]:
        """``{"move": "meld 7S 8S 9S"}``; at a chance node ``{"card": "7S"}`` or ``{"dealer": 2}``."""
        if player >= 0:
            return {MOVE: names_of([action])}
        return {CARD: CARD_NAMES[action]} if self._dealt >= 0 else {DEALER: action}

    def _struct_to_actions(self: Any, struct: Mapping[str, Any]) -> list[int]:
        """The actions that a struct means; a move may be several of one turn, as in ``text.parse``.

        Raises:
            ValueError: no such action, or an illegal one; the message says which.
        """
        key = MOVE if not self.is_chance_node() else CARD if self._dealt >= 0 else DEALER
        if list(struct) != [key]:
            raise ValueError(f"action {shown(dict(struct))}: expected one key, {key!r}, in this state")
        if key == MOVE:
            return parse(struct[MOVE], self.record, self.current_player())
        outcomes = {self._action_to_struct(-1, action)[key]: action for action, _ in self.chance_outcomes()}
        if struct[key] not in outcomes:
            raise ValueError(f"{key} {shown(struct[key])}: expected one of {', '.join(map(str, outcomes))}")
        return [outcomes[struct[key]]]


def _history(state: Any) -> list[tuple[int, int, int]]:
    """The players' actions as (deal, player, action). Two chance nodes in a row are dealt cards: a deal begins."""
    played, deal, chances = [], state.first_deal, 0
    for one in state.full_history():
        if one.player >= 0:
            played.append((deal, one.player, one.action))
            chances = 0
        else:
            chances += 1
            deal += chances == 2
    return played
