"""Decisions of the player's own play, and what a teacher would choose there.

The network plays, and the teacher says at each decision what it would do; so the network learns what to do where its
own play leads, not where the teacher's would (DAgger, Ross and others 2011).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from agents.inputs import inputs_on
from agents.network import Actor
from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.bots import BOTS, bot_codes
from persian_rummy_env.core.bot_kernels import choose_many
from persian_rummy_env.core.masks import first_legal
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import Policy
from persian_rummy_env.players.policy_io import answer_of, views_of

from ..algorithms.pool import assign_opponents, bot_numbers, codes_of
from ..config.base import RunConfig
from .columns import join

EPSILON = 0.05
"""Share of random decisions in the play that is labelled, so that it also reaches states that the network avoids."""
MIXING_STEPS = 256
"""Random steps before the first decision, after which the games stand anywhere between the first draw and the last."""


@dataclass(frozen=True)
class Labels:
    """n decisions: ``view`` (n, SIZE) uint8, what the seat to move sees; ``legal`` (n, 9) uint64, packed masks;
    ``action`` (n,) int64, what the teacher would do."""

    view: np.ndarray
    legal: np.ndarray
    action: np.ndarray

    def __len__(self) -> int:
        return len(self.action)


Teacher = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From decisions as the seat to move knows them, (k,) STATE, and their packed masks (k, 9): actions (k,) int64."""


def teacher_of(name: str) -> Teacher:
    """A bot, or any policy by its name."""
    return by_bot(name) if name in BOTS else by_policy(_loaded(name))


def by_bot(name: str) -> Teacher:
    codes = bot_codes(name)

    def choose(views: np.ndarray, legal: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), dtype=np.int64)
        choose_many(views, legal, np.tile(codes, (len(views), 1)), actions, 0, len(views))
        return actions

    return choose


def by_policy(policy: Policy) -> Teacher:
    """A policy is handed what it is in a match."""

    def choose(views: np.ndarray, _: np.ndarray) -> np.ndarray:
        return answer_of(policy, views, np.arange(len(views)))

    return choose


_loaded = cache(load)


class LabelCollector:
    """Tables where the network plays on without end, and the teacher is asked as decisions come up.

    Args:
        part: its number; with the seed it sets the streams of deals and of everything else.
        lanes: deals at once. A share of them is played against bots, as the settings say.
        epsilon: of the decisions, at random.
    """

    def __init__(self, config: RunConfig, part: int, lanes: int, device: Any, epsilon: float) -> None:
        self.device = device
        self.masked = config.masked_bytes
        self.epsilon = epsilon
        deals, draws = np.random.SeedSequence([config.seed, part, 0x1ABE1]).spawn(2)
        self.rng = np.random.default_rng(draws)
        self.codes = codes_of(assign_opponents(lanes, [(config.bots.share, bot_numbers(config.bots.names))]))
        self.env = PersianRummyVecEnv(lanes, config.rule_set, episode="deal", threads=1, copy=False)
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

    def collect(self, actor: Actor, batch_size: int, teacher: Teacher) -> Labels:
        """Play until the teacher has spoken to at least ``wanted`` decisions; ``decisions`` and ``deals`` count what
        was played."""
        kept: list[Labels] = []
        self.decisions = self.deals = count = 0
        while count < batch_size:
            legal = self.env.packed_mask
            actions = first_legal(legal)
            lanes = np.flatnonzero(np.bitwise_count(legal).sum(axis=1) > 1)
            view, masks = self.now.observation[lanes], legal[lanes]
            view[:, self.masked] = 0
            games = self.env.get_state()
            views = views_of(games, lanes, games["seat"][lanes])
            kept.append(Labels(view, masks, teacher(views, masks)))
            count += len(lanes)
            inputs = inputs_on(self.device, view, masks, sparse=actor.sparse)
            chosen, _ = actor.choose(inputs, self.rng.random(len(lanes)))
            random = self.rng.random(len(lanes)) < self.epsilon
            actions[lanes] = np.where(random, self.env.sample_actions(self.rng)[lanes], chosen)
            actions = self.env.bot_actions(self.codes, actions)
            self.now = self.env.step(actions)
            self.decisions += len(actions)
            self.deals += int(self.now.terminated.sum())
        return join(kept)
