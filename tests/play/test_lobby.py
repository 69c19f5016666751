"""The list of tables in a real browser: whom one may choose, and how a second person finds a seat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.play.browsing import DESK, expect, needs_browser, visit
from tests.play.serving import Server, serving
from tests.play.sitting import NAME

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_browser

SEATS = ("Your partner", "On your left", "On your right")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(policies=["champion", "expert", "search(deepest, worlds=40)"]) as running:
        yield running


@pytest.fixture
def other(browser: Any) -> Iterator[Any]:
    yield from visit(browser, viewport=DESK)


def test_the_players_to_choose_from(page: Page, server: Server) -> None:
    page.goto(server.url)
    for label, usual in zip(SEATS, ("champion", "expert", "expert"), strict=True):
        select = page.get_by_label(label)
        expect(select).to_have_value(usual)
        assert select.locator("option").all_text_contents() == [*server.lobby.thinker.policies, "somebody else"]
    boxes = [page.get_by_label(label).bounding_box() for label in (*SEATS, "Your name")]
    widths = [box["width"] for box in boxes if box is not None]
    assert len(widths) == 4
    assert max(widths) - min(widths) < 10, "the fields are of different widths"
    page.get_by_label("On your left").select_option("champion")
    expect(page.locator("#about-1")).to_contain_text("the strongest")


def test_a_second_person_finds_the_seat(page: Page, other: Page, server: Server) -> None:
    page.goto(server.url)
    page.get_by_label("Your name").fill(NAME)
    page.get_by_label("Your partner").select_option("human")
    page.get_by_role("button", name="Sit down").click()
    expect(page.locator("#turn")).to_have_text("Waiting for 1 more player to sit down.")
    other.goto(server.url)
    seat = other.get_by_role("button", name=f"Sit down with {NAME}")
    expect(seat).to_be_visible()
    expect(other.locator("#waiting li")).to_contain_text("against expert & expert")
    other.get_by_label("Your name").fill("Ben")
    seat.click()
    expect(other.get_by_role("heading", name=re.compile(NAME))).to_contain_text("partner")
    expect(page.get_by_role("heading", name=re.compile("Ben"))).to_contain_text("partner")
    expect(page.locator("#turn")).not_to_contain_text("Waiting")
    assert other.locator("#hand .card").count() == page.locator("#hand .card").count() == 7
    mine, others = (
        set(one.locator("#hand .card").evaluate_all("all => all.map(card => card.dataset.card)")) - {"JK"}
        for one in (page, other)
    )
    assert not mine & others
    other.close()
    expect(page.get_by_role("heading", name=re.compile("Ben"))).to_contain_text("away")
