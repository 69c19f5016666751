"""The table as text and the render modes: what they show, and what a viewer may not see."""

import io
import os
import re
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import env
from persian_rummy_env.cards import CARD_NAMES, cards_in
from persian_rummy_env.drawing import ansi, contents, raster, terminal
from persian_rummy_env.envs.testing import exchange_hidden
from tests.env.aec_play import GOING_OUT, OUT_AT_ONCE, leave, over, play, play_on
from tests.env.play import equal, position, scaled
from tests.env.play import play as play_vector

CODE = re.compile(r"\x1b\[[0-9;]*m")


def laid(game: np.void) -> list[str]:
    return [
        f"{meld.kind} "
        + " ".join(f"{CARD_NAMES[card]}/{seat}" for card, seat in zip(meld.cards, meld.seats, strict=True))
        for meld in contents.melds(game)
    ]


def games(seed: int, steps: int) -> Any:
    """States of random play, ends included."""
    table = env(episode="deal")
    table.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        yield table.get_state()
        table.reset() if over(table) else play_on(table, rng, steps=1)


def colours(picture: np.ndarray) -> int:
    """How many different colours there are in a picture."""
    return len(np.unique(picture.astype(np.int32) @ [1 << 16, 1 << 8, 1]))


TABLE = [(0, "3S 4S 5S"), (1, "JH QH KH AH"), (2, "9C 9D 9S"), (3, "JK JK JK"), (1, "7C 8C 9C TC"), (0, "6D 7D 8D")]


def test_melds_lie_as_they_were_laid() -> None:
    table = position({1: "2C"}, table=TABLE[:4] + TABLE[5:])
    assert laid(table.get_state()[0]) == [
        "set 9C/2 9D/2 9S/2",
        "set JK/3 JK/3 JK/3",
        "run 6D/0 7D/0 8D/0",
        "run JH/1 QH/1 KH/1 AH/1",
        "run 3S/0 4S/0 5S/0",
    ]


def test_a_card_laid_off_lies_on_its_meld_and_belongs_to_who_laid_it() -> None:
    table = position({1: "2S 6S 9H JK TH 2C 3C"}, table=TABLE[:4], pile="2D", stock="2H 3H")
    play_vector(table, "draw", "layoff 6S run", "layoff 2S run", "layoff TH run", "layoff 9H set", "layoff JK set")
    assert laid(table.get_state()[0]) == [
        "set 9C/2 9D/2 9H/1 9S/2",
        "set JK/1 JK/3 JK/3 JK/3",
        "run TH/1 JH/1 QH/1 KH/1 AH/1",
        "run 2S/1 3S/0 4S/0 5S/0 6S/1",
    ]


@pytest.mark.rules("R37")
def test_a_card_between_two_runs_lies_on_the_lower_one() -> None:
    table = position({1: "7S 2C 3C"}, table=[(0, "4S 5S 6S"), (2, "8S 9S TS")], pile="2D", stock="2H 3H")
    play_vector(table, "draw", "layoff 7S run")
    assert laid(table.get_state()[0]) == ["run 4S/0 5S/0 6S/0 7S/1", "run 8S/2 9S/2 TS/2"]


def test_runs_that_touch_stay_two() -> None:
    table = position(
        {1: "2C"}, table=[(0, "4S 5S 6S"), (2, "7S 8S 9S"), (3, "TS JS QS KS AS"), (1, "2H 3H 4H")], pile="2D"
    )
    assert laid(table.get_state()[0]) == [
        "run 2H/1 3H/1 4H/1",
        "run 4S/0 5S/0 6S/0",
        "run 7S/2 8S/2 9S/2",
        "run TS/3 JS/3 QS/3 KS/3 AS/3",
    ]


def test_melds_hold_each_card_of_the_table_once_and_are_melds() -> None:
    for state in games(seed=4, steps=scaled(400, least=60)):
        game = state[0]
        melds = contents.melds(game)
        shown = Counter(CARD_NAMES[card] for meld in melds for card in meld.cards)
        assert shown == Counter(cards_in(game["sets"]) + cards_in(game["runs"]))
        for meld in melds:
            assert len(meld.cards) == len(meld.seats) >= 3
            if meld.kind == "run":
                assert list(meld.cards) == list(range(meld.cards[0], meld.cards[0] + len(meld.cards)))
                assert len({card // 13 for card in meld.cards}) == 1
            else:
                assert len({CARD_NAMES[card][0] for card in meld.cards}) == 1
        by_seat = Counter(seat for meld in melds for seat in meld.seats)
        assert by_seat == +Counter({seat: len(cards_in(game["laid"][seat])) for seat in range(4)})


def test_the_text_tells_the_whole_table() -> None:
    table = env(render_mode="ansi", episode="deal")
    table.reset(options={"dealer": 3, "decks": [OUT_AT_ONCE]})
    play(table, *GOING_OUT[:2])
    text = table.render()
    assert isinstance(text, str)
    lines = text.splitlines()
    assert lines[0] == "Deal 1 of 1, dealt by player_3; player_0 to meld"
    assert lines[1] == "Team 0: 0, +80 laid; Team 1: 0, +0 laid"
    assert lines[2].startswith("Stock 26, pile from the bottom: ")
    assert lines[2].endswith("/-")
    assert lines[3] == "  set QC/0 QD/0 QH/0 QS/0"
    assert lines[4] == "> player_0: KC KD KH KS"
    assert lines[5].startswith("  player_1: 2C ")
    play(table, GOING_OUT[2])
    lines = str(table.render()).splitlines()
    assert lines[0] == "Deal 1 of 1, dealt by player_3; the game is over"
    assert "player_0 went out" in lines[1]
    assert "  player_0: no cards" in lines
    assert not any(line.startswith(">") for line in lines)


def test_the_text_names_what_is_owed_known_and_discarded() -> None:
    table = position({1: "7C 7D 2S", 2: "3S"}, pile="4H 7H 5H", stock="2C", seat=1)
    play_vector(table, "take 7H")
    assert ansi.ansi(table.get_state()[0]).splitlines()[0].endswith("player_1 to meld, owing 7H")
    assert "> player_1: 7C 7D 5H* 7H* 2S" in ansi.ansi(table.get_state()[0])
    assert "> player_1: 5H* 7H* ?? ?? ??" in ansi.ansi(table.get_state()[0], 0)
    play_vector(table, "meld 7C 7D 7H", "discard 2S")
    assert "pile from the bottom: 4H/- 2S/1" in ansi.ansi(table.get_state()[0])


@pytest.mark.parametrize("viewer", [None, 0, 1, 2, 3])
def test_a_view_shows_its_own_hand_and_what_all_know_of_the_others(viewer: int | None) -> None:
    some_known = 0
    for state in games(seed=2, steps=scaled(200, least=50)):
        game = state[0]
        for seat in range(4):
            hand, known = cards_in(game["hand"][seat]), cards_in(game["known"][seat])
            shown = contents.hand(game, seat, viewer)
            names = [CARD_NAMES[card] for card in shown.cards]
            if viewer in (None, seat):
                assert sorted(names) == sorted(hand)
                assert shown.hidden == 0
            else:
                assert sorted(names) == sorted(known)
                assert shown.hidden == len(hand) - len(known)
            assert sorted(name for name, public in zip(names, shown.known, strict=True) if public) == sorted(known)
            some_known += len(known)
    assert some_known


@pytest.mark.parametrize("viewer", range(4))
def test_neither_text_nor_picture_shows_a_player_what_is_hidden(viewer: int) -> None:
    rng = np.random.default_rng(viewer)
    spectator_saw_it = 0
    for number, state in enumerate(games(seed=3 + viewer, steps=scaled(60, least=20))):
        other = exchange_hidden(state, viewer, rng)
        assert ansi.ansi(state[0], viewer) == ansi.ansi(other[0], viewer)
        if number % 6 == 0:
            assert (raster.rgb_array(state[0], viewer) == raster.rgb_array(other[0], viewer)).all()
            spectator_saw_it += bool((raster.rgb_array(state[0]) != raster.rgb_array(other[0])).any())
    assert spectator_saw_it


def test_the_picture_is_an_array_that_is_the_callers_and_changes_with_the_game() -> None:
    table = env(render_mode="rgb_array")
    table.reset(seed=1)
    before = table.render()
    assert isinstance(before, np.ndarray)
    assert before.dtype == np.uint8
    assert before.shape == (800, 1280, 3)
    assert colours(before) > 20
    kept = before.copy()
    before[:] = 0
    assert (table.render() == kept).all()
    for _ in range(6):
        play_on(table, np.random.default_rng(1), steps=1)
        after = table.render()
        assert (after != kept).any()
        kept = after


def test_rendering_changes_nothing() -> None:
    table = env(render_mode="rgb_array")
    table.reset(seed=1)
    play_on(table, np.random.default_rng(1), steps=20)
    before = table.get_state()
    for viewer in (None, 0, 1, 2, 3):
        ansi.ansi(table.get_state()[0], viewer)
        table.render()
    assert equal(table.get_state(), before)


def test_colour_changes_no_word_and_tells_the_suits_apart() -> None:
    codes = set()
    for state in games(seed=5, steps=scaled(60, least=20)):
        plain, coloured = ansi.ansi(state[0]), ansi.ansi(state[0], colour=True)
        assert CODE.sub("", coloured) == plain
        codes |= set(re.findall(r"\x1b\[([0-9;]+)m(?:[2-9TJQKA][CDHS]|JK)", coloured))
    assert {code.split(";")[0] for code in codes} == {"32", "94", "91", "1", "35"}


def test_the_card_owed_is_reversed_in_the_hand_that_owes_it() -> None:
    table = position({1: "7C 7D 2S", 2: "3S"}, pile="4H 7H 5H", stock="2C", seat=1)
    play_vector(table, "take 7H")
    assert "\x1b[91;7m7H*\x1b[0m" in ansi.ansi(table.get_state()[0], 0, colour=True)
    assert "\x1b[91m5H*\x1b[0m" in ansi.ansi(table.get_state()[0], 0, colour=True)
    assert ";7m" not in ansi.ansi(position({1: "7C"}).get_state()[0], colour=True)


@pytest.mark.parametrize("width", [20, 33, 60])
def test_lines_fit_the_width_and_say_the_same(width: int) -> None:
    longest = 0
    for state in games(seed=6, steps=scaled(120, least=20)):
        lines = ansi.ansi(state[0], width=width).splitlines()
        longest = max(longest, *map(len, lines))
        assert " ".join("\n".join(lines).split()) == " ".join(ansi.ansi(state[0]).split())
        assert CODE.sub("", ansi.ansi(state[0], colour=True, width=width)).splitlines() == lines
    assert width - 12 < longest <= width


def test_a_width_that_is_too_small_is_refused() -> None:
    with pytest.raises(ValueError, match="width=19: expected at least 20 columns"):
        ansi.ansi(position({1: "7C"}).get_state()[0], width=19)


class Screen(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_text_is_in_colour_and_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    table = env(render_mode="ansi")
    table.reset(seed=1)
    game = table.get_state()[0]
    assert table.render() == ansi.ansi(game)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Screen())
        assert table.render() == ansi.ansi(game, colour=True, width=40)
        patch.setenv("NO_COLOR", "1")
        assert table.render() == ansi.ansi(game, width=40)
        patch.delenv("NO_COLOR")
        patch.setenv("TERM", "dumb")
        assert table.render() == ansi.ansi(game, width=40)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert table.render() == ansi.ansi(game, colour=True)


def test_cards_of_any_text_are_painted() -> None:
    text = "discard 9H: JK, TS; take JK2; and not 9HX or 19H"
    assert CODE.sub("", terminal.paint(text)) == text
    assert terminal.paint(text).count("\x1b[0m") == 4


def test_human_mode_prints_the_text_and_returns_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    table, text = env(render_mode="human"), env(render_mode="ansi")
    table.reset(seed=1)
    text.reset(seed=1)
    assert table.render() is None
    assert capsys.readouterr().out == f"{text.render()}\n"


def test_a_picture_tells_the_last_actions_since_the_start() -> None:
    table = env(render_mode="rgb_array", episode="deal")
    table.reset(options={"dealer": 3, "decks": [OUT_AT_ONCE]})
    play(table, *GOING_OUT[:2])
    report = [(0, action) for action in GOING_OUT[:2]]
    game = table.get_state()[0]
    assert (table.render() == raster.rgb_array(game, recent=report)).all()
    assert (raster.rgb_array(game, recent=report) != raster.rgb_array(game)).any()
    table.set_state(table.get_state())
    assert (table.render() == raster.rgb_array(game)).all()


@pytest.mark.parametrize("mode", ["human", "ansi", "rgb_array"])
def test_no_display_is_needed(mode: str) -> None:
    program = (
        f"from persian_rummy_env import env; t = env(render_mode={mode!r}); t.reset(seed=1); print(type(t.render()))"
    )
    without = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    result = subprocess.run([sys.executable, "-c", program], env=without, capture_output=True, text=True, check=True)
    wanted = {"human": "NoneType", "ansi": "str", "rgb_array": "numpy.ndarray"}[mode]
    assert result.stdout.splitlines()[-1] == f"<class '{wanted}'>"


def test_without_a_mode_rendering_says_so() -> None:
    table = env()
    table.reset(seed=1)
    with pytest.warns(UserWarning, match=r"render\(\) without a render_mode shows nothing"):
        assert table.render() is None


@pytest.mark.parametrize(("viewer", "seat"), [("all", None), (2, 2), ("player_1", 1), (np.int64(3), 3)])
def test_viewer_says_whose_cards_show(viewer: Any, seat: int | None) -> None:
    table = env(render_mode="ansi", viewer=viewer)
    table.reset(seed=1)
    assert table.render() == ansi.ansi(table.get_state()[0], seat)
    hidden = str(table.render()).count("??")
    assert hidden == (0 if seat is None else 21)


def test_everything_can_be_drawn_to_the_end() -> None:
    table = env(render_mode="rgb_array")
    table.reset(seed=9)
    rng = np.random.default_rng(9)
    while not over(table):
        play_on(table, rng, steps=7)
        assert isinstance(table.render(), np.ndarray)
    leave(table)
    assert isinstance(table.render(), np.ndarray)
