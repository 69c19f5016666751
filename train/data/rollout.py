"""Rollouts: whole deals played with the current policy, and the decisions that are learnt from.

All lanes start a deal together and play it to its end. Every return is complete, and the current weights drew every
decision: nothing is bootstrapped, and ratios start at 1. Decisions with one legal action are played and not kept.

Cards and draws depend only on the numbers of the deals (``deals``). A part of an update is a function of the players,
the numbers and the seating. Any process can play it, and play it again if the first one is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch

from agents.inputs import Inputs, inputs_on
from agents.network import KINDS, Actor, Critic
from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.core.batch_kernels import MARGIN_SCALE
from persian_rummy_env.core.masks import first_legal
from persian_rummy_env.players.inputs import SIZE, VIEW_SIZE, write_hidden_hands
from persian_rummy_env.rules import NUM_SEATS
from persian_rummy_env.state import OVER

from ..algorithms.pool import LEARNER, codes_of
from ..config.base import RunConfig
from ..config.ppo import Config
from ..scale.ranks import Ranks
from .columns import join
from .deals import fractions, game_seeds, orders
from .gae import advantages
from .reward import win_value
from .symmetry import BACK, reorder

CHUNK = 2048
"""Inputs of one forward pass of the critic."""
BOTH = -1
"""In place of a team: the learner has all four seats."""


@dataclass
class Rollout:
    """n decisions of whole deals, in order of time within each collector's part.

    Attributes:
        view: (n, VIEW_SIZE) uint8, the observation of the seat to move, then the three hidden hands.
        legal: (n, 9) uint64, packed masks.
        action: (n,) int64.
        log_p: (n,) float32, log-probability of the action when it was drawn.
        lane, seat, time: (n,) int64, the episode, the absolute seat and the step.
        value, advantage: (n,) float32, in units of the reward.
        margin: (episodes,) float64, team 0's points less team 1's.
        out: (episodes,) bool, somebody went out in the last deal.
        length: (episodes,) int64, decisions; forced ones and those of opponents count.
        side: (episodes,) int64, the learner's team, or ``BOTH``.
    """

    view: np.ndarray
    legal: np.ndarray
    action: np.ndarray
    log_p: np.ndarray
    lane: np.ndarray
    seat: np.ndarray
    time: np.ndarray
    value: np.ndarray
    advantage: np.ndarray
    margin: np.ndarray
    out: np.ndarray
    length: np.ndarray
    side: np.ndarray

    def __len__(self) -> int:
        return len(self.action)

    @classmethod
    def join(cls, parts: Sequence[Rollout]) -> Rollout:
        """The rollouts of several collectors as one; lanes are numbered on."""
        first = np.cumsum([0, *(len(part.margin) for part in parts)])
        return join([replace(part, lane=part.lane + offset) for part, offset in zip(parts, first, strict=False)])

    def among(self, ranks: Ranks) -> Rollout:
        """These decisions with ``margin``, ``out``, ``length`` and ``side`` of the episodes of all ranks; lanes are
        numbered on."""
        if ranks.count == 1:
            return self
        columns = {name: ranks.gather(getattr(self, name)) for name in ("margin", "out", "length", "side")}
        first = sum(len(part) for part in columns["margin"][: ranks.rank])
        joined = {name: np.concatenate(parts) for name, parts in columns.items()}
        return replace(self, lane=self.lane + first, **joined)


class Players(NamedTuple):
    """The networks that learn, and the ``copies`` of the actor that are its opponents."""

    actor: Actor
    critic: Critic
    copies: Sequence[Actor] = ()


class Job(NamedTuple):
    """A part of the play of an update.

    Attributes:
        deals: (n,) int64, numbers of its episodes in the run.
        who: (n, 4) int64, the player of each absolute seat: ``LEARNER``, an index into ``Players.copies``, or a bot
            (``algorithms.pool.bot_numbers``).
    """

    deals: np.ndarray
    who: np.ndarray


@dataclass
class Played:
    """Episodes that were played.

    Attributes:
        view, legal, action, log_p, lane, seat, time: of the n kept decisions, as in ``Rollout``.
        earned: (steps + 1, lanes) float64, team 0's margin in points before each step and at the end.
        left: (steps + 1, lanes) int64, deals that are not finished, likewise.
    """

    view: np.ndarray
    legal: np.ndarray
    action: np.ndarray
    log_p: np.ndarray
    lane: np.ndarray
    seat: np.ndarray
    time: np.ndarray
    earned: np.ndarray
    left: np.ndarray


def deals_left(games: np.ndarray) -> np.ndarray:
    """Deals that are not finished, with the current one: (n,) int64 for games (n,) STATE."""
    return np.where(games["phase"] == OVER, 0, games["deals"].astype(np.int64) - games["deal"])


class EpisodeCollector:
    """Plays whole episodes.

    Args:
        config: the settings of the run.
        episodes: played at once.
        device: device of the networks that play.
    """

    def __init__(self, config: RunConfig, episodes: int, device: torch.device) -> None:
        self.episodes = episodes
        self.seed = config.seed
        self.games = config.shape.games
        self.sparse = KINDS[config.shape.kind].sparse
        self.masked = config.masked_bytes
        self.device = device
        self.bf16 = config.precision == "bf16"
        self.env = PersianRummyVecEnv(
            episodes,
            config.rule_set,
            episode=config.episode,
            autoreset_mode="DISABLED",
            threads=1 if device.type == "cpu" else config.threads,
            copy=False,
        )

    def autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16)

    def inputs(self, view: np.ndarray, legal: np.ndarray) -> Inputs:
        """What a network reads of views (k, SIZE or VIEW_SIZE) uint8 and packed masks (k, 9) uint64."""
        return inputs_on(self.device, view, legal, self.games, self.sparse)

    def play(self, choose: Choose, job: Job, by_seat: bool = False) -> Played:
        """Play an episode in every lane.

        Args:
            choose: chooses for one player at a time; not called for bots.
            job: the episodes, one for each lane; decisions of ``LEARNER`` are kept.
            by_seat: each seat sees the suits in an order of its own.
        """
        seeds, who = game_seeds(self.seed, job.deals), job.who
        order = orders(seeds) if by_seat else None
        codes, every = codes_of(who), np.arange(self.episodes)
        now, games = self.env.reset(seed=seeds), self.env.get_state()
        kept: list[tuple[np.ndarray, ...]] = []
        earned, left = [np.zeros(self.episodes)], [deals_left(games)]
        while (now.seat >= 0).any():
            legal = self.env.packed_mask
            actions = first_legal(legal)
            asked = np.bitwise_count(legal).sum(axis=1) > 1
            if (codes >= 0).any():
                actions = self.env.bot_actions(codes, actions)
                asked &= codes[every, now.seat] < 0
            lanes = np.flatnonzero(asked)
            if len(lanes):
                seat = now.seat[lanes].astype(np.int64)
                view = np.empty((len(lanes), VIEW_SIZE), dtype=np.uint8)
                view[:, :SIZE] = now.observation[lanes]
                view[:, self.masked] = 0
                write_hidden_hands(games["hand"][lanes], seat, view)
                choices = legal[lanes]
                if order is not None:
                    view, choices = reorder(view, choices, order[lanes, seat])
                player, fraction = who[lanes, seat], fractions(seeds[lanes], len(earned) - 1)
                chosen, log_p = np.empty(len(lanes), dtype=np.int64), np.empty(len(lanes), dtype=np.float32)
                for each in np.unique(player):
                    part = np.flatnonzero(player == each)
                    chosen[part], log_p[part] = choose(int(each), view[part, :SIZE], choices[part], fraction[part])
                actions[lanes] = chosen if order is None else BACK[order[lanes, seat], chosen]
                time = np.full(len(lanes), len(earned) - 1)
                own = player == LEARNER
                kept.append(tuple(column[own] for column in (view, choices, chosen, log_p, lanes, seat, time)))
            now, games = self.env.step(actions), self.env.get_state()
            earned.append(earned[-1] + np.rint(now.reward[:, 0] * MARGIN_SCALE))
            left.append(deals_left(games))
        view, legal, action, log_p, lane, seat, time = (np.concatenate(column) for column in zip(*kept, strict=True))
        return Played(view, legal, action, log_p, lane, seat, time, np.stack(earned), np.stack(left))


Choose = Callable[[int, np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From a player, views (k, SIZE) uint8, packed masks (k, 9) uint64 and fractions (k,) float64 in [0, 1) to draw by:
actions (k,) int64 and log-probabilities (k,) float32."""


class Collector(EpisodeCollector):
    """Plays episodes for PPO: the actor against itself, against earlier copies and against bots."""

    def __init__(self, config: Config, episodes: int, device: torch.device) -> None:
        super().__init__(config, episodes, device)
        self.config = config

    def collect(self, players: Players, job: Job) -> Rollout:
        """Play an episode in every lane."""
        config, who = self.config, job.who

        def choose(
            player: int, view: np.ndarray, legal: np.ndarray, fraction: np.ndarray
        ) -> tuple[np.ndarray, np.ndarray]:
            network = players.actor if player == LEARNER else players.copies[player]
            return network.choose(self.inputs(view, legal), fraction)

        with self.autocast():
            played = self.play(choose, job, by_seat=config.suit_permutation == "per_seat")
            value = self._values(players.critic, played.view, played.legal)
        earned = played.earned / config.reward.scale
        if config.reward.kind == "win":
            earned = win_value(played.earned, played.left, config.reward.win_sd)
        lane, seat, time = played.lane, played.seat, played.time
        final = self.env.get_state()
        return Rollout(
            played.view, played.legal, played.action, played.log_p, lane, seat, time, value,
            advantages(lane, seat, time, value, earned, config.ppo.gae_lambda),
            margin=played.earned[-1], out=final["out"] < NUM_SEATS, length=final["episode_decisions"].astype(np.int64),
            side=np.where((who == LEARNER).all(axis=1), BOTH, (who[:, 0] != LEARNER).astype(np.int64)),
        )  # fmt: skip

    @torch.no_grad()
    def _values(self, critic: Critic, view: np.ndarray, legal: np.ndarray) -> np.ndarray:
        chunks = [slice(start, start + CHUNK) for start in range(0, len(view), CHUNK)]
        return np.concatenate([critic(self.inputs(view[chunk], legal[chunk])).cpu().numpy() for chunk in chunks])
