"""Moves of the others come one after the other, at the speed that the reader has chosen; cards fly where they may."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.play.browsing import DESK, needs_browser, visit
from tests.play.serving import Server, serving
from tests.play.sitting import sit_down

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_browser

FAST = 500
"""Milliseconds of a move at the speed "fast"."""
WATCH = """() => {
    window.shown = [];
    const table = document.querySelector("#table");
    new MutationObserver(() => shown.push([Number(table.dataset.version), performance.now()]))
        .observe(table, {attributeFilter: ["data-version"]});
}"""
COUNT = """window.flights = 0;
const before = Element.prototype.animate;
Element.prototype.animate = function (...all) { flights++; return before.apply(this, all); };"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(pause=0.02, policies=["greedy"]) as running:
        yield running


def round_of_turns(page: Page, server: Server) -> list[tuple[int, float]]:
    """Draw and discard, and let the others play; returns the versions shown, each with its time."""
    person = sit_down(page, server, speed="fast")
    person.wait_for_turn()
    page.evaluate(WATCH)
    person.play("draw")
    person.play(next(action for action in person.legal if action.startswith("discard")))
    person.wait_for_turn()
    shown: dict[int, float] = {}
    for version, when in page.evaluate("shown"):
        shown.setdefault(version, when)
    return sorted(shown.items())


def test_every_move_of_the_others_is_shown_for_its_time(page: Page, server: Server) -> None:
    page.add_init_script(COUNT)
    shown = round_of_turns(page, server)
    versions = [version for version, _ in shown]
    assert versions == list(range(versions[0], versions[-1] + 1))
    times = [when for _, when in shown]
    others = [later - sooner for sooner, later in pairwise(times[2:])]
    assert len(others) >= 5
    assert sum(others) / len(others) > FAST - 30
    assert min(others) > 0.8 * FAST  # a move that a busy machine shows late takes from the next one
    assert page.evaluate("flights") > len(versions)


@pytest.fixture
def still(browser: Any) -> Iterator[Any]:
    yield from visit(browser, viewport=DESK, reduced_motion="reduce")


def test_no_card_flies_where_less_motion_is_asked_for(still: Page, server: Server) -> None:
    still.add_init_script(COUNT)
    shown = round_of_turns(still, server)
    assert len(shown) > 5
    assert still.evaluate("flights") == 0
