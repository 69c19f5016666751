"""Decisions of play, with what somebody says their actions are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from agents.belief import views_of
from agents.network import Actor, rows_on
from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.bots import bot_codes
from persian_rummy_env.observation import BLOCK

from .config import RunConfig
from .label_kernels import expert_labels, list_legal, search_labels
from .pool import bot_numbers, codes_of, seated
from .rollout import first_legal

STOCK_BYTE = BLOCK["stock_size"].offset
MIXING_STEPS = 256
"""Random steps before the first decision, after which tables stand anywhere between the first draw and the last."""


@dataclass(frozen=True)
class Labels:
    """n decisions, and m actions of them with values.

    Attributes:
        view: (n, SIZE) uint8, what the seat to move sees; legal: (n, 9) uint64, packed masks.
        count: (n,) int64, how many actions of each decision have values; ``action`` (m,) int16 and ``value`` (m,)
            float32 list them, one decision's after another's. A value is in points, and of mean 0 in its decision.
        worlds: (n,) int16, how many sampled worlds the values are means of; 0: they are exact.
        spread: (n,) float32, the variance of a value from world to world; 0 where a single world cannot say.
    """

    view: np.ndarray
    legal: np.ndarray
    count: np.ndarray
    action: np.ndarray
    value: np.ndarray
    worlds: np.ndarray
    spread: np.ndarray

    def __len__(self) -> int:
        return len(self.count)

    @classmethod
    def join(cls, parts: Sequence[Labels]) -> Labels:
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    @property
    def start(self) -> np.ndarray:
        """Where the actions of each decision begin in ``action`` and ``value``: (n + 1,) int64."""
        return np.concatenate([[0], np.cumsum(self.count)])

    @property
    def stock(self) -> np.ndarray:
        """The cards that were left in the stock: (n,) uint8."""
        return self.view[:, STOCK_BYTE]


Labeller = Callable[[np.ndarray, np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray, int]]
"""From views (k,) STATE and their actions, ``start`` and ``action``: values (m,), spreads (k,), and how many worlds."""


def by_search(worlds: int, near: str, plies: int, far: str) -> Labeller:
    """Values by playouts: bot ``near`` takes the first ``plies`` decisions of a playout, bot ``far`` the rest."""
    codes = [int(bot_codes(bot)[0]) for bot in (near, far)]

    def label(
        views: np.ndarray, start: np.ndarray, action: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, int]:
        value, spread = np.empty(len(action), dtype=np.float32), np.empty(len(views), dtype=np.float32)
        seeds = rng.integers(0, 2**64, size=len(views), dtype=np.uint64)
        search_labels(views, seeds, start, action, worlds, codes[0], plies, codes[1], value, spread)
        return value, spread, worlds

    return label


def by_expert(
    views: np.ndarray, start: np.ndarray, action: np.ndarray, _: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, int]:
    """Values by the weights of the bot ``expert``: exact, and cheap."""
    value = np.empty(len(action), dtype=np.float32)
    expert_labels(views, start, action, value)
    return value, np.zeros(len(views), dtype=np.float32), 0


class LabelCollector:
    """Tables where the network plays on without end, and decisions are labelled as they come up.

    Args:
        part: its number; with the seed it sets the streams of deals and of everything else.
        lanes: deals at once.
        random_share: of the decisions, at random: play also comes to where the network would not go.
    """

    def __init__(self, config: RunConfig, part: int, lanes: int, device: Any, random_share: float) -> None:
        self.device = device
        self.random_share = random_share
        deals, draws = np.random.SeedSequence([config.seed, part, 0x1ABE1]).spawn(2)
        self.rng = np.random.default_rng(draws)
        self.codes = codes_of(seated(lanes, [(config.bot_share, bot_numbers(config.bots))]))
        self.env = PersianRummyVecEnv(lanes, config.rules, episode="deal", threads=1, copy=False)
        self.now = self.env.reset(seed=deals.generate_state(lanes, np.uint64))
        for _ in range(MIXING_STEPS):
            self.now = self.env.step(self.env.sample_actions(self.rng))
        self.decisions = self.deals = 0

    def state(self) -> tuple[np.ndarray, dict[str, Any]]:
        """The games with their generators, and the stream of everything else."""
        return self.env.get_state(), dict(self.rng.bit_generator.state)

    def restore(self, games: np.ndarray, rng: dict[str, Any]) -> None:
        self.now = self.env.set_state(games)
        self.rng.bit_generator.state = rng

    def collect(self, actor: Actor, wanted: int, label: Labeller) -> Labels:
        """Play until at least ``wanted`` decisions have labels; ``decisions`` and ``deals`` count what was played."""
        kept: list[Labels] = []
        self.decisions = self.deals = found = 0
        while found < wanted:
            legal = self.env.packed_mask
            actions = first_legal(legal)
            lanes = np.flatnonzero(np.bitwise_count(legal).sum(axis=1) > 1)
            view, choices = self.now.observation[lanes], legal[lanes]
            kept.append(self._labelled(lanes, view, choices, label))
            found += len(lanes)
            chosen, _ = actor.choose(rows_on(self.device, view, choices), self.rng.random(len(lanes)))
            strays = self.rng.random(len(lanes)) < self.random_share
            actions[lanes] = np.where(strays, self.env.sample_actions(self.rng)[lanes], chosen)
            actions = self.env.bot_actions(self.codes, actions)
            self.now = self.env.step(actions)
            self.decisions += len(actions)
            self.deals += int(self.now.terminated.sum())
        return Labels.join(kept)

    def _labelled(self, lanes: np.ndarray, view: np.ndarray, legal: np.ndarray, label: Labeller) -> Labels:
        games = self.env.get_state()
        views = views_of(games, lanes, games["seat"][lanes])
        start = np.empty(len(lanes) + 1, dtype=np.int64)
        action = np.empty(int(np.bitwise_count(legal).sum()), dtype=np.int16)
        list_legal(legal, start, action)
        value, spread, worlds = label(views, start, action, self.rng)
        return Labels(view, legal, np.diff(start), action, value, np.full(len(lanes), worlds, np.int16), spread)
