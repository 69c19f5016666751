"""Games that a caller hands in stay whole: after an exception, in any form of array, whatever else is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from persian_rummy_env.core import arena_kernels, batch_kernels, belief_kernels, bot_kernels
from persian_rummy_env.evaluation.arena import new_games, play
from persian_rummy_env.evaluation.match import deal_seeds, play_match, play_pairs
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import BasePolicy, as_policy
from persian_rummy_env.players.policy_io import answer_of, choose, decide, sample_worlds, show, views_of
from persian_rummy_env.players.priors import ExpertPrior
from persian_rummy_env.players.search import SearchPolicy
from persian_rummy_env.rules import RuleSet
from tests.env.play import COMPILED

HUGE = 10**5000
LONG = list(range(100_000))
NO_NUMBER: list[Any] = [True, 0.5, float("nan"), "1", b"1", [1], {}, object(), 1j, np.array([1, 2]), np.True_, LONG]
KERNELS = [
    kernel
    for module in (arena_kernels, batch_kernels, belief_kernels, bot_kernels)
    for kernel in vars(module).values()
    if hasattr(kernel, "signatures")
]


class First(BasePolicy):
    """The first legal action; after ``lives`` decisions it raises."""

    name = "first"

    def __init__(self, lives: float = float("inf"), error: type[BaseException] = RuntimeError) -> None:
        self.lives = lives
        self.error = error

    def act(self, batch: Any) -> np.ndarray:
        self.lives -= 1
        if self.lives < 0:
            raise self.error("planted")
        return batch.action_mask.argmax(axis=1)


def dealt(count: int = 5) -> np.ndarray:
    return new_games(np.arange(1, count + 1), np.arange(count) % 4, deals=1)


def who(count: int = 5) -> np.ndarray:
    return np.tile([0, 1, 0, 1], (count, 1))


def forms(games: np.ndarray) -> dict[str, np.ndarray]:
    """Records of the same games that compiled code would take for other types; all can be written to."""
    loose = np.zeros(len(games) * games.itemsize + 1, dtype=np.uint8)[1:].view(games.dtype)
    loose[:] = games
    return {"strided": np.repeat(games, 2)[::2], "backwards": games[::-1].copy()[::-1], "unaligned": loose}


def locked(games: np.ndarray) -> np.ndarray:
    games = games.copy()
    games.setflags(write=False)
    return games


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("lives", [0, 1, 7])
def test_games_are_as_they_were_after_an_exception(lives: int, error: type[BaseException]) -> None:
    games = dealt()
    before = games.copy()
    with pytest.raises(error, match="planted"):
        play(games, [First(lives, error), load("greedy")], who())
    assert (games == before).all()
    decisions = play(games, [First(), load("greedy")], who())
    assert (play(before, [First(), load("greedy")], who()) == decisions).all()
    assert (games == before).all()


@pytest.mark.parametrize("form", ["strided", "backwards", "unaligned"])
def test_the_form_of_an_array_changes_nothing(form: str) -> None:
    for players in ([First(), load("greedy")], [load("deepest"), load("greedy")]):
        games = dealt()
        other = forms(games)[form]
        assert (play(other, players, who()) == play(games, players, who())).all()
        assert (other == games).all()
    games = dealt()
    other = forms(games)[form]
    for one in (games, other):
        decide(one, np.arange(5), First())
    assert (other == games).all()
    assert (games != dealt()).all()
    assert (choose(other, load("greedy")) == choose(games, load("greedy"))).all()


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_no_form_of_an_array_is_compiled_for() -> None:
    games, lanes = dealt(), np.arange(5)
    play(dealt(), [First(), load("greedy")], who())
    play(dealt(), [load("greedy")], np.zeros((5, 4), dtype=np.int64))
    show(games, lanes, views=True)
    decide(dealt(), lanes, First())
    choose(games, load("greedy"))
    sample_worlds(games, games["seat"], 2, np.random.default_rng(1))
    before = [len(kernel.signatures) for kernel in KERNELS]
    for form in forms(games).values():
        play(form, [First(), load("greedy")], np.asfortranarray(who().astype(np.uint8)))
        play(form, [load("greedy")], np.broadcast_to(np.int16(0), (5, 4)))
    for form in [*forms(games).values(), locked(games)]:
        for some in (lanes.astype(np.int16), lanes[::-1].copy()[::-1], locked(lanes), lanes.astype(">i8")):
            answer_of(First(), dealt() if form["phase"][0] else form, some)
            views_of(form, some, form["seat"])
        if not form["phase"][0]:
            choose(form, load("greedy"))
        sample_worlds(form, form["seat"][::-1], 2, np.random.default_rng(1))
        if form.flags.writeable and not form["phase"][0]:
            decide(form, lanes.astype(np.uint8), First())
    assert [len(kernel.signatures) for kernel in KERNELS] == before


def half(games: np.ndarray) -> np.ndarray:
    games["hand"][0, 0] = 0
    return games


BAD_GAMES: dict[str, Callable[[], Any]] = {
    "of another type": lambda: dealt().view(np.uint8),
    "another byte order": lambda: dealt().astype(dealt().dtype.newbyteorder(">")),
    "one record": lambda: dealt()[0],
    "a square": lambda: dealt(4).reshape(2, 2),
    "a list": lambda: dealt().tolist(),
    "nothing": lambda: None,
    "never dealt": lambda: np.zeros_like(dealt()),
    "cards lost": lambda: half(dealt()),
}


@pytest.mark.parametrize("bad", BAD_GAMES)
def test_what_is_no_game_is_not_played(bad: str) -> None:
    games = BAD_GAMES[bad]()
    calls = [lambda: play(games, [First()], np.zeros((5, 4), dtype=int)), lambda: choose(games, First())]
    if bad not in ("never dealt", "cards lost"):
        calls += [lambda: decide(games, np.arange(5), First()), lambda: show(games, np.arange(5))]
        calls += [lambda: sample_worlds(games, np.zeros(5, int), 1, np.random.default_rng(1))]
    for call in calls:
        with pytest.raises((TypeError, ValueError), match="expected") as refused:
            call()
        assert "\n" not in str(refused.value)


def test_games_that_cannot_be_written_to_are_refused_where_they_are_played() -> None:
    for call in (
        lambda: play(locked(dealt()), [First()], np.zeros((5, 4), dtype=int)),
        lambda: decide(locked(dealt()), np.arange(5), First()),
    ):
        with pytest.raises(ValueError, match="cannot be written to"):
            call()


def test_games_that_are_over_have_nobody_to_ask() -> None:
    games = dealt()
    play(games, [First()], np.zeros((5, 4), dtype=int))
    for player in (First(), load("greedy")):
        with pytest.raises(ValueError, match=r"games\[0\] is over"):
            choose(games, player)
    for call in (answer_of, lambda player, games, lanes: decide(games, lanes, player)):
        with pytest.raises(ValueError, match=r"games\[2\] is over"):
            call(First(), games, np.array([2]))


BAD_LANES = [[5], [-1], [0.0], [[0]], ["0"], [True], 0, None, [2**63], np.array([0, 1], bool), [HUGE]]


@pytest.mark.parametrize(
    "lanes", BAD_LANES, ids=lambda one: "huge" if type(one) is list and one == [HUGE] else repr(one)
)
def test_lanes_that_there_are_not(lanes: Any) -> None:
    games = dealt()
    for call in (
        lambda: show(games, lanes),
        lambda: answer_of(First(), games, lanes),
        lambda: decide(games, lanes, First()),
        lambda: views_of(games, lanes, np.zeros(1, int)),
    ):
        with pytest.raises((TypeError, ValueError), match=r"lanes.*expected"):
            call()
    with pytest.raises(ValueError, match="no game twice"):
        decide(games, np.array([1, 1]), First())
    assert games.tobytes() == dealt().tobytes()


BAD_SEATS = [
    np.zeros((5, 3), int), np.zeros((4, 4), int), np.full((5, 4), 2), np.full((5, 4), -1), np.zeros((5, 4)),
    np.zeros((5, 4), bool), None, "0000", [[0] * 4] * 4,
]  # fmt: skip


@pytest.mark.parametrize("seated", BAD_SEATS)
def test_seats_of_nobody(seated: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"who.*expected"):
        play(dealt(), [First(), First()], seated)


@pytest.mark.parametrize("code", [17, -2, 127, 128, 2**40, 0.0, "0", None, True])
def test_codes_of_no_bot(code: Any) -> None:
    class Coded(First):
        pass

    setattr(Coded, "code", code)  # noqa: B010 - the type says nothing of it
    for call in (lambda: as_policy(Coded()), lambda: play(dealt(), [Coded()], np.zeros((5, 4), int))):
        with pytest.raises(ValueError, match=r"code=.*expected"):
            call()


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.uint64])
def test_integers_of_numpy_are_integers(kind: Any) -> None:
    one = SearchPolicy(
        "greedy", worlds=kind(2), threads=kind(1), seed=kind(3), prior=ExpertPrior(), prior_worlds=kind(4)
    )
    two = SearchPolicy("greedy", worlds=2, threads=1, seed=3, prior=ExpertPrior(), prior_worlds=4)
    assert one.name == two.name
    games = dealt()
    assert (choose(games, one) == choose(games, two)).all()
    greedy, random = load("greedy"), load("random")
    apart = [
        play_match(greedy, random, pairs, seed).as_dict() | {"seconds": 0}
        for pairs, seed in ((3, 5), (kind(3), kind(5)))
    ]
    assert apart[0] == apart[1]
    assert (deal_seeds(kind(5), kind(3)) == deal_seeds(5, 3)).all()
    assert new_games(np.arange(3, dtype=kind), np.zeros(3, dtype=np.int8), deals=kind(1)).tobytes() == dealt_from_zero()
    assert SearchPolicy("greedy", ms=np.float64(2)).budget == 2


def dealt_from_zero() -> bytes:
    return new_games(np.arange(3), np.zeros(3, dtype=int), deals=1).tobytes()


SEARCH: dict[str, list[Any]] = {
    "worlds": [*NO_NUMBER, 0, -1, -HUGE],
    "playouts": [*NO_NUMBER, 0, -1],
    "ms": [True, "1", [1], 0, -1, float("nan"), float("inf"), 1j, LONG],
    "threads": [*NO_NUMBER, 0, -1],
    "seed": [*NO_NUMBER, -1, 2**64, HUGE],
    "player": [*NO_NUMBER, 1, HUGE, "greed"],
    "method": [*NO_NUMBER, 1, "half"],
    "prior": [*NO_NUMBER, 1, "expert"],
}


def refused(call: Callable[[], Any], name: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        call()
    text = str(raised.value)
    assert name in text, text
    assert "expected" in text or "known are" in text, text
    assert "\n" not in text
    assert len(text) < 500


@pytest.mark.parametrize("name", SEARCH)
def test_arguments_of_search(name: str) -> None:
    for value in SEARCH[name]:
        refused(lambda value=value: SearchPolicy(**{name: value}), name)
    for value in [True, "1", [1], -1, 1001, float("nan"), HUGE]:
        refused(lambda value=value: SearchPolicy(prior=ExpertPrior(), prior_worlds=value), "prior_worlds")


MATCH: dict[str, list[Any]] = {
    "pairs": [*NO_NUMBER, None, 0, -1, 2**31, HUGE],
    "seed": [*NO_NUMBER, None, -1],
    "rules": [True, 1, "deals=1", [1], {"a": 1}],
    "episode": [*NO_NUMBER, None, "match"],
    "split_stock": [None, 0, 1, "yes", []],
    "within": [True, "1", [1], -1, float("nan"), 1j],
}


@pytest.mark.parametrize("name", MATCH)
def test_arguments_of_a_match(name: str) -> None:
    for value in MATCH[name]:
        given = {"pairs": 2, "seed": 1, name: value}
        refused(lambda given=given: play_match(load("greedy"), load("random"), **given), name)


PAIRS: dict[str, list[Any]] = {
    "first": [*NO_NUMBER, None, -1, 2**31, HUGE],
    "rules": MATCH["rules"],
    "episode": MATCH["episode"],
    "split_stock": MATCH["split_stock"],
}


@pytest.mark.parametrize("name", PAIRS)
def test_arguments_of_pairs(name: str) -> None:
    for value in PAIRS[name]:
        given = {"seeds": [1, 2], "first": 0, "rules": RuleSet(), "episode": "deal", name: value}
        refused(lambda given=given: play_pairs(load("greedy"), load("random"), **given), name)


NEW_GAMES: dict[str, list[Any]] = {
    "seeds": [[0.5], [-1], ["1"], [True], [2**64], [[1]], 1, None, np.array([1.0])],
    "dealers": [[4], [-2], [0.0], [[0]], [0, 1], 0, None, [True], [300]],
    "deals": [0, 5, 1.0, "1", True],
    "split_stock": [0, 1, "no", None],
    "rules": [1, "deals=1", {"a": 1}],
}


@pytest.mark.parametrize("name", NEW_GAMES)
def test_arguments_of_new_games(name: str) -> None:
    for value in NEW_GAMES[name]:
        given = {"seeds": [1], "dealers": [0], name: value}
        refused(lambda given=given: new_games(**given), name)
