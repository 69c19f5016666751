"""Checks that users can run on an environment or on their own wrapper; each raises ``AssertionError``.

They work on ``env()``, ``raw_env()``, PettingZoo wrappers of these, and ``PersianRummyVecEnv``. They play games in the
environment, so ``reset`` it afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..actions import DISCARD, DRAW, PASS
from ..arguments import is_whole, positive, whole_number
from ..arrays import shown
from ..cards import CARD_NAMES, JOKER, NUM_CARDS, NUM_JOKERS, NUM_PLAIN, bits_of
from ..core import batch_kernels
from ..core.masks import WORDS
from ..drawing import ansi, contents, draw_table
from ..observation import BLOCKS, SIZE
from ..rules import NUM_SEATS
from ..seeds import game_seed
from ..state import MAX_PILE, MELD_PHASE, NOBODY, NOTHING_OWED, PHASES, STATE

BY_SEAT = ("hand", "known", "declined", "laid")
"""Fields of the state with one entry per seat."""
BY_TEAM = ("score", "points", "last_score")
TRIES = 20
"""How often hidden cards are dealt again until the seat that owes a meld can make it."""


def check_no_leak(env: Any = None, *, decisions: int = 120, seed: int = 0) -> int:
    """Check that no seat sees hidden information: nothing that a seat is shown changes with cards that it cannot see.

    At each decision and at the end of a game, for each seat, the stock and the hidden cards of the other hands are
    dealt again. The generators and the decks of later deals are replaced too. The seat's observation, mask, info and
    drawing must stay the same.

    Args:
        env: the environment, or None for a new ``env()``.
        decisions: number of decisions of random play to check; in a vector env, of each sub-environment.
        seed: seed of the play and of the exchanges.

    Returns:
        The number of pairs of states compared, at least one for each decision.

    Raises:
        AssertionError: a seat was shown hidden information; the message names the seat and what it was shown. Or the
            exchanges did not change what the other seats see of their own cards, so that the check proves nothing.
    """
    decisions, seed = positive("decisions", decisions), int(game_seed(seed))
    driver = _driver(env)
    rng = np.random.default_rng(seed)
    compared = others_changed = 0
    for decision, states in _positions(driver, decisions, seed, rng):
        for seat in range(NUM_SEATS):
            other = exchange_hidden(states, seat, rng)
            before = {**driver.seen(states, seat), **driver.rendered(seat), **_pictures(states, seat)}
            neighbour = driver.seen(states, (seat + 1) % NUM_SEATS)
            after = {**driver.seen(other, seat), **driver.rendered(seat), **_pictures(other, seat)}
            changed = _differences(before, after)
            assert not changed, (
                f"player_{seat} is shown hidden cards: {', '.join(changed)} changed when cards that it cannot see were "
                f"exchanged, {_where(states, decision)}"
            )
            others_changed += bool(_differences(neighbour, driver.seen(other, (seat + 1) % NUM_SEATS)))
            compared += len(states)
    assert others_changed, "no exchange of hidden cards changed what their owner sees, so nothing was checked"
    return compared


def check_rotation(env: Any = None, *, decisions: int = 120, seed: int = 0) -> int:
    """Check that observations do not depend on the absolute seat: if the table is turned, they turn with it.

    Args:
        env: the environment, or None for a new ``env()``.
        decisions: how many decisions of random play to check.
        seed: of the play.

    Returns:
        The number of pairs of states compared.

    Raises:
        AssertionError: the message names the seat, the rotation and what did not follow it.
    """
    decisions, seed = positive("decisions", decisions), int(game_seed(seed))
    driver = _driver(env)
    rng = np.random.default_rng(seed)
    compared = 0
    for decision, states in _positions(driver, decisions, seed, rng):
        for seat in range(NUM_SEATS):
            before = driver.seen(states, seat)
            for by in range(1, NUM_SEATS):
                turned = driver.seen(rotated(states, by), (seat + by) % NUM_SEATS)
                changed = _differences(before, turned)
                assert not changed, (
                    f"player_{seat} and, with the table turned by {by}, player_{(seat + by) % NUM_SEATS} are shown "
                    f"different things: {', '.join(changed)}, {_where(states, decision)}"
                )
                compared += len(states)
    return compared


def check_conservation(states: np.ndarray) -> None:
    """Check that every card of the pack is in exactly one place, and that redundant fields of the state agree.

    Args:
        states: (n,) STATE, such as ``env.get_state()``.

    Raises:
        AssertionError: the message names the env index, and the cards or the field.
    """
    _need_states(states)
    pack = Counter({**dict.fromkeys(range(NUM_PLAIN), 1), JOKER: NUM_JOKERS})
    for index, game in enumerate(states):
        hands = [contents.cards_of(bits) for bits in game["hand"]]
        table = contents.cards_of(game["sets"]) + contents.cards_of(game["runs"])
        pile, stock = game["pile_card"][: int(game["pile_size"])].tolist(), _stock(game)
        places = Counter(card for place in (*hands, table, pile, stock) for card in place)
        wrong = [f"{CARD_NAMES[card]} x {places[card]}" for card in sorted(pack | places) if places[card] != pack[card]]
        assert not wrong, f"env {index}: cards lost or doubled: {', '.join(wrong)}"
        laid = Counter(card for bits in game["laid"] for card in contents.cards_of(bits))
        assert laid == Counter(table), f"env {index}: laid is not what lies in sets and runs"
        assert sorted(pile) == contents.cards_of(game["pile"]), f"env {index}: pile is not the cards of pile_card"
        assert len(pile) + len(stock) <= MAX_PILE, f"env {index}: pile and stock hold {len(pile) + len(stock)} cards"
        assert int(game["run_low"]) & ~int(game["runs"]) == 0, f"env {index}: run_low holds cards that lie in no run"
        for seat in range(NUM_SEATS):
            not_held = Counter(contents.cards_of(game["known"][seat])) - Counter(hands[seat])
            assert not not_held, f"env {index}: known of seat {seat} holds cards that are not in its hand"


def exchange_hidden(states: np.ndarray, seat: int, rng: np.random.Generator) -> np.ndarray:
    """Games that ``seat`` cannot tell from the given ones, with all hidden information drawn again.

    The hidden cards of the other hands and the stock are exchanged; the generators and the decks of later deals are
    replaced. Everybody knows that a seat which has taken a card can meld it (rule R25). If the new hand of that seat
    cannot, another exchange is drawn; after ``TRIES`` of them the seat keeps its own hand.

    Args:
        states: (n,) STATE; not changed.
        seat: the seat that looks, 0..3.
        rng: source of the exchanges.

    Returns:
        (n,) STATE.
    """
    _need_states(states)
    seat = whole_number("seat", seat, 0, NUM_SEATS - 1, f"a seat 0..{NUM_SEATS - 1}")
    exchanged = states.copy()
    for index in range(len(states)):
        others = [other for other in range(NUM_SEATS) if other != seat]
        game = exchanged[index : index + 1]
        for _ in range(TRIES):
            game[:] = states[index : index + 1]
            _exchange(game[0], others, rng)
            if not _cannot_meld(game):
                break
        else:
            game[:] = states[index : index + 1]
            _exchange(game[0], [other for other in others if other != game["seat"][0]], rng)
    return exchanged


def _cannot_meld(game: np.ndarray) -> bool:
    """Whether the seat to move owes a meld that it cannot make."""
    if int(game["phase"][0]) != MELD_PHASE or int(game["owed"][0]) == NOTHING_OWED:
        return False
    words = np.zeros((1, WORDS), dtype=np.uint64)
    batch_kernels.legal_words(game, words, 0, 1)
    return not words.any()


def _exchange(game: np.void, others: list[int], rng: np.random.Generator) -> None:
    known = {other: contents.cards_of(game["known"][other]) for other in others}
    unknown = {
        other: list((Counter(contents.cards_of(game["hand"][other])) - Counter(known[other])).elements())
        for other in others
    }
    stock = _stock(game)
    pool = rng.permutation([card for other in others for card in unknown[other]] + stock).astype(int).tolist()
    for other in others:
        drawn = [pool.pop() for _ in unknown[other]]
        game["hand"][other] = bits_of(known[other] + drawn)
    deal = int(game["deal"])
    dealt = list((Counter(game["decks"][deal].tolist()) - Counter(pool)).elements())
    game["decks"][deal] = [*rng.permutation(dealt).astype(int), *pool]
    for later in range(deal + 1, int(game["deals"])):
        game["decks"][later] = np.minimum(rng.permutation(NUM_CARDS), JOKER)
    game["rng"] = rng.integers(1, 2**63, size=2)
    game["sample_rng"] = rng.integers(1, 2**63)


def rotated(states: np.ndarray, by: int) -> np.ndarray:
    """Games with the table turned: everything of seat ``s`` moves to seat ``(s + by) % 4``.

    Args:
        states: (n,) STATE; not changed.
        by: seats to turn by, any integer.

    Returns:
        (n,) STATE.
    """
    _need_states(states)
    if not is_whole(by):
        raise TypeError(f"by={shown(by)}: expected a whole number of seats")
    turned = states.copy()
    by = int(by)
    by %= NUM_SEATS
    for field in (*BY_SEAT, *BY_TEAM):
        turned[field] = np.roll(states[field], by, axis=1)
    for field in ("seat", "dealer", "out", "pile_seat"):
        turned[field] = np.where(states[field] == NOBODY, NOBODY, (states[field] + by) % NUM_SEATS)
    return turned


def _need_states(states: Any) -> None:
    if not isinstance(states, np.ndarray) or states.dtype != STATE or states.ndim != 1:
        found = f"{states.dtype} {states.shape}" if isinstance(states, np.ndarray) else shown(states)
        raise TypeError(f"states={found}: expected STATE records, shape (n,), such as env.get_state()")


def _stock(game: np.void) -> list[int]:
    """The stock in the order in which it is drawn."""
    return game["decks"][int(game["deal"])][NUM_CARDS - int(game["stock_size"]) :].tolist()


class _OneGame:
    """An AEC environment, wrapped or not."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int) -> None:
        self.env.reset(seed=seed)

    def states(self) -> np.ndarray:
        return self.env.unwrapped.get_state()

    def seen(self, states: np.ndarray, seat: int) -> dict[str, np.ndarray]:
        """All arrays that the environment shows to a seat, by name, after the game is set to ``states``."""
        env = self.env
        agent = env.possible_agents[seat]
        env.unwrapped.set_state(states)
        shown = dict(_named_arrays("", env.observe(agent)))
        if env.agent_selection == agent:
            observation, reward, _, _, info = env.last()
            shown |= dict(_named_arrays("last()", {**observation, "reward": reward, "info": info}))
        return shown | dict(_named_arrays("info", env.infos[agent]))

    def rendered(self, seat: int) -> dict[str, np.ndarray]:
        """The drawing of ``render()``, if the seat is its viewer."""
        env = self.env
        shows = env.unwrapped.viewer == seat and env.unwrapped.render_mode in ("ansi", "rgb_array")
        return {"render()": np.asarray(env.render())} if shows else {}

    def play(self, states: np.ndarray, rng: np.random.Generator) -> None:
        env = self.env
        env.unwrapped.set_state(states)
        if states["ended"][0]:
            env.reset()
        else:
            env.step(_choose(env.observe(env.agent_selection)["action_mask"], rng))


class _ManyGames:
    """A vector environment."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int) -> None:
        self.env.reset(seed=seed)

    def states(self) -> np.ndarray:
        return self.env.get_state()

    def seen(self, states: np.ndarray, seat: int) -> dict[str, np.ndarray]:
        shown = self.env.set_state(states)
        mine = shown.seat == seat
        named = dict(_named_arrays("", {"observation": self.env.observe(seat), "action_mask": shown.action_mask[mine]}))
        return named | dict(_named_arrays("to move", {"observation": shown.observation[mine]}))

    def rendered(self, _seat: int) -> dict[str, np.ndarray]:
        return {}  # a vector environment does not render

    def play(self, states: np.ndarray, rng: np.random.Generator) -> None:
        mask = self.env.set_state(states).action_mask
        ended = states["ended"].astype(bool)
        if ended.any() and self.env.autoreset_mode == "DISABLED":
            self.env.reset(options={"reset_mask": ended})
        else:
            self.env.step(np.array([0 if over else _choose(row, rng) for row, over in zip(mask, ended, strict=True)]))


def _driver(env: Any) -> _OneGame | _ManyGames:
    if env is None:
        from .aec import env as make_env

        env = make_env()
    if not hasattr(env, "num_envs") and not hasattr(getattr(env, "unwrapped", None), "set_state"):
        raise TypeError(
            f"env={shown(env)}: expected env(), raw_env(), PersianRummyVecEnv, or a wrapper of these, or None"
        )
    return _ManyGames(env) if hasattr(env, "num_envs") else _OneGame(env)


def _positions(
    driver: _OneGame | _ManyGames, decisions: int, seed: int, rng: np.random.Generator
) -> Iterator[tuple[int, np.ndarray]]:
    """The states of random play, each with its number."""
    driver.reset(seed)
    states = driver.states()
    for decision in range(decisions):
        yield decision, states
        driver.play(states, rng)
        states = driver.states()


def _choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A random legal action. Half of the time it is a take, meld or lay-off if there is one, so that the table and the
    known cards fill up."""
    legal = np.flatnonzero(mask)
    lively = legal[(legal < DISCARD.start) & (legal != DRAW.start) & (legal != PASS.start)]
    return int(rng.choice(lively if len(lively) and rng.random() < 0.5 else legal))


def _named_arrays(name: str, shown: Any) -> Iterator[tuple[str, np.ndarray]]:
    """The arrays in an output, by name; an observation is split into its blocks."""
    if isinstance(shown, dict):
        for key, value in shown.items():
            yield from _named_arrays(f"{name} {key}".strip(), value)
    elif isinstance(shown, np.ndarray) and shown.shape[-1:] == (SIZE,):
        yield from ((f"block {block.name!r} of the {name}", shown[..., block.slice]) for block in BLOCKS)
    else:
        yield name, np.asarray(shown)


def _pictures(states: np.ndarray, seat: int) -> dict[str, np.ndarray]:
    """Text and picture of the first game for a seat."""
    return {
        "the text of the table": np.asarray(ansi.ansi(states[0], seat)),
        "the picture of the table": np.asarray(draw_table(states[0], seat)),
    }


def _differences(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> list[str]:
    """The names whose arrays differ."""
    nothing = np.empty(0)
    return [name for name in {**one, **other} if not _same(one.get(name, nothing), other.get(name, nothing))]


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return one.dtype.kind == other.dtype.kind and np.array_equal(one, other)


def _where(states: np.ndarray, decision: int) -> str:
    phases = sorted({PHASES[phase] for phase in states["phase"].tolist()})
    return f"at decision {decision} ({', '.join(phases)})"
