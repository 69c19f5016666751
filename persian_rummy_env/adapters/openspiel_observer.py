"""OpenSpiel: what a player observes of a state, as numbers or as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel  # pyright: ignore[reportMissingImports]

from ..core.observe import observe_float
from ..observation import BLOCKS, SIZE


class PersianRummyObserver:
    """OpenSpiel's observer of a player.

    With ``perfect_recall=False``: ``tensor``, (1020,) float32, the observation of the AEC environment, and ``dict``,
    its named blocks. Without private information the block ``hand`` is absent; without public information it is the
    only one. With ``perfect_recall=True`` there is a string and no tensor: all that the player has seen, in order.

    Raises:
        ValueError: any parameters, or a request for the private information of all players.
    """

    def __init__(self, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters {params!r}: expected none")
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("private_info=ALL_PLAYERS: expected SINGLE_PLAYER or NONE")
        private = iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._blocks = [
            block for block in BLOCKS if (private if block.name == "hand" else bool(iig_obs_type.public_info))
        ]
        self._recalls = iig_obs_type.perfect_recall
        if self._recalls and len(self._blocks) != len(BLOCKS):
            raise ValueError("perfect_recall=True: expected public and own private information together")
        self._raw, self._seen = np.empty(SIZE, dtype=np.uint8), np.empty(SIZE, dtype=np.float32)
        self._places = np.concatenate([np.arange(SIZE)[block.slice] for block in self._blocks] or [np.arange(0)])
        self.tensor: np.ndarray | None = None if self._recalls else np.zeros(len(self._places), dtype=np.float32)
        self.dict: dict[str, np.ndarray] = {}
        if self.tensor is not None:
            edges = np.cumsum([0] + [block.length for block in self._blocks])
            self.dict = {
                block.name: self.tensor[start : start + block.length]
                for block, start in zip(self._blocks, edges[:-1], strict=True)
            }

    def set_from(self, state: Any, player: int) -> None:
        if self.tensor is not None:
            observe_float(state.record, 0, player, self._raw, self._seen)
            self.tensor[:] = self._seen[self._places]

    def string_from(self, state: Any, player: int) -> str:
        """With perfect recall: the rules, and all that the player has seen. Else the blocks with their non-zero
        entries."""
        if self._recalls:
            rules = " ".join(map(str, state.get_game().rules.as_dict().values()))
            return f"player {player}; rules {rules}; {state.information_of(player)}"
        observe_float(state.record, 0, player, self._raw, self._seen)
        parts = []
        for block in self._blocks:
            bytes_ = self._raw[block.slice]
            places = np.flatnonzero(bytes_)
            shown = places if block.high == 1 else [f"{place}:{bytes_[place]}" for place in places]
            if len(places):
                parts.append(f"{block.name} {' '.join(map(str, shown))}")
        return "; ".join(parts)
