"""One game in PettingZoo's turn-based interface, as ``raw_env`` makes it. ``envs.aec`` adds checks of the call order.

Agents ``player_0`` … ``player_3`` sit clockwise; ``teams`` lists the partners. A turn is several steps: while the same
agent draws, melds and discards, ``agent_selection`` stays. Partners have equal rewards, and the four sum to 0. The
episodes of all four agents end in the same step with the same flags.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import logger, spaces
from pettingzoo import AECEnv

from ..actions import ACTION_NAMES, NUM_ACTIONS, decode_action, legal_names
from ..arguments import action_id, choice, is_whole
from ..arrays import shown
from ..core import batch_kernels
from ..core.observe import observe_float, observe_full_float
from ..observation import FULL_SIZE, SIZE
from ..rules import NUM_SEATS, NUM_TEAMS, RuleSet, as_rules
from ..seeds import game_seed
from ..state import OVER
from .batch import GameBatch
from .guard import ResetNeededError, mending
from .options import (
    RENDER_MODES,
    Deals,
    Episode,
    IllegalAction,
    Options,
    RenderMode,
    Reward,
    RewardTiming,
    Rules,
    reset_options,
)
from .registration import PETTINGZOO_ID

AGENTS = tuple(f"player_{seat}" for seat in range(NUM_SEATS))
SEATS = {agent: seat for seat, agent in enumerate(AGENTS)}
TEAMS = tuple(AGENTS[team::NUM_TEAMS] for team in range(NUM_TEAMS))
RECENT = 8
"""Last actions that a picture shows."""

_NO_REWARD = dict.fromkeys(AGENTS, 0.0)
_THE_LANE = np.ones(1, dtype=bool)
_BY_RESET = ("agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos")


class PersianRummyAEC(AECEnv[str, Any, Any]):
    """One game of Persian Rummy. ``env`` and ``raw_env`` make it and document the options.

    One call at a time: ``step`` or ``reset`` during a call from another thread raises ``RuntimeError``. After an
    exception in the middle of a call, every method except ``reset`` and ``set_state`` raises ``RuntimeError``.

    Attributes:
        agents: the agents whose episode is running, or that have not yet made their ``step(None)`` after its end.
        agent_selection: the agent to move.
        teams: the agents of team 0 and of team 1.
        rewards: the rewards of the last step, ``float`` by agent.
        terminations, truncations: ``bool`` by agent, the same for all four.
        infos: an empty dict by agent.
        state_space: ``Box(0, 1, (1356,), float32)``, the space of ``state()``.
    """

    metadata = {"name": PETTINGZOO_ID, "render_modes": list(RENDER_MODES), "is_parallelizable": False, "render_fps": 2}
    teams = TEAMS

    def __init__(
        self,
        *,
        rules: Rules = None,
        episode: Episode = "game",
        reward: Reward = "margin",
        reward_timing: RewardTiming = "dense",
        illegal_action: IllegalAction = "raise",
        max_decisions: int | None = None,
        render_mode: RenderMode | None = None,
        viewer: str | int = "all",
        seed: int | None = None,
    ) -> None:
        super().__init__()
        self.options = Options(as_rules(rules), episode, reward, reward_timing, illegal_action, max_decisions)
        self.render_mode = None if render_mode is None else choice("render_mode", render_mode, RENDER_MODES)
        self.viewer = _view(viewer)
        self._seed = None if seed is None else int(game_seed(seed))
        self.possible_agents = list(AGENTS)
        self.observation_spaces = {agent: _observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}
        self.state_space = spaces.Box(0, 1, (FULL_SIZE,), np.float32)
        self._raises = illegal_action == "raise"
        self._batch = GameBatch(1, self.options, batch_kernels.DISABLED)
        self._guard = self._batch.guard
        self._over = False
        self._left = AGENTS
        self._recent: deque[tuple[int, str]] = deque(maxlen=RECENT)
        self._bind()

    def _bind(self) -> None:
        """Bind the arrays of the batch, and allocate scratch space."""
        self._mask = self._batch.action_mask[0]
        self._actions = np.zeros(1, dtype=np.int64)
        self._raw = np.empty(SIZE, dtype=np.uint8)

    @property
    def rules(self) -> RuleSet:
        """The rule set that is played."""
        return self.options.rules

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """``Dict``: ``observation``, ``Box(0, 1, (1020,), float32)``; ``action_mask``, ``Box(0, 1, (547,), int8)``."""
        return self.observation_spaces[_agent(agent, "observation_space")]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """``Discrete(547)``: the ids of ``decode_action``."""
        return self.action_spaces[_agent(agent, "action_space")]

    @mending
    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a new episode.

        Args:
            seed: 0..2**64 - 1. None continues the generator of the last episode; the first time it takes the seed of
                the environment, or one of the operating system.
            options: ``dealer``, the seat that deals first; ``decks``, one deck for each deal, 56 cards in notation or
                ids, dealt from index 0, or None to draw that deck from the seed. Other keys are ignored.

        Raises:
            ValueError, TypeError: an invalid seed, seat or deck; the old episode is unchanged.
        """
        deals = Deals.parse(reset_options(options), 1, self.options.deals)
        if seed is None and not self._batch.started:
            seed = self._seed
        self._batch.reset(_THE_LANE, None if seed is None else np.array([game_seed(seed)]), deals)
        self._begin()

    def _begin(self) -> None:
        """Set the attributes of PettingZoo for a new episode: four agents, no rewards."""
        self._over = False
        self._left = AGENTS
        self._recent.clear()
        self.agents = list(AGENTS)
        self.rewards = _NO_REWARD.copy()
        self._cumulative_rewards = _NO_REWARD.copy()
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self._batch.seat[0]]

    def step(self, action: int | None) -> None:
        """Play an action for ``agent_selection``. After the end of the episode each agent steps once with ``None``.

        Args:
            action: an id 0..546 that the mask allows: ``int``, numpy integer or 0-d integer array.

        Raises:
            ValueError: an id out of range or, under ``illegal_action="raise"``, an illegal one; the message names the
                agent, the action and the legal ones. The table is unchanged.
            ValueError: an action for an agent whose episode is over, or None for any other agent.
            TypeError: the action is not an integer.
            RuntimeError: before the first ``reset``, or with no agents left.
        """
        guard = self._guard
        if guard.inside or not guard.whole:
            guard.refuse("step()")
        guard.inside = True
        try:
            agent = self.agent_selection
            if self._over:
                self._dead_step(action)
                guard.whole = True
                return
            if action is None:
                raise ValueError(f"step(None): {agent} is to move, and None is only for an agent whose episode is over")
            if type(action) is not int:
                action = action_id(action)
            if not 0 <= action < NUM_ACTIONS or (self._raises and not self._mask[action]):
                raise ValueError(self._illegal(agent, action))
            batch = self._batch
            self._actions[0] = action
            batch.step(self._actions)
            if self.render_mode == "rgb_array":
                self._recent.append((SEATS[agent], ACTION_NAMES[action]))
            self._cumulative_rewards[agent] = 0.0
            reward = batch.reward[0].tolist()
            self.rewards = dict(zip(AGENTS, reward, strict=True))
            if reward[0]:
                for earner, earned in self.rewards.items():
                    self._cumulative_rewards[earner] += earned
            if batch.done[0]:
                self._end(bool(batch.terminated[0]), bool(batch.truncated[0]))
            else:
                self.agent_selection = AGENTS[batch.seat[0]]
            guard.whole = True
        except BaseException as error:
            guard.note("step()", error)
            raise
        finally:
            guard.inside = False

    def _illegal(self, agent: str, action: int) -> str:
        name = repr(decode_action(action)) if 0 <= action < NUM_ACTIONS else f"an id outside 0..{NUM_ACTIONS - 1}"
        return f"{agent}: action {shown(action)} ({name}) is not legal; legal: {', '.join(legal_names(self._mask))}"

    def _end(self, terminated: bool, truncated: bool) -> None:
        self._over = True
        self.terminations = dict.fromkeys(AGENTS, terminated)
        self.truncations = dict.fromkeys(AGENTS, truncated)
        self.agent_selection = AGENTS[0]

    def _dead_step(self, action: int | None) -> None:
        """Remove the selected agent after the end of the episode; the agents leave in order."""
        if not self._left:
            raise RuntimeError("step() with no agents left: the episode is over, call reset()")
        if action is not None:
            raise ValueError(
                f"step({shown(action)}): the episode of {self.agent_selection} is over, and its only step is None"
            )
        gone, *left = self._left
        self._guard.whole = False
        self._left = tuple(left)
        self.agents = left
        self.rewards = dict.fromkeys(left, 0.0)
        for by_agent in (self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            by_agent.pop(gone, None)
        if left:
            self.agent_selection = left[0]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees, at any time, whoever is to move. It changes nothing and returns new arrays.

        Returns:
            ``observation``: (1020,) float32 in [0, 1], ``observation.BLOCKS`` divided by ``observation.HIGH``.
            ``action_mask``: (547,) int8, 1 where the action is legal. All zeros for an agent that is not to move, and
            for every agent after the end of the episode.
        """
        seat = SEATS[_agent(agent, "observe")]
        self._guard.need("observe()")
        observation = np.empty(SIZE, dtype=np.float32)
        observe_float(self._batch.games, 0, seat, self._raw, observation)
        mask = self._mask.copy() if agent == self.agent_selection else np.zeros(NUM_ACTIONS, dtype=np.int8)
        return {"observation": observation, "action_mask": mask}

    def last(self, observe: bool = True) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        """For ``agent_selection``: the observation (None if ``observe`` is False), the reward since its last step,
        terminated, truncated, info."""
        self._guard.need("last()")
        agent = self.agent_selection
        if not self._left:
            raise RuntimeError("last() with no agents left: the episode is over, call reset()")
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def state(self) -> np.ndarray:
        """The full information, with hidden cards and the order of the stock: for critics, not for play.

        Returns:
            (1356,) float32 in [0, 1]: ``observation.FULL_BLOCKS`` divided by ``observation.FULL_HIGH``, from the seat
            of ``player_0``: me, left, partner, right are ``player_0`` … ``player_3``, and us is team 0.
        """
        self._guard.need("state()")
        full = np.empty(FULL_SIZE, dtype=np.float32)
        observe_full_float(self._batch.games, np.empty(FULL_SIZE, dtype=np.uint8), full)
        return full

    def get_state(self) -> np.ndarray:
        """A copy of the game: (1,) ``STATE`` with everything, including hidden cards and generators."""
        self._guard.need("get_state()")
        return self._batch.games.copy()

    @mending
    def set_state(self, states: np.ndarray) -> None:
        """Replace the game, for example by one of ``get_state``. Rewards start at 0. A game that is over stays over:
        terminated if it was played to its end, else truncated.

        The game keeps its own rules and number of deals. The next episode follows the ``rules`` and ``episode`` of this
        environment again.

        Args:
            states: (1,) STATE.

        Raises:
            ValueError: another dtype or shape, or a record that is not a game (docs/state.md, "What is a game"). The
                message names field, value and expectation; the game is unchanged.
        """
        self._batch.set_games(states)
        self._bind()
        self._begin()
        game = self._batch.games[0]
        self.agent_selection = AGENTS[game["seat"]]
        if game["ended"]:
            finished = int(game["phase"]) == OVER
            self._end(finished, not finished)

    def render(self) -> str | np.ndarray | None:
        """Draw the table as ``render_mode`` says for ``viewer``.

        Returns:
            ``"ansi"``: a text, in colour and in the terminal's width if standard output is a terminal. ``"rgb_array"``:
            a picture (800, 1280, 3) uint8, with the last actions since ``reset`` or ``set_state``. ``"human"``: None;
            the text is printed.
        """
        from ..drawing import ansi, raster

        self._guard.need("render()")
        game, viewer = self._batch.games[0], self.viewer
        if self.render_mode == "ansi":
            return ansi.for_stdout(game, viewer)
        if self.render_mode == "rgb_array":
            return raster.rgb_array(game, viewer, recent=tuple(self._recent))
        if self.render_mode == "human":
            sys.stdout.write(ansi.for_stdout(game, viewer) + "\n")
            sys.stdout.flush()
        else:
            logger.warn(
                f"render() without a render_mode shows nothing: make the environment with one of {RENDER_MODES}"
            )
        return None

    def close(self) -> None:
        """Does nothing; the environment can still be used."""
        self._batch.close()

    def __getattr__(self, name: str) -> Any:
        """Explain an attribute that only ``reset`` sets."""
        if name in _BY_RESET:
            raise ResetNeededError(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        bound = ("_mask", "_actions", "_raw")  # a copy must bind the arrays of its own batch
        return {name: value for name, value in self.__dict__.items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()


def _observation_space() -> spaces.Dict:
    return spaces.Dict(
        observation=spaces.Box(0, 1, (SIZE,), np.float32), action_mask=spaces.Box(0, 1, (NUM_ACTIONS,), np.int8)
    )


def _agent(agent: Any, what: str) -> str:
    if not isinstance(agent, str) or agent not in SEATS:
        raise ValueError(f"{what}({shown(agent)}): no such agent, expected one of {', '.join(AGENTS)}")
    return agent


def _view(viewer: Any) -> int | None:
    """``viewer`` as the seat of the viewer, or None for all hands."""
    if isinstance(viewer, str) and viewer == "all":
        return None
    seat: Any = SEATS.get(viewer, viewer) if isinstance(viewer, str) else viewer
    if not is_whole(seat) or not 0 <= seat < NUM_SEATS:
        raise ValueError(f"viewer={shown(viewer)}: expected 'all', a seat 0..{NUM_SEATS - 1}, or an agent")
    return int(seat)
