"""A batch of games in which one agent plays some of the seats, for the Gymnasium environments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..actions import NUM_ACTIONS
from ..arguments import is_whole
from ..arrays import shown
from ..bots import BOTS
from ..core import agent_kernels, batch_kernels
from ..core.arena_kernels import OUTSIDE as NO_BOT
from ..core.compiler.compile_on_demand import ensure_compiled
from ..observation import SIZE
from ..players.load import load
from ..players.policy import check_rules
from ..players.policy_io import decide
from ..rules import NUM_SEATS
from ..state import STATE
from .batch import GameBatch
from .options import Deals, Options


@dataclass(frozen=True)
class Lineup:
    """The players of the seats.

    Attributes:
        seat_codes: (4,) int8, by seat, counted from ``base_seat``: the code of a bot, ``AGENT``, or ``OUTSIDE - k`` for
            policy ``k``.
        skips_forced: (4,) bool, likewise: a policy that is asked only where it has a choice.
        players: the policies, which are called outside the compiled loop.
        base_seat: the agent's seat in the first episode.
        rotates: the agent moves one seat further in each episode.
    """

    seat_codes: np.ndarray
    skips_forced: np.ndarray
    players: tuple[Any, ...]
    base_seat: int
    rotates: bool

    @classmethod
    def parse(cls, seats: Any, partner: Any, opponents: Any) -> Lineup:
        """Parse the options of the environments (see ``envs.gym.PersianRummyGymEnv``).

        Raises:
            ValueError, TypeError: an option with a value that it does not take.
        """
        team, base_seat, rotates = _seats(seats)
        if team and partner is not None:
            raise ValueError(
                f"partner={shown(partner)} with seats={shown(seats)}: the agent plays both seats of its team"
            )
        players: list[Any] = []
        loaded: dict[str, Any] = {}
        opponent = _role("opponents", opponents, players, loaded)
        if team:
            mate = agent_kernels.AGENT
        else:
            mate = opponent if partner is None else _role("partner", partner, players, loaded)
        seat_codes = np.array([agent_kernels.AGENT, opponent, mate, opponent], dtype=np.int8)
        skips_forced = np.zeros(NUM_SEATS, dtype=bool)
        for index, player in enumerate(players):
            skips_forced[seat_codes == agent_kernels.OUTSIDE - index] = bool(getattr(player, "skips_forced", False))
        return cls(seat_codes, skips_forced, tuple(players), base_seat, rotates)


def _seats(seats: Any) -> tuple[bool, int, bool]:
    """(plays both seats of a team, the first seat, rotates)."""
    if isinstance(seats, str) and seats in ("rotate", "team"):
        return seats == "team", 0, True
    if _is_seat(seats):
        return False, int(seats), False
    several = seats.ndim == 1 if isinstance(seats, np.ndarray) else isinstance(seats, Sequence)
    listed = list(seats) if several and not isinstance(seats, str | bytes) else []
    if all(map(_is_seat, listed)) and sorted(map(int, listed)) in ([0, 2], [1, 3]):
        return True, int(min(listed)), False
    raise ValueError(f"seats={shown(seats)}: expected a seat 0..3, a team (0, 2) or (1, 3), 'rotate' or 'team'")


def _is_seat(seat: Any) -> bool:
    return is_whole(seat) and 0 <= seat < NUM_SEATS


def _role(name: str, player: Any, players: list[Any], loaded: dict[str, Any]) -> int:
    expected = "expected the name of a policy, or a policy with act(batch)"
    if isinstance(player, str):
        if player not in loaded:
            loaded[player] = _loaded(name, player)
        player = loaded[player]
    if isinstance(player, type):
        raise TypeError(f"{name}={shown(player)}: a class; {expected}, an object of it")
    code = getattr(player, "code", NO_BOT)
    if not is_whole(code) or (code != NO_BOT and code not in BOTS.values()):
        raise ValueError(f"{name}={shown(player)}: its code is {shown(code)}; expected one of {BOTS}, or {NO_BOT}")
    if code != NO_BOT:
        return int(code)
    if not callable(getattr(player, "act", None)):
        raise TypeError(f"{name}={shown(player)}: {expected}")
    if not any(player is known for known in players):
        players.append(player)
    return agent_kernels.OUTSIDE - next(index for index, known in enumerate(players) if known is player)


def _loaded(name: str, spec: str) -> Any:
    try:
        return load(spec)
    except (ValueError, FileNotFoundError) as error:
        raise type(error)(f"{name}={shown(spec)}: {error}") from error


class AgentBatch:
    """``num_envs`` games in which an agent plays some seats of ``lineup``.

    Attributes:
        games: (n,) STATE; legal: (n, 9) uint64, the agent's legal actions, packed.
        observation: (n, 1020) float32, or uint8 if ``as_float`` is False; action_mask: (n, 547) int8.
        seat: (n,) int8, the agent's seat to move, else the seat of its last decision.
        reward: (n,) float64; terminated, truncated, done: (n,) bool.
        skipped: (n,) int64, episodes of this step that ended before the agent's first decision.
        final: (n,) STATE, final_seat: (n,) int8, for the sub-environments that are ``done`` and were reset at once.
    """

    def __init__(self, num_envs: int, options: Options, lineup: Lineup, autoreset: int, as_float: bool) -> None:
        for player in lineup.players:
            check_rules(player, options.rules)
        ensure_compiled("game engine")
        ensure_compiled("scripted players")
        ensure_compiled("games of an agent")
        self.num_envs, self.options, self.lineup, self.autoreset, self.as_float = (
            num_envs,
            options,
            lineup,
            autoreset,
            as_float,
        )
        self._batch = GameBatch(num_envs, options, batch_kernels.DISABLED)
        self.guard = self._batch.guard
        self.games, self.legal = self._batch.games, self._batch.legal
        self.base_seat = np.full(num_envs, lineup.base_seat, dtype=np.int8)
        self.no_decision_yet, self.agent_acted, self.forfeited = (np.zeros(num_envs, dtype=bool) for _ in range(3))
        self.credited = np.zeros(num_envs, dtype=np.int64)
        self.final, self.final_seat = np.zeros(num_envs, dtype=STATE), np.zeros(num_envs, dtype=np.int8)
        self.allocate_output()
        self.guard.whole = None

    @property
    def started(self) -> bool:
        return self._batch.started

    def allocate_output(self) -> None:
        """Allocate new output arrays; arrays that were returned before are not changed. A ``MemoryError`` changes
        nothing."""
        num_envs = self.num_envs
        raw = np.empty((num_envs, SIZE), dtype=np.uint8)
        as_float = np.empty((num_envs if self.as_float else 0, SIZE), dtype=np.float32)
        action_mask = np.empty((num_envs, NUM_ACTIONS), dtype=np.int8)
        seat = self.seat.copy() if hasattr(self, "seat") else np.zeros(num_envs, dtype=np.int8)
        reward, skipped = np.zeros(num_envs), np.zeros(num_envs, dtype=np.int64)
        flags = tuple(np.zeros(num_envs, dtype=bool) for _ in range(3))
        self.guard.whole = False
        self.raw, self.float, self.action_mask, self.seat = raw, as_float, action_mask, seat
        self.reward, self.skipped = reward, skipped
        self.terminated, self.truncated, self.done = flags

    @property
    def observation(self) -> np.ndarray:
        return self.float if self.as_float else self.raw

    def reset(self, chosen: np.ndarray, seeds: np.ndarray | None, deals: Deals) -> None:
        """Start new episodes in the ``chosen`` sub-environments; see ``GameBatch.reset``."""
        self._batch.reset(chosen, seeds, deals)
        seeded = seeds is not None
        given = np.zeros(self.num_envs, dtype=np.uint64) if seeds is None else seeds
        rotates = self.lineup.rotates
        agent_kernels.begin(
            self.games,
            chosen,
            self.base_seat,
            given,
            seeded,
            rotates,
            self.no_decision_yet,
            self.skipped,
            self.credited,
            0,
            self.num_envs,
        )
        for array in (self.done, self.terminated, self.truncated, self.reward):
            array[chosen] = 0
        self._play_others()
        self._write_outputs()

    def step(self, actions: np.ndarray) -> None:
        """Play the agent's actions, (n,) int64, and then the other seats until the agent is to move again."""
        self.guard.whole = False
        agent_kernels.decide(
            self.games,
            actions,
            self.legal,
            self.base_seat,
            self.lineup.rotates,
            self.no_decision_yet,
            self.skipped,
            self.credited,
            self.agent_acted,
            self.forfeited,
            self.autoreset == batch_kernels.NEXT_STEP,
            0,
            self.num_envs,
        )
        self._play_others()
        agent_kernels.pay(
            self.games,
            self.base_seat,
            self.lineup.rotates,
            self.no_decision_yet,
            self.credited,
            self.agent_acted,
            self.forfeited,
            self.final,
            self.final_seat,
            self.seat,
            self.done,
            self.reward,
            self.terminated,
            self.truncated,
            self.options.reward_kind,
            self.autoreset,
            0,
            self.num_envs,
        )
        if self.autoreset == batch_kernels.SAME_STEP and self.done.any():
            self._play_others()
        self._write_outputs()

    def _play_others(self) -> None:
        seat_codes, players = self.lineup.seat_codes, self.lineup.players
        while agent_kernels.play_others(
            self.games,
            seat_codes,
            self.lineup.skips_forced,
            self.base_seat,
            self.lineup.rotates,
            self.no_decision_yet,
            self.skipped,
            self.credited,
            self.options.max_decisions or 0,
            0,
            self.num_envs,
        ):
            waiting, who = np.empty(self.num_envs, dtype=np.int64), np.empty(self.num_envs, dtype=np.int64)
            count = agent_kernels.waiting_for(
                self.games, seat_codes, self.base_seat, self.no_decision_yet, waiting, who
            )
            for index, player in enumerate(players):
                asked = waiting[:count][who[:count] == index]
                if len(asked):
                    decide(self.games, asked, player)

    def _write_outputs(self) -> None:
        agent_kernels.write_outputs(
            self.games,
            self.legal,
            self.action_mask.reshape(-1),
            self.seat,
            self.raw.reshape(-1),
            self.float,
            self.as_float,
            0,
            self.num_envs,
        )

    def first_illegal(self, actions: np.ndarray) -> int:
        """The index of the first sub-environment whose action is illegal, or -1."""
        return batch_kernels.first_illegal(self.games, actions, self.legal, 0, self.num_envs)

    def sample(self) -> np.ndarray:
        """Uniform legal actions from the sub-environments' own sampling streams: (n,) int64."""
        actions = np.empty(self.num_envs, dtype=np.int64)
        batch_kernels.sample(self.games, self.legal, actions, 0, self.num_envs)
        return actions
