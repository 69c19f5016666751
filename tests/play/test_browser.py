"""The page in a real browser: whole deals by clicks and drags, coming back in mid-turn, a phone's width."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from persian_rummy_env import decode_action
from persian_rummy_env.apps.web import replays
from persian_rummy_env.records.replay import verify
from tests.play.browsing import PHONE, expect, needs_browser, wait_until
from tests.play.serving import Server, serving
from tests.play.sitting import Person, pick, sit_down

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = needs_browser


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def hand(page: Page) -> list[str]:
    return page.locator("#hand .card").evaluate_all("all => all.map(one => one.dataset.card)")


def check_what_is_lit(person: Person) -> None:
    """What is lit is what can be played, and only that can be pressed."""
    page, legal = person.page, person.legal

    def able(selector: str) -> list[str]:
        return page.locator(f'{selector}[aria-disabled="false"]').evaluate_all(
            "all => all.map(one => one.dataset.card)"
        )

    takes = [action.split()[1] for action in legal if action.startswith("take")]
    assert bool(able("#stock-card.lit")) == bool({"draw", "pass"} & set(legal))
    assert sorted(able("#pile .lit")) == sorted(card[:2] for card in takes)
    assert len(able("#pile .card")) == len(takes)
    discards = {action.split()[1] for action in legal if action.startswith("discard")}
    can = page.locator("#hand .can").evaluate_all("all => all.map(one => one.dataset.card)")
    assert sorted(can) == sorted(card for card in hand(page) if card in discards)
    offered = page.locator("#offers button").evaluate_all("all => all.map(one => one.dataset.key)")
    assert set(offered) <= set(legal)
    assert {action for action in legal if action.startswith("layoff")} <= set(offered)
    assert bool(offered) == any(action.startswith(("meld", "layoff")) for action in legal)
    lit = page.locator("#melds .lit").count()
    assert bool(lit) == any(action.startswith("layoff") for action in legal)


def test_a_deal_by_clicks_to_its_record(page: Page, server: Server) -> None:
    person = sit_down(page, server)
    played = person.play_game(each=lambda: check_what_is_lit(person))
    assert {action.split()[0] for action in played} >= {"draw", "meld", "discard"}
    expect(page.locator("#turn")).to_contain_text("The game is over")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the record").click()
    record = json.loads(Path(saved.value.path()).read_text())
    mine = [one for one in person.room.table.played if one.seat == person.seat]
    assert [decode_action(one.action) for one in mine] == played
    assert record["players"] == ["Ada", "greedy", "greedy", "greedy"]
    assert verify(record) is None


def test_coming_back_in_mid_turn(page: Page, server: Server) -> None:
    person = sit_down(page, server)
    person.wait_for_turn()
    person.play("draw")
    drawn = page.locator("#turn").text_content()
    assert drawn.startswith("You drew the ")  # type: ignore[union-attr]
    before, held = person.legal, hand(page)
    page.reload()
    assert person.wait_for_turn() == before
    assert hand(page) == held
    expect(page.locator("#turn")).to_have_text(str(drawn))
    expect(page.locator("#hand .drew")).to_have_count(1)
    assert person.room.table.drew == page.locator("#hand .drew").get_attribute("data-card")
    assert "just drawn" in str(page.locator("#hand .drew").get_attribute("aria-label"))
    person.play(next(action for action in before if action.startswith("discard")))
    expect(page.locator("#hand .drew")).to_have_count(0)


def test_a_lost_connection_comes_back_by_itself(page: Page, server: Server) -> None:
    page.add_init_script(
        "const Before = WebSocket; window.opened = [];"
        "window.WebSocket = class extends Before { constructor(...all) { super(...all); window.opened.push(this); } }"
    )
    person = sit_down(page, server)
    person.wait_for_turn()
    person.play("draw")
    page.evaluate("opened.at(-1).close()")
    wait_until(page, "opened.length == 2 && opened[1].readyState == 1 && document.querySelector('#alert').hidden")
    person.play(next(action for action in person.legal if action.startswith("discard")))


def test_a_press_without_a_connection_is_said(page: Page, server: Server) -> None:
    """What is pressed while the connection is down is not sent, and not silently lost."""
    page.add_init_script(
        "const Before = WebSocket; window.opened = []; window.down = false;"
        "window.WebSocket = class extends Before {"
        "  constructor(...all) { super(...all); window.opened.push(this); }"
        "  get readyState() { return window.down ? 3 : super.readyState; } }"
    )
    person = sit_down(page, server)
    person.wait_for_turn()
    page.evaluate("window.down = true")
    page.locator("#stock-card").click()
    expect(page.get_by_role("alert")).to_contain_text("not sent")
    assert not [one for one in person.room.table.played if one.seat == person.seat]
    page.evaluate("window.down = false")
    person.play("draw")
    expect(page.get_by_role("alert")).to_be_hidden()


def test_what_the_server_refuses_is_said_and_stays(page: Page, server: Server) -> None:
    person = sit_down(page, server)
    person.wait_for_turn()
    page.evaluate("localStorage.removeItem('persian-rummy-seats')")
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("refused this seat")


def test_dragging(page: Page, server: Server) -> None:
    person = sit_down(page, server)
    person.wait_for_turn()
    person.play("draw")
    card = next(action for action in person.legal if action.startswith("discard")).split()[1]
    drag(page, page.locator(f'#hand [data-card="{card}"]').first, "#pile")
    wait_until(page, "document.querySelector('#log').textContent.includes('you discard')")
    mine = [one for one in person.room.table.played if one.seat == person.seat]
    assert decode_action(mine[1].action) == f"discard {card}"


def drag(page: Page, source: Locator, target: str) -> None:
    start, end = source.bounding_box(), page.locator(target).bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + 10, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + 8, steps=5)
    page.mouse.up()


def test_a_double_click_discards(page: Page, server: Server) -> None:
    person = sit_down(page, server)
    person.wait_for_turn()
    person.play("draw")
    version = person.room.version
    card = page.locator("#hand .can").first
    name = card.get_attribute("data-card")
    card.dblclick(position={"x": 8, "y": 20})
    person.wait_for_answer(version)
    mine = [decode_action(one.action) for one in person.room.table.played if one.seat == person.seat]
    assert mine == ["draw", f"discard {name}"]


def test_hint_and_taking_back(page: Page, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.lobby, "seeds", lambda: 11)
    person = sit_down(page, server)
    while True:  # until there is something to meld
        actions = person.wait_for_turn()
        assert actions, "no meld came up in this deal"
        melds = [action for action in actions if action.startswith("meld")]
        if melds:
            break
        person.play(pick(actions) if "draw" not in actions else "draw")
    before = len(person.room.table.played)
    page.locator("#offers button").first.click()
    wait_until(page, "document.querySelector('#undo').ariaDisabled == 'false'")
    assert len(person.room.table.played) == before + 1
    page.get_by_role("button", name="Take back").click()
    wait_until(page, "document.querySelector('#undo').ariaDisabled == 'true'")
    assert person.wait_for_turn() == actions
    assert len(person.room.table.played) == before
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#advice")).to_contain_text("expert would ")
    expect(page.locator(".advised").first).to_be_visible()


def test_the_lay_off_button(page: Page, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """One card chosen that goes on one kind of meld only: the button says so, and lays it off."""
    monkeypatch.setattr(server.lobby, "seeds", lambda: 11)
    person = sit_down(page, server)
    button = page.locator("#meld")
    while actions := person.wait_for_turn():
        layoffs = [action for action in actions if action.startswith("layoff")]
        single = [action for action in layoffs if sum(one.split()[1] == action.split()[1] for one in layoffs) == 1]
        if single:
            break
        person.play(pick(actions))
    else:
        raise AssertionError("nothing could be laid off in this deal")
    expect(button).to_have_text("Meld")
    person.choose([single[0].split()[1]])
    expect(button).to_contain_text("Lay off")
    version = person.room.version
    button.click()
    person.wait_for_answer(version)
    expect(button).to_have_text("Meld")
    played = [one for one in person.room.table.played if one.seat == person.seat]
    assert decode_action(played[-1].action) == single[0]


def test_the_finished_game_is_seen_again(page: Page, server: Server) -> None:
    person = sit_down(page, server)
    expect(page.locator("#replay")).to_be_hidden()
    person.finish(server)
    page.get_by_role("button", name="See it again").click()
    page.wait_for_url("**/replay/*")
    wait_until(page, "document.querySelector('#list button')")
    shown = page.locator("#list .action").all_text_contents()
    assert shown[:-1] == [decode_action(one.action) for one in person.room.table.played]
    expect(page.locator("#about")).to_contain_text("Ada & greedy")
    page.keyboard.press("End")
    expect(page.locator("#now")).to_contain_text("the game ends")
    page.go_back()
    expect(page.locator("#turn")).to_contain_text("The game is over")


def test_the_window_is_not_empty_while_the_page_is_made(
    page: Page, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    sit_down(page, server).finish(server)
    go_on, make_page = threading.Event(), replays.replay_page

    def when_told(games: Any) -> str:
        assert go_on.wait(60)
        return make_page(games)

    monkeypatch.setattr(replays, "replay_page", when_told)
    page.get_by_role("button", name="See it again").click(no_wait_after=True)
    try:
        expect(page.get_by_role("status").filter(has_text="Loading the game")).to_be_visible()
        expect(page.locator("main")).to_have_count(0)
    finally:
        go_on.set()
    wait_until(page, "document.querySelector('#list button')")
    expect(page.locator("#loading")).to_have_count(0)


def test_a_phone_is_wide_enough(phone: Page, server: Server) -> None:
    width = PHONE["width"]
    person = sit_down(phone, server, draw=True)

    def fits() -> None:
        wait_until(phone, "document.getAnimations().every((one) => one.playState === 'finished')")  # a card flies
        assert phone.evaluate("document.documentElement.scrollWidth") <= width

    person.play_game("tap", fits)
    fits()
    expect(phone.locator("#turn")).to_contain_text("The game is over")
