"""Labels for behaviour cloning: decisions of the learner's own play, and what a teacher would choose there.

The states are those where the learner's play leads, not the teacher's (DAgger, Ross and others 2011).
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
"""Share of random decisions in the play that is labelled. They reach states that the network avoids."""
MIXING_STEPS = 256
"""Random steps before the first label. After them the games are at all stages of a deal."""


@dataclass(frozen=True)
class Labels:
    """n labelled decisions.

    Attributes:
        view: (n, SIZE) uint8, the observations.
        legal: (n, 9) uint64, packed masks.
        action: (n,) int64, the teacher's actions.
    """

    view: np.ndarray
    legal: np.ndarray
    action: np.ndarray

    def __len__(self) -> int:
        return len(self.action)


Teacher = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From games without their hidden cards (k,) STATE and their packed masks (k, 9) uint64: actions (k,) int64."""


def teacher_of(name: str) -> Teacher:
    """The teacher of a name: a bot or any policy.

    Raises:
        ValueError, FileNotFoundError: there is no such policy.
    """
    return by_bot(name) if name in BOTS else by_policy(_loaded(name))


def by_bot(name: str) -> Teacher:
    """A teacher that is a scripted bot, inside the compiled loop."""
    codes = bot_codes(name)

    def choose(views: np.ndarray, legal: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), dtype=np.int64)
        choose_many(views, legal, np.tile(codes, (len(views), 1)), actions, 0, len(views))
        return actions

    return choose


def by_policy(policy: Policy) -> Teacher:
    """A teacher that is a policy; it reads the same as in a match."""

    def choose(views: np.ndarray, _: np.ndarray) -> np.ndarray:
        return answer_of(policy, views, np.arange(len(views)))

    return choose


_loaded = cache(load)


class LabelCollector:
    """Plays deals with the network and lets the teacher label its decisions. The games continue between calls.

    Args:
        config: the settings of the run.
        part: number of the collector; with the seed it sets the streams of deals and draws.
        lanes: deals that are played at once; ``bots.share`` of them against bots.
        device: device of the network.
        epsilon: share of random decisions.

    Attributes:
        decisions, deals: played by the last ``collect``.
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
        """Games (lanes,) STATE with their generators, and the state of the stream of draws."""
        return self.env.get_state(), dict(self.rng.bit_generator.state)

    def restore(self, games: np.ndarray, rng: dict[str, Any]) -> None:
        self.now = self.env.set_state(games)
        self.rng.bit_generator.state = rng

    def collect(self, actor: Actor, batch_size: int, teacher: Teacher) -> Labels:
        """Play until the teacher has labelled at least ``batch_size`` decisions."""
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
