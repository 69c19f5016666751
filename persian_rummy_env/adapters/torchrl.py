"""TorchRL: the AEC environment in ``PettingZooWrapper``, and the vector environment as a batched ``EnvBase``."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase  # pyright: ignore[reportMissingImports]
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded  # pyright: ignore[reportMissingImports]
from torchrl.envs import EnvBase  # pyright: ignore[reportMissingImports]
from torchrl.envs.libs.pettingzoo import PettingZooWrapper  # pyright: ignore[reportMissingImports]

from ..actions import NUM_ACTIONS
from ..envs.aec import env
from ..envs.aec_raw import AGENTS, TEAMS
from ..envs.options import AECOptions, VectorOptions
from ..envs.vector import PersianRummyVecEnv, StepResult
from ..observation import HIGH, SIZE
from ..rules import NUM_SEATS

TEAM_GROUPS = {f"team_{team}": list(agents) for team, agents in enumerate(TEAMS)}
"""One group per team: its two seats share a network and are stacked in the dimension before the last."""
ONE_GROUP = {"seats": list(AGENTS)}
"""One group of all four seats, for self-play with one network."""


def torchrl_env(group_map: dict[str, list[str]] | None = None, **options: Unpack[AECOptions]) -> PettingZooWrapper:
    """The game as a TorchRL environment.

    Per group: ``observation.observation``, (agents, 1020) float32; ``action_mask``, (agents, 547) bool, all True for a
    seat that is not to move; ``mask``, (agents,) bool, True for the seat to move. A reward is that of the single step.
    A learner has to drop the rows with ``mask`` False and add their rewards to the seat's decision before them
    (``torchrl_returns.seat_returns``). Generalised advantages over the time axis are wrong here.

    Args:
        group_map: ``TEAM_GROUPS`` (default), ``ONE_GROUP`` or another.
        options: options of ``persian_rummy_env.env``.
    """
    groups = TEAM_GROUPS if group_map is None else group_map
    # The masks are in the observations. use_mask adds the seat to move, which the wrapper needs for turn-based games.
    return PettingZooWrapper(env=env(**options), use_mask=True, group_map=groups, return_state=False)


class PersianRummyTorchRL(EnvBase):
    """``num_envs`` games in one compiled call; batch size ``[num_envs]``, one row per game: its seat to move.

    Each row belongs to the seat to move, so one network plays all seats and computes nothing for waiting seats. Rewards
    of a seat are in the rows of other seats; ``torchrl_returns.SeatGAE`` collects them for each seat.

    After a reset and after a step: ``observation``, (n, 1020) float32 in [0, 1]; ``action_mask``, (n, 547) bool;
    ``seat``, (n, 1) int64 in 0..3, the seat of the observation. After a step also ``reward``, (n, 4) float32 by
    absolute seat, and ``done``, ``terminated``, ``truncated``, (n, 1) bool. ``action``, (n,) int64, must be legal. In
    the last row of an episode the mask is all False; its observation is that of the seat that moved last or, if
    ``max_decisions`` cut the episode, of the seat to move next. TorchRL then resets only these games.

    Args:
        num_envs: number of games, at least 1.
        raw: True: ``observation`` is the engine's bytes, (n, 1020) uint8, a quarter of the memory; divide by
            ``observation.HIGH`` for learning.
        device: device of the returned tensors; the games are played on the CPU.
        options: options of ``PersianRummyVecEnv``, except ``autoreset_mode`` and ``copy``.

    Raises:
        ValueError, TypeError: an option with an invalid value, or an illegal action.
    """

    batch_locked = True

    def __init__(
        self, num_envs: int, *, raw: bool = False, device: torch.device | str = "cpu", **options: Unpack[VectorOptions]
    ) -> None:
        for owned in ("autoreset_mode", "copy"):
            if owned in options:
                raise TypeError(
                    f"{owned}={dict(options)[owned]!r}: TorchRL resets and keeps tensors itself, leave it out"
                )
        self.sub_envs = PersianRummyVecEnv(num_envs, autoreset_mode="DISABLED", **options)
        self._next_seed: int | None = None
        super().__init__(device=device, batch_size=[self.sub_envs.num_envs])
        self.raw = bool(raw)
        high = torch.from_numpy(HIGH.copy())
        self._high = high.to(torch.float32)
        rows = self.sub_envs.num_envs
        dtype, top = (torch.uint8, high) if self.raw else (torch.float32, torch.ones(SIZE))
        seen = {
            "observation": Bounded(torch.zeros(SIZE, dtype=dtype), top, (SIZE,), dtype=dtype),
            "action_mask": Binary(NUM_ACTIONS, dtype=torch.bool),
            "seat": Bounded(0, NUM_SEATS - 1, (1,), dtype=torch.int64),
        }
        flags = {name: Binary(1, dtype=torch.bool) for name in ("done", "terminated", "truncated")}
        self.observation_spec = Composite(seen).expand(rows).to(self.device)
        self.action_spec = Categorical(NUM_ACTIONS).expand(rows).to(self.device)
        self.reward_spec = Unbounded((rows, NUM_SEATS), dtype=torch.float32).to(self.device)
        self.done_spec = Composite(flags).expand(rows).to(self.device)

    def _set_seed(self, seed: int | None) -> None:
        self._next_seed = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **_options: Any) -> TensorDict:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        options = None if chosen is None else {"reset_mask": chosen.reshape(-1).cpu().numpy()}
        seed, self._next_seed = self._next_seed, None
        return TensorDict(self._seen(self.sub_envs.reset(seed, options)), self.batch_size, device=self.device)

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        batch = self.sub_envs.step(tensordict["action"].cpu().numpy())
        ends = {"terminated": batch.terminated, "truncated": batch.truncated}
        flags = {name: torch.from_numpy(flag).unsqueeze(-1) for name, flag in ends.items()}
        flags["done"] = flags["terminated"] | flags["truncated"]
        outcome = {"reward": torch.from_numpy(batch.reward), **flags}
        return TensorDict({**self._seen(batch), **outcome}, self.batch_size, device=self.device)

    def _seen(self, batch: StepResult) -> dict[str, torch.Tensor]:
        # A game that is over has no seat to move; its observation is that of the seat in its state.
        seat = self.sub_envs.last_seat if (batch.seat < 0).any() else batch.seat
        observation = torch.from_numpy(batch.observation)
        if not self.raw:
            observation = observation.to(torch.float32).div_(self._high)
        return {
            "observation": observation,
            "action_mask": torch.from_numpy(batch.action_mask).view(torch.bool),
            "seat": torch.from_numpy(seat.astype(np.int64)).unsqueeze(-1),
        }

    def rand_action(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        """Set ``action`` to uniform legal actions of the current games, from their own sampling streams."""
        given = TensorDict({}, self.batch_size, device=self.device) if tensordict is None else tensordict
        return given.set("action", torch.from_numpy(self.sub_envs.sample_actions()).to(self.device))

    def close(self, **options: Any) -> None:
        super().close(**options)
        self.sub_envs.close()
