"""Playing whole deals with the policy that learns, and keeping what is learnt from.

All lanes start a deal together and play it to its end. So every return is complete, and every decision of a batch was
drawn from the very weights that are about to change: nothing is cut off and bootstrapped, and ratios begin at 1.
Decisions with a single legal action are played and not kept.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numba import njit

from agents.network import Actor, Critic, rows_on
from agents.rows import SIZE, VIEW_SIZE
from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.core.batch import MARGIN_SCALE
from persian_rummy_env.core.intrinsics import lowest
from persian_rummy_env.rules import NUM_SEATS

from .config import Config
from .gae import advantages
from .symmetry import BACK, NUM_ORDERS, reorder

CHUNK = 2048
"""Rows that the critic values at once."""


@dataclass
class Rollout:
    """n decisions of whole deals, in the order of time within each collector's part.

    Attributes:
        view: (n, VIEW_SIZE) uint8, what the seat to move sees, then the hands that it does not.
        legal: (n, 9) uint64, packed masks.
        action: (n,) int64; log_p: (n,) float32, as it was drawn.
        lane, seat, time: (n,) int64, the deal, the absolute seat, and the step.
        value, advantage: (n,) float32, in units of the reward.
        margin: (deals,) float64, team 0's points less team 1's.
        out: (deals,) bool, somebody went out.
        length: (deals,) int64, decisions, forced ones included.
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

    def __len__(self) -> int:
        return len(self.action)

    @classmethod
    def join(cls, parts: list[Rollout]) -> Rollout:
        """The parts of several collectors as one; lanes are numbered on."""
        first = np.cumsum([0] + [len(part.margin) for part in parts])
        for part, offset in zip(parts, first[:-1], strict=True):
            part.lane = part.lane + offset
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)))


@njit(cache=True, nogil=True)
def show_hands(hand, seat, view, first):
    """Write the other three hands, from the left of ``seat``, into the columns of ``view`` from ``first`` on.

    Args:
        hand: (k, 4) uint64 by absolute seat; ``seat``: (k,) integers.
        view: (k, first + 3 * 56) uint8.
    """
    for r in range(len(seat)):
        view[r, first:] = 0
        for other in range(1, 4):
            bits = hand[r, (seat[r] + other) % 4]
            start = first + 56 * (other - 1)
            while bits != 0:
                view[r, start + lowest(bits)] = 1
                bits &= bits - np.uint64(1)


class Collector:
    """A part of the tables, with generators of its own.

    Args:
        part: its number; with the seed it sets the streams of deals and of draws.
        lanes: deals at once.
    """

    def __init__(self, config: Config, part: int, lanes: int, device: torch.device) -> None:
        self.lanes = lanes
        self.points = config.points
        self.gae_lambda = config.gae_lambda
        self.partners_differ = config.suits == "partners"
        self.device = device
        self.bf16 = config.precision == "bf16"
        deals, draws = np.random.SeedSequence([config.seed, part]).spawn(2)
        self.rng = np.random.default_rng(draws)
        self.env = PersianRummyVecEnv(
            lanes,
            config.rules,
            episode="deal",
            autoreset_mode="DISABLED",
            threads=1 if device.type == "cpu" else config.threads,
            copy=False,
        )
        self.env.reset(seed=deals.generate_state(lanes, np.uint64))

    def state(self) -> tuple[np.ndarray, dict[str, Any]]:
        """The games with their generators, and the stream of draws."""
        return self.env.get_state(), dict(self.rng.bit_generator.state)

    def restore(self, games: np.ndarray, rng: dict[str, Any]) -> None:
        self.env.set_state(games)
        self.rng.bit_generator.state = rng

    def collect(self, actor: Actor, critic: Critic) -> Rollout:
        """Play a deal in every lane."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            kept, earned = self._play(actor)
            view, legal, action, log_p, lane, seat, time = (
                np.concatenate(column) for column in zip(*kept, strict=True)
            )
            value = self._values(critic, view, legal)
        advantage = advantages(lane, seat, time, value, earned / self.points, self.gae_lambda)
        final = self.env.get_state()
        return Rollout(
            view, legal, action, log_p, lane, seat, time, value, advantage,
            margin=earned[-1], out=final["out"] < NUM_SEATS, length=final["decisions"].astype(np.int64),
        )  # fmt: skip

    def _play(self, actor: Actor) -> tuple[list[tuple[np.ndarray, ...]], np.ndarray]:
        """What is kept of each step, and what team 0 had earned before each and at the end, in points."""
        now = self.env.reset()
        order = self._orders()
        kept, earned = [], [np.zeros(self.lanes)]
        while (now.seat >= 0).any():
            legal = self.env.packed_mask
            actions = first_legal(legal)
            lanes = np.flatnonzero(np.bitwise_count(legal).sum(axis=1) > 1)
            if len(lanes):
                seat = now.seat[lanes].astype(np.int64)
                view = np.empty((len(lanes), VIEW_SIZE), dtype=np.uint8)
                view[:, :SIZE] = now.observation[lanes]
                show_hands(self.env.get_state()["hand"][lanes], seat, view, SIZE)
                choices = legal[lanes]
                if order is not None:
                    view, choices = reorder(view, choices, order[lanes, seat])
                chosen, log_p = actor.choose(rows_on(self.device, view[:, :SIZE], choices), self.rng.random(len(lanes)))
                actions[lanes] = chosen if order is None else BACK[order[lanes, seat], chosen]
                time = np.full(len(lanes), len(earned) - 1)
                kept.append((view, choices, chosen, log_p, lanes, seat, time))
            now = self.env.step(actions)
            earned.append(earned[-1] + np.rint(now.reward[:, 0] * MARGIN_SCALE))
        return kept, np.stack(earned)

    def _orders(self) -> np.ndarray | None:
        """The order in which each seat of each lane sees the suits in this deal."""
        return self.rng.integers(NUM_ORDERS, size=(self.lanes, NUM_SEATS)) if self.partners_differ else None

    @torch.no_grad()
    def _values(self, critic: Critic, view: np.ndarray, legal: np.ndarray) -> np.ndarray:
        chunks = [slice(start, start + CHUNK) for start in range(0, len(view), CHUNK)]
        return np.concatenate(
            [critic(rows_on(self.device, view[chunk], legal[chunk])).cpu().numpy() for chunk in chunks]
        )


@njit(cache=True, nogil=True)
def first_legal(legal):
    """The first legal action of each row of packed masks; 0 where nothing is legal."""
    actions = np.zeros(len(legal), dtype=np.int64)
    for r in range(len(legal)):
        for word in range(legal.shape[1]):
            if legal[r, word] != 0:
                actions[r] = 64 * word + lowest(legal[r, word])
                break
    return actions
