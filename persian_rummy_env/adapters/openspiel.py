"""OpenSpiel: the game ``python_persian_rummy``, registered when this module is imported.

Chance is explicit: the first dealer, every card dealt, the card turned up and every card drawn are chance nodes. So a
state never holds the order of the stock, and a search that samples chance nodes cannot look ahead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel  # pyright: ignore[reportMissingImports]

from ..actions import ACTION_NAMES, DRAW, NUM_ACTIONS
from ..arguments import whole_number
from ..cards import CARD_NAMES, JOKER, NUM_CARDS, NUM_KINDS
from ..core import arena_kernels, batch_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..core.masks import WORDS
from ..drawing import ansi
from ..observation_bits import unpack_mask
from ..players.policy_io import views_of
from ..rules import MAX_DEAL_DECISIONS, NUM_SEATS, OUT_BONUS, RuleSet
from ..state import FIRST_TURNED, NOBODY, OVER, STATE, STOCK_SIZE, rules_of, write_rules
from ..state_check import checked_states
from .openspiel_observer import PersianRummyObserver
from .openspiel_structs import Structs

ANY_DEALER = -1
MOST_POINTS = 952 + OUT_BONUS
"""Upper bound of the margin of a deal: one team melds every card in sets of four at once and goes out."""
WHO_DEALS = -1
"""Stands for the number of cards dealt while the dealer is still to be drawn."""
ALL_DEALT = FIRST_TURNED + 1
PACK = np.minimum(np.arange(NUM_CARDS), JOKER).astype(np.uint8)
_LANE = np.zeros(1, dtype=np.int64)
NO_TENSOR = (
    "python_persian_rummy has no tensor of the information state, which is the whole history; expected "
    "information_state_string() for perfect recall, or observation_tensor() for learning"
)

GAME_TYPE = pyspiel.GameType(
    short_name="python_persian_rummy",
    long_name="Persian Rummy (2 against 2)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=NUM_SEATS,
    min_num_players=NUM_SEATS,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification={**RuleSet().as_dict(), "dealer": ANY_DEALER},
)


class PersianRummyGame(pyspiel.Game):
    """``pyspiel.load_game("python_persian_rummy(deals=1)")``.

    Parameters: the fields of ``RuleSet``; ``dealer``, the first dealer 0..3, or -1 (default) for a chance node.
    Returns are points / 100, own team minus other team.

    Raises:
        ValueError, TypeError: an invalid rule, or a dealer that is not a seat.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**GAME_TYPE.parameter_specification, **(params or {})}
        expected = f"a seat 0..{NUM_SEATS - 1}, or {ANY_DEALER} to leave it to chance"
        self.dealer = whole_number("dealer", given.pop("dealer"), ANY_DEALER, NUM_SEATS - 1, expected)
        self.rules = RuleSet.from_dict(given)
        most = self.rules.deals * MOST_POINTS / 100
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=NUM_KINDS,
            num_players=NUM_SEATS,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=self.rules.deals * MAX_DEAL_DECISIONS,
        )
        checked = {**self.rules.as_dict(), "dealer": self.dealer}  # OpenSpiel refuses numpy numbers
        super().__init__(GAME_TYPE, info, {name: checked[name] for name in params or {}})
        for part in ("game engine", "scripted players", "search"):
            ensure_compiled(part)
        self.blank = _blank(self.rules)

    def new_initial_state(self) -> PersianRummyState:
        return PersianRummyState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The dealer, and the cards dealt, turned up and drawn in each deal."""
        return 1 + self.rules.deals * (ALL_DEALT + STOCK_SIZE)

    def information_state_tensor_shape(self) -> list[int]:
        """There is none.

        Raises:
            pyspiel.SpielError: always, as C++ games do. The binding for Python games returns an empty list instead.
        """
        raise pyspiel.SpielError(NO_TENSOR)

    information_state_tensor_size = information_state_tensor_layout = information_state_tensor_shape

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> PersianRummyObserver:
        return PersianRummyObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)

    def state_from(self, record: np.ndarray) -> PersianRummyState:
        """Make a state that begins at a decision in the middle of a deal, for example from ``DecisionBatch.views``.

        Its history is empty. The information states begin with what the seats know at that point.

        Args:
            record: (1,) STATE with the rules of this game.

        Raises:
            ValueError: another dtype or shape, a record that is not a game (docs/state.md, "What is a game"), a game
                that is over, or other rules. The message names the fault.
        """
        game = checked_states(record, 1)
        if rules_of(game[0]) != self.rules:
            raise ValueError(f"a record of a game by {rules_of(game[0])}: expected one by {self.rules}")
        if int(game["phase"][0]) == OVER:
            raise ValueError("the game of this record is over: expected one in which a seat is to move")
        return self.begun_at(game)

    def begun_at(self, record: np.ndarray) -> PersianRummyState:
        """``state_from`` without checks, for records that the engine has made."""
        state = PersianRummyState(self)
        state.begin_at(record)
        return state


def _blank(rules: RuleSet) -> np.ndarray:
    """A record before anything is dealt. All decks are marked as given, so that the engine shuffles none."""
    record = np.zeros(1, dtype=STATE)
    write_rules(record, rules)
    _give_packs(record, 0)
    batch_kernels.reset(record, np.ones(1, dtype=bool), np.zeros(1, np.uint64), True, np.zeros(1, np.int8), 0, 1)
    _clear(record)
    return record


def _give_packs(record: np.ndarray, first: int) -> None:
    record["decks"][0, first:] = PACK
    record["given"] = 0b1111


def _clear(record: np.ndarray) -> None:
    """Remove the cards that the engine has dealt: chance nodes deal them."""
    record["hand"] = 0
    record["pile"] = 0
    record["pile_size"] = 0
    record["pile_card"][0, 0] = 0
    record["pile_seat"][0, 0] = 0


def _with(cards: Any, card: int) -> np.uint64:
    """A set of cards with one card more."""
    bits = int(cards)
    while bits >> card & 1:  # only jokers occur more than once
        card += 1
    return np.uint64(bits | 1 << card)


class PersianRummyState(Structs, pyspiel.State):
    """A state: the engine's record, and the chance node that is next.

    Attributes:
        record: (1,) STATE. The order of its stock means nothing: a chance node decides each card when it is drawn.
        first_deal: the deal inside which the state began, or -1 if it began before the first card.
    """

    def __init__(self, game: PersianRummyGame) -> None:
        pyspiel.State.__init__(self, game)
        self.record = game.blank.copy()
        self._dealt = WHO_DEALS
        self._drawing = False
        self._moves = 0
        self._deal_began = 0
        self.first_deal = -1
        self._heard = ("",) * NUM_SEATS
        if game.dealer != ANY_DEALER:
            self._name_dealer(game.dealer)

    def begin_at(self, record: np.ndarray) -> None:
        """See ``PersianRummyGame.state_from``."""
        self.record = record.copy()
        _give_packs(self.record, int(record["deal"][0]) + 1)
        self._dealt = ALL_DEALT
        self.first_deal = int(record["deal"][0])
        seats = np.arange(NUM_SEATS)
        known = views_of(np.repeat(record, NUM_SEATS), seats, seats)
        self._heard = tuple(view.tobytes().hex() + ";" for view in known)

    @property
    def deal_began(self) -> int | None:
        """Number of actions in the history before the first card of this deal; None if the state began inside a
        deal."""
        return self._deal_began if self.first_deal < 0 else None

    @property
    def dealing(self) -> bool:
        return self._dealt < ALL_DEALT

    def current_player(self) -> int:
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        if self.dealing or self._drawing:
            return pyspiel.PlayerId.CHANCE
        return int(self.record["seat"][0])

    def is_terminal(self) -> bool:
        return int(self.record["phase"][0]) == OVER

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002  # OpenSpiel asks only for the player to move
        words = np.zeros((1, WORDS), dtype=np.uint64)
        batch_kernels.legal_words(self.record, words, 0, 1)
        return np.flatnonzero(unpack_mask(words[0])).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes with probabilities: cards by kind 0..52 (52 for any joker), or the four dealers."""
        if self._dealt == WHO_DEALS:
            return [(seat, 1 / NUM_SEATS) for seat in range(NUM_SEATS)]
        left = self.left_to_deal()
        count = np.bincount(left, minlength=NUM_KINDS)
        return [(int(card), int(count[card]) / len(left)) for card in np.flatnonzero(count)]

    def _apply_action(self, action: int) -> None:
        if self._dealt == WHO_DEALS:
            self._name_dealer(action)
        elif self.dealing:
            self._deal(action)
        elif self._drawing:
            self._draw(action)
        elif action == DRAW.start and action in self._legal_actions(self.current_player()):
            self._tell(f"{self.current_player()} draw")
            self._drawing = True
        else:
            self._play(action)
        self._moves += 1

    def _name_dealer(self, dealer: int) -> None:
        if not 0 <= dealer < NUM_SEATS:
            raise ValueError(f"chance outcome {dealer}: no such dealer; expected one of chance_outcomes()")
        self.record["dealer"] = dealer
        self.record["seat"] = (dealer + 1) % NUM_SEATS
        self._dealt = 0
        self._deal_began = self._moves + 1
        self._tell(f"dealer {dealer}")

    def _deal(self, card: int) -> None:
        self._bring_up(card)
        record = self.record
        if self._dealt < FIRST_TURNED:
            seat = (int(record["dealer"][0]) + 1 + self._dealt) % NUM_SEATS
            record["hand"][0, seat] = _with(record["hand"][0, seat], card)
            self._tell("a card", seat, CARD_NAMES[card])
        else:
            record["pile"] = _with(0, card)
            record["pile_card"][0, 0] = card
            record["pile_seat"][0, 0] = NOBODY
            record["pile_size"] = 1
            self._tell(f"turned {CARD_NAMES[card]}")
        self._dealt += 1

    def _draw(self, card: int) -> None:
        seat = int(self.record["seat"][0])
        self._bring_up(card)
        self._drawing = False
        arena_kernels.play_lanes(self.record, _LANE, np.array([DRAW.start]))
        self._tell("a card", seat, CARD_NAMES[card])

    def _play(self, action: int) -> None:
        record = self.record
        seat, deal = int(record["seat"][0]), int(record["deal"][0])
        if arena_kernels.play_lanes(record, _LANE, np.array([action], dtype=np.int64)) >= 0:
            raise ValueError(f"player {seat}: action {action} is not legal; legal: {self._legal_actions(seat)}")
        self._tell(f"{seat} {ACTION_NAMES[action]}")
        if self.is_terminal():
            record["ended"] = 1
        elif int(record["deal"][0]) != deal:
            _clear(record)
            self._dealt = 0
            self._deal_began = self._moves + 1
            self._tell(f"score {' '.join(map(str, record['last_score'][0].tolist()))}")

    def _deck(self) -> np.ndarray:
        return self.record["decks"][0, int(self.record["deal"][0])]

    def _top(self) -> int:
        """The index in the deck of the next card."""
        return max(self._dealt, 0) if self.dealing else NUM_CARDS - int(self.record["stock_size"][0])

    def left_to_deal(self) -> np.ndarray:
        """The cards of this deal that chance has not dealt yet, by kind and sorted: (cards,) uint8."""
        return np.sort(self._deck()[self._top() :])

    def _bring_up(self, card: int) -> None:
        """Move one of the remaining cards to the top of the deck; the others keep their order."""
        deck, top = self._deck(), self._top()
        places = np.flatnonzero(deck[top:] == card)
        if not len(places):
            raise ValueError(f"chance outcome {card}: no such card is left; expected one of chance_outcomes()")
        place = top + int(places[0])
        deck[top + 1 : place + 1] = deck[top:place].copy()
        deck[top] = card

    def _tell(self, all_hear: str, seat: int | None = None, it_sees: str = "") -> None:
        """Append an event to what the seats have seen; ``seat`` sees more than the others."""
        self._heard = tuple(
            f"{heard}{it_sees if other == seat else all_hear};" for other, heard in enumerate(self._heard)
        )

    def information_of(self, seat: int) -> str:
        """All that a seat has seen since the beginning, in order."""
        return self._heard[seat]

    def information_state_tensor(self, player: int | None = None) -> list[float]:  # noqa: ARG002  # OpenSpiel's signature
        """There is none.

        Raises:
            pyspiel.SpielError: always, as C++ games do. The binding for Python games returns an empty list instead.
        """
        raise pyspiel.SpielError(NO_TENSOR)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return ACTION_NAMES[action]
        if self._dealt == WHO_DEALS:
            return f"dealer {action}"
        what = "drawn" if not self.dealing else "dealt" if self._dealt < FIRST_TURNED else "turned"
        return f"{what} {CARD_NAMES[action]}"

    def returns(self) -> list[float]:
        """By player: points / 100, own team minus other team, after the end of the game; before it 0."""
        if not self.is_terminal():
            return [0.0] * NUM_SEATS
        first, second = self.record["score"][0].tolist()
        return [(first - second) / 100, (second - first) / 100] * 2

    def resample_from_infostate(self, player_id: int, probability_sampler: Any) -> PersianRummyState:
        """Sample uniformly a game with the same information state for a player.

        The true hidden cards are not read: ``core.belief_kernels`` deals them from the player's infostate, and the
        earlier draws of the other players are arranged to fit.

        Args:
            player_id: the player whose information state stays.
            probability_sampler: returns numbers in [0, 1), the only source of randomness.
        """
        from .openspiel_worlds import resampled

        seed = [int(probability_sampler() * 2**32) for _ in range(2)]
        return resampled(self, player_id, np.random.default_rng(seed))

    def __str__(self) -> str:
        due = "chance" if self.current_player() == pyspiel.PlayerId.CHANCE else ""
        return f"{ansi.ansi(self.record[0])}\n{due}{self._dealt if self.dealing else ''}"


pyspiel.register_game(GAME_TYPE, PersianRummyGame)
