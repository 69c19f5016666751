"""The value of positions by the critic of a trained policy, without torch.

The value of a position is the margin of the current deal that is expected at its end, in points of the seat's team
minus those of the other, if the policy plays all four seats from here on. Points that were laid in this deal count;
points of finished deals do not. In a game of several deals it is therefore the value of the current deal alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import flag, positive, whole_number
from ..arrays import plain, shown, whole_numbers
from ..core import belief_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..rules import NUM_SEATS, RULE_FIELDS, RuleSet
from ..state import OVER, STATE, rules_of
from ..state_check import checked_states, state_records
from .critic_file import read_critic_file
from .inputs import VIEW_SIZE, SparseInputs, write_hidden_hands
from .networks import ResidualCritic
from .policy import check_rules, unknown_name
from .policy_file import misfit
from .policy_io import show, views_of

CHUNK = 4096
"""Positions whose inputs are made at once, which bounds memory."""
WORLDS = 40
"""Sampled worlds of a position that a seat sees."""
CRITICS = {"residual": ResidualCritic}
"""By kind of network, as ``networks.NETWORKS``."""


def critic_input(games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a critic reads of games that are not over.

    Args:
        games: (k,) STATE.

    Returns:
        (k, VIEW_SIZE) uint8, the observations of the seats to move and the other three hands; and the packed masks,
        (k, 9) uint64.
    """
    decisions = show(games, np.arange(len(games)))
    view = np.empty((len(games), VIEW_SIZE), dtype=np.uint8)
    view[:, : decisions.observation.shape[1]] = decisions.observation
    write_hidden_hands(games["hand"], games["seat"], view)
    return view, decisions.legal


def margin_so_far(games: np.ndarray) -> np.ndarray:
    """Points that the team of the seat to move has laid in this deal, minus those of the other: (k,) float64."""
    points = games["points"].astype(np.float64)
    return np.where(games["seat"] % 2 == 0, 1, -1) * (points[:, 0] - points[:, 1])


class Critic:
    """The critic of a policy file.

    Args:
        policy: path of the policy file.

    Attributes:
        rules: the rules of the deals that it was fitted to; None: unknown.
        sha256: of the critic file.
        metadata: the header of the critic file.

    Raises:
        FileNotFoundError, ValueError: as ``critic_file.read_critic_file``.
    """

    def __init__(self, policy: str | Path) -> None:
        file = read_critic_file(policy)
        self.name = file.path.name
        self.rules: RuleSet | None = file.rules
        self.scale, self.sha256, self.metadata = file.scale, file.sha256, file.metadata
        shape = dict(file.shape)
        kind = shape.pop("kind")
        if kind not in CRITICS:
            raise ValueError(f"{file.path}: {unknown_name('kind of network', kind, CRITICS)}")
        try:
            self.network = CRITICS[kind](shape, file.tensors)
        except ValueError as error:
            raise misfit(file.path, file.metadata, error) from error

    def of_records(self, games: np.ndarray) -> np.ndarray:
        """Values to the team of the seat to move, from the full records, which are not checked: (k,) float64.

        Args:
            games: (k,) STATE, none of them over.
        """
        values = np.empty(len(games))
        for start in range(0, len(games), CHUNK):
            chunk = plain(games[start : start + CHUNK], STATE)
            inputs = SparseInputs.of(*critic_input(chunk), self.network.games)
            values[start : start + CHUNK] = margin_so_far(chunk) + self.scale * self.network.values(inputs)
        return values

    def value(
        self, games: np.ndarray, seat: int | np.ndarray, *, hidden: bool = False, worlds: int = WORLDS, seed: int = 0
    ) -> np.ndarray:
        """The values of positions to the team of a seat (``BasePolicy.value``)."""
        games, hidden = self._checked(state_records(games)), flag("hidden", hidden)
        seats = _seats(seat, len(games))
        worlds, seed = positive("worlds", worlds), whole_number("seed", seed, 0)
        return self._open(games, seats) if hidden else self._seen(games, seats, worlds, seed)

    def _checked(self, games: np.ndarray) -> np.ndarray:
        games = checked_states(games, len(games))
        over = games["phase"] == OVER
        if over.any():
            raise ValueError(f"games[{int(over.argmax())}] is over: expected games in which a seat is to move")
        if self.rules is not None:
            for rule in RULE_FIELDS:
                other = games[rule.state] != rule.code(getattr(self.rules, rule.name))
                if rule.name != "deals" and other.any():
                    check_rules(self, rules_of(games[int(other.argmax())]))
        return games

    def _open(self, games: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Values to the seats, from the full records."""
        return np.where((games["seat"] - seats) % 2 == 0, 1, -1) * self.of_records(games)

    def _seen(self, games: np.ndarray, seats: np.ndarray, worlds: int, seed: int) -> np.ndarray:
        """Values to the seats, from what they see. Every position gets the same streams of random numbers, so that its
        value does not depend on the positions beside it."""
        ensure_compiled("search")
        streams = np.random.default_rng(seed).integers(0, 2**64, size=worlds, dtype=np.uint64)
        values, many = np.empty(len(games)), max(1, CHUNK // worlds)
        for start in range(0, len(games), many):
            rows = np.arange(start, min(start + many, len(games)))
            sampled = np.empty((len(rows), worlds), dtype=STATE)
            views = views_of(games, rows, seats[rows])
            belief_kernels.sample_worlds(views, seats[rows], np.tile(streams, (len(rows), 1)), sampled)
            each = self._open(sampled.reshape(-1), np.repeat(seats[rows], worlds))
            values[rows] = each.reshape(len(rows), worlds).mean(axis=1)
        return values


def _seats(seat: Any, count: int) -> np.ndarray:
    expected = f"a seat 0..{NUM_SEATS - 1}, or {count} of them, one a game"
    seats = np.full(count, seat) if np.ndim(seat) == 0 else seat
    seats = whole_numbers("seat", seats, count, expected)
    if ((seats < 0) | (seats >= NUM_SEATS)).any():
        raise ValueError(f"seat={shown(seat)}: expected {expected}")
    return seats
