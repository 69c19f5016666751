"""The replay page: what is in it, and what is not."""

from __future__ import annotations

import base64
import gzip
import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import RuleSet
from persian_rummy_env.actions import ACTION_NAMES
from persian_rummy_env.apps.replay_page import VIEWERS, Analysis, replay_page
from persian_rummy_env.apps.replay_page.moments import moments_of
from persian_rummy_env.cards import CARD_NAMES, CARD_VALUES, cards_in, encode_card
from persian_rummy_env.cli import show
from persian_rummy_env.drawing import contents as render
from persian_rummy_env.drawing import draw_table
from persian_rummy_env.records.record import RecordError, read
from persian_rummy_env.records.recorder import make_record, simulate
from persian_rummy_env.records.replay import replay
from tests.env.records import some_game

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.jsonl"))
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


def data_of(page: str) -> dict[str, Any]:
    """The games of a page, unpacked."""
    [packed] = re.findall(r'<script type="application/octet-stream" id="data">([^<]*)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def drawing(data: dict[str, Any], game: int, viewer: str, moment: int) -> str:
    """The whole drawing at a moment, put together as the page's script does it."""
    whole = data["frame"]
    for name, markup in drawn(data, game, viewer, moment).items():
        assert f'data-part="{name}"></g>' in whole
        whole = whole.replace(f'data-part="{name}"></g>', f'data-part="{name}">{markup}</g>')
    return whole


def drawn(data: dict[str, Any], game: int, viewer: str, moment: int) -> dict[str, str]:
    """The markup of each part of the drawing at a moment."""
    found = {}
    kinds = len(data["cards"])
    for part, (moments, contents) in data["games"][game]["films"][viewer].items():
        codes = data["contents"][contents[bisect_right(moments, moment) - 1]]
        pieces = [
            data["pieces"][code // kinds].replace(data["cardMark"], data["cards"][code % kinds]) for code in codes
        ]
        found[part] = "".join(pieces)
    return found


# What is in it --------------------------------------------------------------------------------------------------------


def test_every_moment_from_every_side_is_the_drawing_of_that_moment() -> None:
    record = some_game()
    data = data_of(replay_page([(1, record)]))
    again = replay(record)
    report = [text for deal in record["deals"] for text in deal["actions"]]
    first = moment = 0
    for deal in record["deals"]:
        for index in range(first, first + len(deal["actions"])):
            assert data["games"][0]["actions"][moment] == report[index]
            before = range(max(first, index - 8), index)
            recent = [(int(again.states[one]["seat"]), report[one]) for one in before]
            for viewer, seat in VIEWERS.items():
                svg = draw_table(again.states[index], seat, players=record["players"], recent=recent, defs=False)
                assert drawing(data, 0, viewer, moment) == re.sub("<title>.*?</title>", "<title>The table</title>", svg)
            moment += 1
        assert data["games"][0]["actions"][moment] is None
        first += len(deal["actions"])
        moment += 1
    assert moment == len(data["games"][0]["actions"])


def test_a_deal_ends_with_its_own_table_and_hands() -> None:
    record = some_game()
    moments = moments_of(record)
    first = len(record["deals"][0]["actions"])
    end, last = moments.states[first], moments.states[-1]
    for state, deal in zip((end, last), record["deals"], strict=True):
        assert state["last_score"].tolist() == deal["score"]
        held = [card for hand in state["hand"] for card in cards_in(hand)]
        laid = [card for cards in state["laid"] for card in cards_in(cards)]
        rest = int(state["stock_size"]) + int(state["pile_size"])
        assert len(held) + len(laid) + rest == 56
        assert int(state["ended"]) == 1
    assert "the deal is over" in render.heading(end)
    assert "Deal 1 of 2" in render.heading(end)
    assert "the game is over" in render.heading(last)
    assert moments.action[first] == moments.action[-1] == -1
    assert moments.starts == [0, first + 1]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_games_have_a_page(path: Path) -> None:
    records = list(read(path))
    data = data_of(replay_page(enumerate(records, start=1)))
    for record, game in zip(records, data["games"], strict=True):
        report = [text for deal in record["deals"] for text in deal["actions"]]
        assert [action for action in game["actions"] if action is not None] == report
        assert game["score"] == record["score"]


def test_a_record_that_does_not_replay_has_no_page() -> None:
    record = some_game()
    record["deals"][1]["actions"][3] = "pass"
    with pytest.raises(RecordError, match=r"deal 2, action 4"):
        replay_page([(1, record)])


def test_what_cannot_be_shown_is_refused() -> None:
    with pytest.raises(ValueError, match=r"viewer='player_4': expected one of open, player_0"):
        replay_page([(1, some_game())], "player_4")
    with pytest.raises(ValueError, match="no game"):
        replay_page([])


# What is not in it ----------------------------------------------------------------------------------------------------


def test_the_page_names_nothing_outside_itself() -> None:
    page = replay_page([(1, some_game())])
    symbols = page.replace('xmlns="http://www.w3.org/2000/svg"', "").replace('"http://www.w3.org/2000/svg"', "")
    assert re.findall(r"https?:|//[a-z]+\.|@import|url\(|<link(?! rel=\"icon\" href=\"data:,\")|<iframe", symbols) == []
    assert re.findall(r'\bsrc="', page) == []
    assert set(re.findall(r' href="([^"]*)"', page)) - {"data:,"} <= {
        f"#{name}" for name in re.findall(r'id="([^"]+)"', page)
    }
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


@pytest.mark.parametrize("names", [[HOSTILE] * 4, ["", " ", "\x00\u202e\ud800", "Ann " * 500]])
def test_names_are_text(names: list[str]) -> None:
    record = some_game()
    record["players"] = names
    analyst = Analyst(HOSTILE)
    page = replay_page([(1, record)], "open", [analyst])
    page.encode()
    assert "alert(" not in page
    assert len(re.findall(r"<script", page)) == 2
    data = data_of(page)
    markup = json.dumps([data["pieces"]])
    assert "<script" not in markup
    assert "<img" not in markup
    assert all(name.isprintable() and len(name) <= 32 for name in data["games"][0]["players"])


class Analyst:
    """Asked, it keeps what it was asked about."""

    def __init__(self, name: str = "a stranger") -> None:
        self.name = name
        self.asked = np.zeros(0)

    def __call__(self, games: np.ndarray, _: RuleSet) -> Analysis:
        self.asked = games["seat"]
        rows = len(games)
        probabilities = np.zeros((rows, len(ACTION_NAMES)), dtype=np.float32)
        probabilities[:, 0], probabilities[:, 540] = 0.75, 0.25
        return Analysis(self.name, np.zeros(rows, dtype=np.int64), probabilities, None, np.arange(rows) + 0.26)


def seen_by(seat: int, record: Any) -> set[str]:
    """Every card that a seat gets to see in a game of one deal."""
    again = replay(record)
    seen = 0
    for state in again.states:
        seen |= int(state["hand"][seat]) | int(state["sets"]) | int(state["runs"]) | int(state["pile"])
        for other in state["known"]:
            seen |= int(other)
    return set(cards_in(np.uint64(seen)))


def exchanges(record: Any, seat: int) -> Iterator[Any]:
    """The record with two cards exchanged that the seat never sees: as it was played, and with the same score."""
    deal = record["deals"][0]
    unseen = [card for card in CARD_NAMES if card not in seen_by(seat, record)]
    for one, other in combinations(unseen, 2):
        swap = {one: other, other: one}
        if CARD_VALUES[encode_card(one)] == CARD_VALUES[encode_card(other)]:
            deck = [swap.get(card, card) for card in deal["deck"]]
            with suppress(RecordError):  # the exchange may make an action illegal
                changed = make_record(
                    [deck], deal["dealer"], deal["actions"], rules=RuleSet(deals=1), players=record["players"]
                )
                if changed["score"] == record["score"]:
                    yield changed


def test_the_page_of_a_seat_holds_no_card_that_it_does_not_see() -> None:
    """Planted: cards that a seat never sees change places in hands and stock, and its page stays what it was."""
    held = 0
    for record in simulate(3, 5, "greedy", rules=RuleSet(deals=1)):
        for seat in (0, 3):
            page = replay_page([(1, record)], f"player_{seat}")
            text = json.dumps(data_of(page)["games"])
            seen = seen_by(seat, record)
            assert [card for card in CARD_NAMES if card not in seen and re.search(rf"\b{card}\b", text)] == []
            assert str(record["seed"]) not in page
            assert str(record["seed"]) not in text
            for changed in islice(exchanges(record, seat), 2):
                assert replay_page([(1, changed)], f"player_{seat}") == page
                held += (replay(changed).states["hand"] != replay(record).states["hand"]).any()
    assert held >= 3, "no exchange touched a hand"


def test_the_page_of_a_seat_holds_at_each_moment_what_the_seat_sees_then() -> None:
    record = some_game()
    moments = moments_of(record)
    data = data_of(replay_page([(1, record)], "player_2"))
    assert data["views"] == ["player_2"]
    for moment, state in enumerate(moments.states):
        seen = int(state["hand"][2]) | int(state["sets"]) | int(state["runs"]) | int(state["pile"])
        for other in state["known"]:
            seen |= int(other)
        parts = drawn(data, 0, "player_2", moment)
        shown = set(re.findall(r'data-card="([^"]+)"', "".join(parts.values())))
        assert shown <= set(cards_in(np.uint64(seen)))
        assert parts["hand-1"].count("#card-back") == (int(state["hand"][1]) & ~int(state["known"][1])).bit_count()


def test_the_page_of_a_seat_has_the_analysis_of_its_own_decisions_alone() -> None:
    record = some_game()
    analyst = Analyst()
    data = data_of(replay_page([(1, record)], "player_2", [analyst]))
    assert set(analyst.asked.tolist()) == {2}
    game = data["games"][0]
    report = {
        seat for seat, one in zip(game["seats"], game["analyses"][0]["decisions"], strict=True) if one is not None
    }
    assert report == {2}


# What policies think --------------------------------------------------------------------------------------------------


def test_analyses_are_at_their_decisions() -> None:
    record = some_game()
    moments = moments_of(record)
    analyst = Analyst()
    [analysis] = data_of(replay_page([(1, record)], None, [analyst]))["games"][0]["analyses"]
    assert analysis["policy"] == "a stranger"
    assert analysis["kind"] == "probability"
    row = 0
    for moment, decision in enumerate(analysis["decisions"]):
        if moments.action[moment] < 0:
            assert decision is None
            continue
        chosen, legal, value, error, listed = decision
        assert error is None
        assert chosen == ACTION_NAMES[0]
        assert legal == moments.legal[moment] > 0
        assert value == round(row + 0.26, 1)
        assert listed[0] == [ACTION_NAMES[0], 750]
        assert ACTION_NAMES[moments.action[moment]] in [action for action, _ in listed]
        row += 1
    assert row == sum(len(deal["actions"]) for deal in record["deals"])


def test_worth_is_listed_in_tenths_of_a_point_and_what_is_illegal_is_not() -> None:
    worth = np.full((1, len(ACTION_NAMES)), -np.inf)
    worth[0, [0, 3, 4]] = [-12.34, 5.0, 6.06]
    analysis = Analysis("search", np.array([4]), None, worth, np.array([np.nan]))
    assert analysis.of(0, played=0, legal=3) == [
        ACTION_NAMES[4], 3, None, None, [[ACTION_NAMES[4], 61], [ACTION_NAMES[3], 50], [ACTION_NAMES[0], -123]],
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"analysis of search: worth has the shape \(1, 547\), expected \(2, 547\)"):
        Analysis("search", np.array([4, 4]), None, worth)


# How much room it takes -----------------------------------------------------------------------------------------------


def test_an_action_takes_little_room() -> None:
    """Measured: some 0.5 KB an action with all views, beside 110 KB of cards and script."""
    games = list(simulate(2, 3, "random", rules=RuleSet(deals=1)))
    short, long = replay_page([(1, games[0])]), replay_page(enumerate(games, start=1))
    assert (len(long) - len(short)) / len(games[1]["deals"][0]["actions"]) < 1000


def test_the_command_knows_the_views() -> None:
    assert tuple(VIEWERS) == show.VIEWERS
