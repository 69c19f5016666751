"""OpenSpiel: policies of this package as OpenSpiel bots, its bots as policies, and a bot for playouts in its
searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel  # pyright: ignore[reportMissingImports]
from open_spiel.python.algorithms import ismcts, mcts  # pyright: ignore[reportMissingImports]

from ..arguments import finite_number, positive, whole_number
from ..bots import BOTS, bot_codes
from ..cards import NUM_CARDS
from ..core import arena_kernels, batch_kernels, bot_kernels
from ..core.masks import WORDS
from ..players.policy import DecisionBatch, as_policy, check_rules
from ..players.policy_io import answer_of
from ..rules import MAX_DEALS, NUM_SEATS, RuleSet
from ..seeds import game_seed
from ..state import rules_of
from . import openspiel

__all__ = ["BotEvaluator", "ISMCTSPolicy", "MCTSPolicy", "OpenSpielPolicy", "PersianRummyBot"]

MOST_SEED = 2**32 - 1
"""The largest seed of the generators that OpenSpiel uses."""
_LANE = np.zeros(1, dtype=np.int64)


class PersianRummyBot(pyspiel.Bot):
    """A policy of this package as an OpenSpiel bot. It reads only what its seat sees.

    Args:
        policy: the name of a bot (``random``, ``greedy``, ``deepest``, ``expert``), or an object with ``act(batch)``,
            such as ``persian_rummy_env.load("champion")``.
        player: the seat 0..3.
        seed: seed of the random bot.
    """

    def __init__(self, policy: Any, player: int, seed: int = 0) -> None:
        pyspiel.Bot.__init__(self)
        if isinstance(policy, str):
            bot_codes(policy)  # raises for unknown names
        self._policy: Any = policy if isinstance(policy, str) else as_policy(policy)
        self._code = BOTS[policy] if isinstance(policy, str) else self._policy.code
        self._player = whole_number("player", player, 0, NUM_SEATS - 1, f"a seat 0..{NUM_SEATS - 1}")
        self._rng = np.random.default_rng(int(game_seed(seed)))

    def player_id(self) -> int:
        return self._player

    def restart_at(self, state: Any) -> None:
        """Does nothing: the bot has no memory."""

    def step(self, state: Any) -> int:
        if state.current_player() != self._player:
            raise ValueError(f"bot of player {self._player}: player {state.current_player()} is to move")
        game = state.record.copy()
        if self._code == arena_kernels.OUTSIDE:
            check_rules(self._policy, state.get_game().rules)
            return int(answer_of(self._policy, game, _LANE)[0])
        game["sample_rng"] = self._rng.integers(1, 2**63)
        words, action = np.zeros((1, WORDS), dtype=np.uint64), np.zeros(1, dtype=np.int64)
        batch_kernels.legal_words(game, words, 0, 1)
        bot_kernels.choose_many(game, words, np.full((1, NUM_SEATS), self._code, dtype=np.int8), action, 0, 1)
        return int(action[0])


class BotEvaluator(mcts.Evaluator):
    """The value of a state to the four players, by compiled playouts with a scripted bot at all seats.

    It is a thousand times as fast as OpenSpiel's random rollouts of a game written in Python, and a better estimate.

    Args:
        bot: name of the bot.
        rollouts: number of playouts whose mean is the value.
        seed: seed of the cards still to be drawn.
    """

    def __init__(self, bot: str = "deepest", rollouts: int = 1, seed: int = 0) -> None:
        self._codes = bot_codes(bot)[None]
        self._rollouts = positive("rollouts", rollouts)
        self._rng = np.random.default_rng(int(game_seed(seed)))

    def evaluate(self, state: Any) -> np.ndarray:
        """The mean returns of the playouts, (4,) float64, in the unit of ``returns()``."""
        return np.mean([self._play_out(state) for _ in range(self._rollouts)], axis=0)

    def _play_out(self, state: Any) -> np.ndarray:
        if state.is_chance_node():
            state = state.clone()
            while state.is_chance_node():
                cards, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(self._rng.choice(cards, p=chances)))
        game = state.record.copy()
        deal, stock = int(game["deal"][0]), int(game["stock_size"][0])
        deck = game["decks"][0, deal]
        deck[NUM_CARDS - stock :] = self._rng.permutation(deck[NUM_CARDS - stock :])
        game["given"] = (1 << min(deal + 1, MAX_DEALS)) - 1  # later deals are shuffled
        game["rng"] = self._rng.integers(1, 2**63, size=2)
        game["sample_rng"] = self._rng.integers(1, 2**63)
        arena_kernels.advance(game, self._codes, np.zeros(1, dtype=np.int64), 0, 1)
        first, second = game["score"][0].tolist()
        margin = (first - second) / 100
        return np.array([margin, -margin, margin, -margin])

    def prior(self, state: Any) -> list[tuple[int, float]]:
        """A uniform prior over the legal actions."""
        if state.is_chance_node():
            return state.chance_outcomes()
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


class OpenSpielPolicy:
    """An OpenSpiel bot as a policy: for ``evaluation.arena.play``, matches, and ``python:module:Class``.

    The bot gets a state that begins at the current decision and holds what the seat knows. A bot that reads the hidden
    cards of a state, such as MCTS, needs ``world=True``: it then gets a sampled world for each decision.

    Args:
        make_bot: ``make_bot(game)`` returns the ``pyspiel.Bot``; it is called once for each rule set.
        world: give the bot a world sampled from what the seat knows.
        seed: seed of the worlds.
        name: name of the policy.
    """

    wants_views = True
    code = arena_kernels.OUTSIDE
    rules = None

    def __init__(self, make_bot: Callable[[Any], Any], *, world: bool = False, seed: int = 0, name: str = "") -> None:
        self.name = name or "open_spiel"
        self._make_bot = make_bot
        self._world = world
        self._rng = np.random.default_rng(int(game_seed(seed)))
        self._known: dict[RuleSet, tuple[Any, Any]] = {}

    def act(self, batch: DecisionBatch) -> np.ndarray:
        assert batch.views is not None
        return np.array([self._choose(batch.views[row : row + 1]) for row in range(len(batch.seat))])

    def _choose(self, view: np.ndarray) -> int:
        view = view.copy()
        view["deals"] = view["deal"] + 1  # the game ends with this deal
        game, bot = self._game_and_bot(view[0])
        state = game.begun_at(view)
        if self._world:
            state = state.resample_from_infostate(state.current_player(), self._rng.random)
        bot.restart_at(state)
        return int(bot.step(state))

    def _game_and_bot(self, view: np.void) -> tuple[Any, Any]:
        rules = rules_of(view)
        if rules not in self._known:
            game = openspiel.PersianRummyGame(rules.as_dict())
            self._known[rules] = game, self._make_bot(game)
        return self._known[rules]


def _checked(simulations: Any, uct_c: Any, bot: Any, seed: Any) -> tuple[int, float, int]:
    """Check the arguments of a search when it is made, not at its first decision.

    Raises:
        ValueError, TypeError: an argument of another type or out of range.
    """
    bot_codes(bot)
    whole_number("seed", seed, 0, MOST_SEED)
    return positive("simulations", simulations), finite_number("uct_c", uct_c, 0), int(seed)


class ISMCTSPolicy(OpenSpielPolicy):
    """OpenSpiel's information-set Monte Carlo tree search, with playouts by ``deepest``.

    ``load("python:persian_rummy_env.adapters.openspiel_bots:ISMCTSPolicy")`` uses 100 simulations per decision.
    """

    def __init__(self, simulations: int = 100, uct_c: float = 1.0, bot: str = "deepest", seed: int = 0) -> None:
        simulations, uct_c, seed = _checked(simulations, uct_c, bot, seed)
        worlds = np.random.default_rng(seed)

        def make(game: Any) -> Any:
            searcher = ismcts.ISMCTSBot(
                game,
                BotEvaluator(bot, seed=seed),
                uct_c,
                simulations,
                random_state=np.random.RandomState(seed),  # OpenSpiel needs a RandomState
            )
            searcher.set_resampler(lambda state, player: state.resample_from_infostate(player, worlds.random))
            searcher.restart_at = lambda _: None
            return searcher

        super().__init__(make, seed=seed, name=f"ismcts({bot}, simulations={simulations})")


class MCTSPolicy(OpenSpielPolicy):
    """OpenSpiel's Monte Carlo tree search in one world dealt from what the seat knows, with playouts by ``deepest``."""

    def __init__(self, simulations: int = 100, uct_c: float = 1.0, bot: str = "deepest", seed: int = 0) -> None:
        simulations, uct_c, seed = _checked(simulations, uct_c, bot, seed)

        def make(game: Any) -> Any:
            return mcts.MCTSBot(
                game,
                uct_c,
                simulations,
                BotEvaluator(bot, seed=seed),
                solve=False,
                random_state=np.random.RandomState(seed),  # OpenSpiel needs a RandomState
            )

        super().__init__(make, world=True, seed=seed, name=f"mcts({bot}, simulations={simulations})")
