"""Plays the engine and a second implementation of the rules in lockstep and compares them at every decision.

The second implementation, the twin, is a module with a class ``OracleGame``, such as ``tests/oracle.py``. It is an
argument and is not imported, so that this module does not depend on the tests.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from persian_rummy_env import PersianRummyVecEnv, RuleSet, encode_action
from persian_rummy_env.actions import ACTION_NAMES, legal_names
from persian_rummy_env.bots import BOTS, bot_codes
from persian_rummy_env.cards import CARD_NAMES, JOKER, NUM_CARDS, NUM_JOKERS
from persian_rummy_env.core import bot_kernels as compiled_bots
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled
from persian_rummy_env.records.recorder import record_of
from persian_rummy_env.rules import HAND_SIZE, NUM_SEATS
from persian_rummy_env.state import NOBODY, NOTHING_OWED, PHASES

SUIT_OF = dict(zip(range(NUM_SEATS), "CDHS", strict=True))


class DisagreementError(AssertionError):
    """The engine and the twin differ; the message has the place, the difference and the actions that lead to it."""


# Facts of a game in both ----------------------------------------------------------------------------------------------


def engine_facts(state: np.void) -> dict[str, Any]:
    """The fields of a state without its generators, in notation."""
    deal, left = int(state["deal"]), int(state["stock_size"])
    size = int(state["pile_size"])
    by = [None if seat == NOBODY else seat for seat in state["pile_seat"][:size].tolist()]
    owed, out = int(state["owed"]), int(state["out"])
    return {
        "phase": PHASES[state["phase"]],
        "seat": int(state["seat"]),
        "deal": deal,
        "dealer": int(state["dealer"]),
        "owed": None if owed == NOTHING_OWED else CARD_NAMES[owed],
        "passes": int(state["passes"]),
        "hands": [names_in(hand) for hand in state["hand"]],
        "stock": [CARD_NAMES[card] for card in state["decks"][deal][NUM_CARDS - left :].tolist()],
        "pile": [(CARD_NAMES[card], seat) for card, seat in zip(state["pile_card"].tolist(), by, strict=False)],
        "pile, unordered": names_in(state["pile"]),
        "sets": names_in(state["sets"]),
        "runs": list(engine_runs(state)),
        "laid": [names_in(laid) for laid in state["laid"]],
        "known": [names_in(known) for known in state["known"]],
        "declined": [names_in(declined) for declined in state["declined"]],
        "points": None if PHASES[state["phase"]] == "over" else state["points"].tolist(),
        "score": state["score"].tolist(),
        "last score": state["last_score"].tolist(),
        "out": None if out == NOBODY else out,
    }


def names_in(bits: np.uint64) -> list[str]:
    """The cards of a set by index, as ``cards.cards_in``, but faster for the few cards of a hand."""
    names, rest = [], int(bits)
    while rest:
        lowest = rest & -rest
        names.append(CARD_NAMES[min(lowest.bit_length() - 1, JOKER)])
        rest ^= lowest
    return names


def engine_runs(state: np.void) -> Iterator[list[str]]:
    """The runs on the table by suit and rank; a run ends before the lowest card of the next one."""
    run: list[str] = []
    low = set(names_in(state["run_low"]))
    for card in names_in(state["runs"]):
        if card in low and run:
            yield run
            run = []
        run.append(card)
    if run:
        yield run


def twin_facts(game: Any) -> dict[str, Any]:
    """The facts of ``engine_facts`` from the twin."""
    laid: list[list[str]] = [[] for _ in range(NUM_SEATS)]
    for meld in game.melds:
        for card, seat in zip(meld["cards"], meld["seats"], strict=True):
            laid[seat].append(card)
    sets = [card for meld in game.melds if meld["kind"] == "set" for card in meld["cards"]]
    runs = [list(meld["cards"]) for meld in game.melds if meld["kind"] == "run"]
    pile = [card for card, _ in game.pile]
    return {
        "phase": game.phase,
        "seat": game.seat,
        "deal": game.deal,
        "dealer": game.dealer,
        "owed": game.owed,
        "passes": game.passes,
        "hands": [in_order(hand) for hand in game.hands],
        "stock": list(game.stock),
        "pile": list(game.pile),
        "pile, unordered": in_order(pile),
        "sets": in_order(sets),
        "runs": sorted(runs, key=lambda cards: CARD_NAMES.index(cards[0])),
        "laid": [in_order(cards) for cards in laid],
        "known": [in_order(known.elements()) for known in game.known],
        "declined": [in_order(left.elements()) for left in game.left],
        "points": None if game.phase == "over" else list(game.points),
        "score": list(game.total),
        "last score": list(game.scores[-1]) if game.scores else [0, 0],
        "out": game.outs[-1] if game.outs else None,
    }


_PLACE = {name: place for place, name in enumerate(CARD_NAMES)}


def in_order(cards: Any) -> list[str]:
    return sorted(cards, key=_PLACE.__getitem__)


# Players --------------------------------------------------------------------------------------------------------------


@dataclass
class Table:
    """One game in both implementations."""

    engine: PersianRummyVecEnv
    twin: Any
    legal: list[str]
    rng: random.Random

    @property
    def state(self) -> np.void:
        return self.engine.get_state()[0]


Player = Callable[[Table], str]


def at_random(table: Table) -> str:
    return table.rng.choice(table.legal)


def bot(name: str) -> Player:
    """A player that chooses as a bot of the engine."""
    codes = np.array([bot_codes(name)])

    def play(table: Table) -> str:
        ensure_compiled("scripted players")
        actions = np.zeros(1, dtype=np.int64)
        compiled_bots.choose_many(table.engine.get_state(), table.engine.packed_mask, codes, actions, 0, 1)
        return ACTION_NAMES[actions[0]]

    return play


def leaning(*verbs: str) -> Player:
    """A player that plays, nine times in ten, an action of the first of ``verbs`` that has a legal action."""

    def play(table: Table) -> str:
        wanted = [[name for name in table.legal if name.startswith(verb)] for verb in verbs]
        preferred = next(filter(None, wanted), table.legal)
        return table.rng.choice(preferred if table.rng.random() < 0.9 else table.legal)

    return play


def rarity_seeking(table: Table) -> str:
    """The action with the outcome that was rarest in this game; else an action that keeps the jokers."""
    most, best = 0.0, []
    for action in table.legal:
        rarity = sum(1 / (1 + table.twin.events[event]) for event in outcome(table.twin, action))
        if rarity >= most:
            best = [*best, action] if rarity == most else [action]
            most = rarity
    if most == 0:
        best = [action for action in best if action != "discard JK"] or best
    return table.rng.choice(best)


def outcome(twin: Any, action: str) -> list[str]:
    """The outcomes of an action, found on a copy."""
    trial = copy.copy(twin)
    trial.events = Counter()
    trial.history = [{"actions": [], "legal": []}]
    for name in ("hands", "pile", "stock", "melds", "known", "left", "points", "scores", "outs"):
        setattr(trial, name, copy.deepcopy(getattr(twin, name)))
    if len(trial.scores) + 1 < trial.rules["deals"]:
        trial.rules = {**trial.rules, "deals": len(trial.scores) + 1}  # do not deal another deal
    trial.step(action)
    return list(trial.events)


PLAYERS: dict[str, Player] = {
    "random": at_random,
    **{name: bot(name) for name in BOTS if name != "random"},
    "taker": leaning("take", "layoff", "meld"),
    "melder": leaning("meld", "layoff", "take"),
    "hoarder": leaning("draw", "pass", "discard"),
    "rarity-seeking": rarity_seeking,
}
LINE_UPS = {
    "random": ["random"] * 4,
    "greedy": ["greedy"] * 4,
    "greedy and random": ["greedy", "random"] * 2,
    "mixed": ["deepest", "melder", "taker", "random"],
    "takers": ["taker"] * 4,
    "hoarders": ["hoarder", "random", "hoarder", "taker"],
    "rarity-seeking": ["rarity-seeking"] * 4,
}
"""Players by seat."""
PLAIN = ("random", "greedy", "greedy and random")
STEERED = tuple(name for name in LINE_UPS if name not in PLAIN)


# Plans of games -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """A game to compare, determined by its seed: players, rules, and whether the decks are stacked."""

    seed: int
    line_up: str
    rules: RuleSet
    stacked: bool


def plan_of(base: int, number: int, line_ups: Sequence[str] | None = None) -> Plan:
    """Game ``number`` of the series ``base``. Without ``line_ups`` three in four games are random and greedy play."""
    rng = random.Random(f"{base}/{number}")
    return Plan(
        seed=rng.randrange(2**63),
        line_up=rng.choice(line_ups or rng.choice((PLAIN, PLAIN, PLAIN, STEERED))),
        rules=RuleSet(
            deals=rng.choice((1, 2, 2, 2, 3, 4)),
            quad_bonus=rng.choice(("any", "jacks")),
            stock_out=rng.choice(("pass", "end")),
        ),
        stacked=rng.random() < 0.25,
    )


def stacked_deck(rng: random.Random) -> list[str]:
    """A deck for rare events: jokers in one hand, or each hand full of one suit or of few ranks."""
    rest = [*CARD_NAMES[:JOKER], *["JK"] * NUM_JOKERS]
    rng.shuffle(rest)
    kind = rng.choice(("jokers", "suits", "ranks"))
    hands: list[list[str]] = []
    for place in range(NUM_SEATS):
        if kind == "jokers":
            wanted = {"JK"} if place == 0 else set[str]()
        elif kind == "suits":
            wanted = {name for name in CARD_NAMES if name[1] == SUIT_OF[place]}
        else:
            wanted = {name for name in CARD_NAMES if name[0] in "23456789TJQKA"[3 * place : 3 * place + 3]}
        likely = [card for card in rest if card in wanted and rng.random() < 0.8][:HAND_SIZE]
        for card in likely:
            rest.remove(card)
        hands.append(likely)
    for hand in hands:
        while len(hand) < HAND_SIZE:
            hand.append(rest.pop())
    rng.shuffle(hands)
    return [hands[index % NUM_SEATS][index // NUM_SEATS] for index in range(NUM_SEATS * HAND_SIZE)] + rest


def decks_of_seed(engine: PersianRummyVecEnv, seed: int) -> list[list[str]]:
    """The decks of a seed, found by playing the game to its end."""
    shown = engine.reset(seed=[seed])
    while not shown.terminated[0]:
        shown = engine.step(engine.sample_actions())
    return [
        [CARD_NAMES[card] for card in deck] for deck in engine.get_state()[0]["decks"][: engine.rules.deals].tolist()
    ]


# Comparison -----------------------------------------------------------------------------------------------------------


@dataclass
class GamesPlayed:
    """Counts of compared games: decisions, and events by name."""

    games: int = 0
    deals: int = 0
    decisions: int = 0
    events: Counter[str] = field(default_factory=Counter)

    def add(self, other: GamesPlayed) -> None:
        self.games += other.games
        self.deals += other.deals
        self.decisions += other.decisions
        self.events.update(other.events)


def compare(plan: Plan, twin: Any) -> GamesPlayed:
    """Play one game in both implementations; ``twin`` is the module of the second implementation.

    Raises:
        DisagreementError: at the first difference.
    """
    rng = random.Random(plan.seed)
    engine = PersianRummyVecEnv(1, rules=plan.rules, autoreset_mode="DISABLED")
    decks = [stacked_deck(rng) for _ in range(plan.rules.deals)] if plan.stacked else decks_of_seed(engine, plan.seed)
    shown = engine.reset(seed=[plan.seed], options={"decks": decks} if plan.stacked else None)
    dealer = int(engine.get_state()[0]["dealer"])
    game = twin.OracleGame(**plan.rules.as_dict(), dealer=dealer, decks=decks)
    table = Table(engine, game, [], rng)
    players = [PLAYERS[name] for name in LINE_UPS[plan.line_up]]
    actions: list[str] = []
    try:
        while True:
            table.legal = game.legal()
            same("legal", sorted(legal_names(shown.action_mask[0])), table.legal)
            same_facts(engine_facts(table.state), twin_facts(game))
            same("over", bool(shown.terminated[0]), game.phase == "over")
            if game.phase == "over":
                break
            same("seat shown", int(shown.seat[0]), game.seat)
            action = players[game.seat](table)
            actions.append(action)
            same("the player's choice is legal", True, action in table.legal)
            game.step(action)
            shown = engine.step(np.array([encode_action(action)]))
        names = [f"player {seat}" for seat in range(NUM_SEATS)]
        recorded = record_of(table.state, actions, players=names, seed=plan.seed, legal=True)
        same("record", tidy(recorded), tidy(game.record(names, plan.seed, legal=True)))
    except DisagreementError as difference:
        raise DisagreementError(f"{plan}\nafter {len(actions)} actions: {actions}\n{difference}") from None
    return GamesPlayed(1, plan.rules.deals, len(actions), Counter(game.events))


def same(what: str, engine: Any, twin: Any) -> None:
    if engine != twin:
        raise DisagreementError(f"{what}:\n  engine {engine}\n  twin   {twin}")


def same_facts(engine: dict[str, Any], twin: dict[str, Any]) -> None:
    if engine != twin:
        for name, fact in engine.items():
            same(name, fact, twin[name])


def tidy(record: Any) -> Any:
    """A record with sorted lists of legal actions."""
    deals = [{**deal, "legal": [sorted(legal) for legal in deal["legal"]]} for deal in record["deals"]]
    return {**record, "deals": deals}
