"""The table that people sit at: legal actions, taking back, views, records, going on with an unfinished game."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import RuleSet
from persian_rummy_env.actions import ACTION_NAMES
from persian_rummy_env.apps import game
from persian_rummy_env.apps.game import TableError, TableGame
from persian_rummy_env.apps.seat_view import seat_view
from persian_rummy_env.apps.seating import HUMAN, draw, parse_seats, players_of
from persian_rummy_env.apps.terminal.typed import NotAnActionError, parse
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy_io import PolicyError, choose
from persian_rummy_env.records.replay import verify

NAMES = ("a", "b", "c", "d")


def play_on(table: TableGame, rng: np.random.Generator, stop: int | None = None) -> None:
    """Play random legal actions, to the end or until so many were played."""
    while not table.over and (stop is None or len(table.played) < stop):
        table.play(table.legal[rng.integers(len(table.legal))])


def meldable(seed: int = 0) -> TableGame:
    """A table whose seat to move has drawn and may meld."""
    rng = np.random.default_rng(seed)
    table = TableGame(seed=seed)
    while not any(action.startswith("meld") for action in table.legal):
        table.play("draw" if "draw" in table.legal else table.legal[rng.integers(len(table.legal))])
    return table


def test_what_is_not_legal_changes_nothing() -> None:
    table = TableGame(seed=1)
    before = table.games()
    for action in ("discard AS", "resign", "", -1, 547, "pass"):
        with pytest.raises(TableError):
            table.play(action)
    assert np.array_equal(table.games(), before)
    assert table.played == ()


def test_melds_are_taken_back_in_order_and_a_draw_and_a_discard_are_not() -> None:
    table = meldable()
    assert not table.can_undo
    with pytest.raises(TableError, match="has been seen"):
        table.undo()
    before, legal = table.games(), table.legal
    played = len(table.played)
    table.play(next(action for action in legal if action.startswith("meld")))
    assert table.can_undo
    table.undo()
    assert np.array_equal(table.games(), before)
    assert table.legal == legal
    assert len(table.played) == played
    table.play(next(action for action in table.legal if action.startswith("discard")))
    with pytest.raises(TableError, match="before the discard"):
        table.undo()


def test_a_take_is_taken_back() -> None:
    rng = np.random.default_rng(3)
    table = TableGame(seed=3)
    while not any(action.startswith("take") for action in table.legal):
        table.play(table.legal[rng.integers(len(table.legal))])
    before = table.games()
    table.play(next(action for action in table.legal if action.startswith("take")))
    table.undo()
    assert np.array_equal(table.games(), before)


def test_the_seat_to_move_is_told_the_card_that_it_drew() -> None:
    rng = np.random.default_rng(8)
    table = TableGame(seed=8)
    drawn: str | None = None
    kinds = set()
    while not table.over:
        assert table.drew == drawn
        for seat in range(4):
            assert seat_view(table, seat)["drew"] == (drawn if seat == table.seat else None)
        seat, deal = table.seat, len(table.ends)
        before = seat_view(table, seat)["hands"][seat]["cards"]
        melds = [action for action in table.legal if action.startswith("meld")]
        action = (melds or table.legal)[rng.integers(len(melds or table.legal))]
        table.play(action)
        kinds.add((action.split()[0], drawn is not None))
        if action == "draw":
            [drawn] = Counter(seat_view(table, seat)["hands"][seat]["cards"]) - Counter(before)
        elif table.seat != seat or len(table.ends) != deal:
            drawn = None
    assert kinds >= {("draw", False), ("take", False), ("meld", True), ("discard", True), ("discard", False)}
    assert table.drew is None


@pytest.mark.parametrize("seed", range(5))
def test_the_record_of_a_game_verifies_also_after_taking_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = TableGame(RuleSet(deals=2), seed)
    undone = 0
    while not table.over:
        play_on(table, rng, len(table.played) + 1)
        if table.can_undo and rng.random() < 0.3:
            table.undo()
            undone += 1
    assert verify(table.record(NAMES)) is None
    assert len(table.ends) == 2
    assert [list(end.score) for end in table.ends] == [deal["score"] for deal in table.record(NAMES)["deals"]]
    assert undone > 0


def test_there_is_no_record_before_the_end() -> None:
    with pytest.raises(TableError, match="not over"):
        TableGame(seed=1).record(NAMES)


def test_an_unfinished_game_goes_on_as_it_stood() -> None:
    rng = np.random.default_rng(5)
    table = TableGame(seed=5, dealer=2)
    play_on(table, rng, 30)
    saved = json.loads(json.dumps(table.unfinished(NAMES, [HUMAN] * 4)))
    again = TableGame.resume(saved)
    assert np.array_equal(again.games(), table.games())
    for damage in (
        {"format": "x"},
        {"actions": ["draw", "draw"]},
        {"seed": "x"},
        {"rules": {"deals": 9}},
        {"actions": 5},
    ):
        with pytest.raises(ValueError, match=r".+"):
            TableGame.resume({**saved, **damage})
    with pytest.raises(TableError, match="actions: missing"):
        TableGame.resume({name: value for name, value in saved.items() if name != "actions"})


def test_a_view_does_not_change_with_what_the_seat_cannot_see() -> None:
    rng = np.random.default_rng(9)
    table = TableGame(seed=9)
    changed = 0
    while not table.over:
        for seat in range(4):
            before, others = seat_view(table, seat), seat_view(table, (seat + 1) % 4)
            truth = table._now
            table._now = truth._replace(games=exchange_hidden(truth.games, seat, rng))
            assert {**seat_view(table, seat), "legal": before["legal"]} == before
            changed += seat_view(table, (seat + 1) % 4) != others
            table._now = truth
        play_on(table, rng, len(table.played) + 1)
    assert changed > 100


def test_policies_choose_without_changing_the_table() -> None:
    table = meldable(4)
    before = table.games()
    for name in (
        "random",
        "greedy",
        "deepest",
        "expert",
        "search(deepest, worlds=2)",
        "python:tests.agents.strangers:First",
    ):
        assert ACTION_NAMES[choose(table.games(), load(name))[0]] in table.legal
    assert np.array_equal(table.games(), before)
    for name in ("Unmasked", "Floats", "TooFew", "Beyond"):
        with pytest.raises(PolicyError):
            choose(table.games(), load(f"python:tests.agents.strangers:{name}"))


def test_the_draw_seats_the_players_who_were_named() -> None:
    players = parse_seats("human,expert,search(deepest, worlds=2),expert", ["Ada"])
    players_by_seat, seating = draw(players, 7)
    assert sorted(player.name for player in players_by_seat) == sorted(player.name for player in players)
    assert seating.names[0].startswith(players_by_seat[0].name)
    assert seating.dealer == 0
    for wrong in (["human"] * 3, ["human"] * 5):
        with pytest.raises(ValueError, match="expected 4"):
            players_of(wrong)


LEGAL = ["meld 4D 4H 4S", "layoff 6S run", "discard 9H", "discard TS", "discard JK"]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("1", "meld 4D 4H 4S"), ("m 4s 4d 4h", "meld 4D 4H 4S"), ("MELD 4D 4H 4S", "meld 4D 4H 4S"),
        ("l 6s", "layoff 6S run"), ("d 9h", "discard 9H"), ("d 10s", "discard TS"), ("discard jk", "discard JK"),
    ],
)  # fmt: skip
def test_what_is_typed_is_understood(text: str, action: str) -> None:
    assert parse(text, LEGAL) == action


@pytest.mark.parametrize("text", ["", "d", "0", "6", "foo", "d 2c", "m 4d 4h 5s", "draw", "\u0663\u0664"])
def test_what_is_not_understood_is_said(text: str) -> None:
    with pytest.raises(NotAnActionError, match=r".+"):
        parse(text, LEGAL)


def _standing(table: TableGame) -> tuple[Any, ...]:
    return table.games().tobytes(), table.legal, table.played, table.ends, table.can_undo, table.drew


@pytest.mark.parametrize("place", ["play_lanes", "result_of", "last_hands", "_legal", "_drawn"])
def test_an_interrupt_comes_before_an_action_or_after_it(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """Wherever in ``play`` it comes: the table stands as before, and its game has the record that it would have had."""
    table, undisturbed = TableGame(RuleSet(deals=1), seed=11, dealer=0), TableGame(RuleSet(deals=1), seed=11, dealer=0)
    home = game.arena_kernels if place == "play_lanes" else game
    whole = getattr(home, place)

    def interrupted(*given: Any) -> Any:
        whole(*given)
        raise KeyboardInterrupt

    stopped = 0
    while not table.over:
        action = table.legal[0]
        stood = _standing(table)
        with monkeypatch.context() as patch:
            patch.setattr(home, place, interrupted)
            try:
                table.play(action)
            except KeyboardInterrupt:
                stopped += 1
                assert _standing(table) == stood
                patch.undo()
                table.play(action)
        undisturbed.play(action)
    assert stopped
    assert table.record(NAMES) == undisturbed.record(NAMES)


@pytest.mark.parametrize(
    "action",
    [0.7, "0", None, True, -1, 547, 10**5000, [1], b"draw"],
    ids=lambda one: str(one)[:9] if one != 10**5000 else "huge",
)
def test_what_is_no_action_is_refused(action: Any) -> None:
    table = TableGame(seed=3)
    with pytest.raises(TableError):
        table.play(action)
    assert table.played == ()


def test_integers_of_numpy_are_integers_at_a_table() -> None:
    one, two = TableGame(seed=np.uint64(3), dealer=np.int8(2)), TableGame(seed=3, dealer=2)  # type: ignore[arg-type]
    assert (one.seed, one.games().tobytes()) == (3, two.games().tobytes())
    assert type(one.unfinished(NAMES, ["human"] * 4)["dealer"]) is int
    bad: list[dict[str, Any]] = [{"seed": seed} for seed in (-1, 0.5, "1")]
    bad += [{"dealer": dealer} for dealer in (4, 0.0, True)]
    for given in [*bad, {"rules": 1}]:
        with pytest.raises((ValueError, TypeError), match=f"{next(iter(given))}=.*expected"):
            TableGame(**given)
