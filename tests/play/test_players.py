"""What a player does wrong is said at its table, and at no other; a fault of ours is in the log as well."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from persian_rummy_env.apps.game import TableError
from persian_rummy_env.apps.web import thinking
from persian_rummy_env.apps.web.room import in_public
from tests.play.browsing import expect, needs_browser
from tests.play.raw import log_of_server, tracebacks, wait_until
from tests.play.serving import Server, play_to_end, receive, serving

BAD = "python:tests.agents.strangers:"
POLICIES = ("greedy", *(f"{BAD}{name}" for name in ("Floats", "Beyond", "Unmasked", "Raises", "Quits", "Scribbles")))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(policies=POLICIES) as running:
        yield running


def played_until_failure(server: Server, seat: dict[str, Any]) -> dict[str, Any]:
    with server.sit(seat) as connection:
        acted = -1
        while True:
            view = receive(connection)
            if view["failed"] or view["phase"] == "over":
                return view
            if view["legal"] and view["version"] > acted:
                acted = view["version"]
                connection.send(json.dumps({"type": "act", "version": acted, "action": view["legal"][0]}))


@pytest.mark.parametrize("name", ["Floats", "Beyond", "Unmasked", "Raises", "Quits"])
def test_whatever_a_player_does_wrong_is_said_at_the_table(server: Server, name: str) -> None:
    with log_of_server() as log:
        view = played_until_failure(server, server.open(["human", f"{BAD}{name}", "greedy", "greedy"]))
        assert view["phase"] != "over"
        assert f"strangers:{name}" in view["failed"]
        assert "; legal" not in view["failed"], "the legal actions are the cards of a hand"
        assert view["legal"] == []
        with server.sit(server.open()) as connection:
            assert play_to_end(connection)[-1]["phase"] == "over"
    assert tracebacks(log) == []
    assert f"strangers:{name}" in str([record.getMessage() for record in log])


def test_a_player_that_writes_into_what_it_is_shown_changes_nothing_or_is_named(server: Server) -> None:
    view = played_until_failure(server, server.open(["human", f"{BAD}Scribbles", "greedy", "greedy"]))
    assert view["phase"] == "over" or "strangers:Scribbles" in view["failed"]


@pytest.mark.parametrize("error", [KeyError, TypeError, StopIteration, MemoryError], ids=lambda one: one.__name__)
def test_a_fault_of_ours_is_said_at_the_table_and_has_its_traceback_in_the_log(
    server: Server, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def planted(*_: object) -> Any:
        raise error("planted")

    seat, other = server.open(), server.open()
    with monkeypatch.context() as patch, log_of_server() as log:
        patch.setattr(thinking, "choose", planted)
        for one in (seat, other):
            assert "planted" in played_until_failure(server, one)["failed"]
        wait_until(lambda: len(tracebacks(log)) == 2)
        assert "planted" in str(tracebacks(log))
    with server.sit(server.open()) as connection:
        assert play_to_end(connection)[-1]["phase"] == "over"


def test_a_table_is_told_no_cards() -> None:
    error = TableError("'draw' is not legal now; legal are: discard AS, discard KH")
    assert in_public(error) == "'draw' is not legal now"
    assert len(in_public(ValueError("x" * 10_000))) < 400


@needs_browser
def test_the_browser_shows_what_a_player_did_wrong(server: Server, page: Any) -> None:
    seat = server.open(["human", f"{BAD}Raises", "greedy", "greedy"])
    page.goto(server.url)
    page.evaluate(
        f"localStorage.setItem('persian-rummy-seats', JSON.stringify({{'{seat['table']}': '{seat['token']}'}}))"
    )
    page.goto(f"{server.url}/#{seat['table']}")
    turn, end = page.locator("#turn"), time.monotonic() + 60
    while "The game has ended" not in turn.inner_text():
        assert time.monotonic() < end, turn.inner_text()
        page.evaluate(
            """() => {
                const press = (selector) => document.querySelector(selector)?.click();
                if (document.querySelector("#turn").innerText.includes("draw")) press("#stock-card");
                else if (document.querySelector('#hand [aria-pressed="true"]')) press("#discard");
                else press("#hand [data-card]");
            }"""
        )
        page.wait_for_timeout(300)
    expect(page.locator("#alert")).to_contain_text("strangers:Raises")
    expect(page.locator("#turn")).to_contain_text("The game has ended")
    expect(page.locator("#discard")).to_be_disabled()
