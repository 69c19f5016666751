"""The page in a real browser: whole deals by clicks, drags and keys, coming back in mid-turn, a phone's width."""

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

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_browser


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def sit_down(page: Page, server: Server, *, draw: bool = False) -> str:
    """Open a table by the form; returns its name."""
    page.goto(server.url)
    page.get_by_label("Your name").fill("Ada")
    for seat in (1, 2, 3):
        page.locator(f"#seat-{seat}").select_option("greedy")
    if draw:
        page.get_by_label("Draw for partners").check()
    page.get_by_role("button", name="Sit down").click()
    page.locator("#table").wait_for()
    page.locator("#hand .card").first.wait_for()
    return page.evaluate("location.hash.slice(1)")


def legal(page: Page) -> list[str]:
    return page.locator("#legal button").evaluate_all("all => all.map(one => one.dataset.action)")


def wait_for_turn(page: Page) -> list[str]:
    """The legal actions when the person is to move; none when the game is over."""
    wait_until(page, "document.querySelector('#legal button') || !document.querySelector('#after').hidden")
    return legal(page)


def choose_cards(page: Page, cards: list[str], tap: str) -> None:
    for card in page.locator('#hand [aria-pressed="true"]').all():
        getattr(card, tap)()
    for card in cards:
        getattr(page.locator(f'#hand [data-card="{card}"][aria-pressed="false"]').first, tap)()


def play_by_hand(page: Page, action: str, tap: str = "click") -> None:
    """Play an action as people do: by the cards, not by the list."""
    played = "document.querySelector('#log').start + document.querySelectorAll('#log li').length"
    before = page.evaluate(played)
    verb, *words = action.split()
    cards = [word for word in words if word not in ("set", "run")]

    def press(selector: str) -> None:
        getattr(page.locator(selector).first, tap)()

    if verb in ("draw", "pass"):
        press("#stock button")
    elif verb == "take":
        wanted = cards[0]
        if wanted.startswith("JK"):
            jokers = page.locator('#pile button[data-card="JK"]')
            getattr(jokers.nth(jokers.count() - int(wanted[2:])), tap)()
        else:
            press(f'#pile button[data-card="{wanted}"]')
    else:
        choose_cards(page, cards, tap)
        if verb == "meld":
            press("#meld")
        elif verb == "layoff":
            press("#melds .meld.lit:not(.new)")
        else:
            press("#discard")
    wait_until(page, f"{played} > {before}")


def pick(actions: list[str]) -> str:
    """Meld and lay off where it goes, take where it goes, else the first."""
    order = ("meld", "layoff", "take", "draw", "pass", "discard")
    return min(actions, key=lambda action: (order.index(action.split()[0]), action))


def play_deal(page: Page, tap: str = "click") -> list[str]:
    """Play to the end of the game; returns the actions played."""
    played = []
    while actions := wait_for_turn(page):
        action = pick(actions)
        play_by_hand(page, action, tap)
        played.append(action)
    return played


def test_a_deal_by_clicks_to_its_record(page: Page, server: Server) -> None:
    table = sit_down(page, server)
    played = play_deal(page)
    assert {action.split()[0] for action in played} >= {"draw", "meld", "discard"}
    expect(page.locator("#turn")).to_contain_text("The game is over")
    expect(page.locator("#results")).to_contain_text("Deal 1:")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the record").click()
    record = json.loads(Path(saved.value.path()).read_text())
    mine = [one for one in server.lobby.rooms[table].table.played if one.seat == 0]
    assert [decode_action(one.action) for one in mine] == played
    assert record["players"] == ["Ada", "greedy", "greedy", "greedy"]
    assert verify(record) is None


def test_coming_back_in_mid_turn(page: Page, server: Server) -> None:
    sit_down(page, server)
    wait_for_turn(page)
    play_by_hand(page, "draw")
    before = legal(page)
    hand = page.locator("#hand .card").evaluate_all("all => all.map(one => one.dataset.card)")
    page.reload()
    assert wait_for_turn(page) == before
    assert page.locator("#hand .card").evaluate_all("all => all.map(one => one.dataset.card)") == hand
    play_by_hand(page, next(action for action in before if action.startswith("discard")))


def test_a_lost_connection_comes_back_by_itself(page: Page, server: Server) -> None:
    page.add_init_script(
        "const Before = WebSocket; window.opened = [];"
        "window.WebSocket = class extends Before { constructor(...all) { super(...all); window.opened.push(this); } }"
    )
    sit_down(page, server)
    wait_for_turn(page)
    play_by_hand(page, "draw")
    page.evaluate("opened.at(-1).close()")
    wait_until(page, "opened.length == 2 && opened[1].readyState == 1 && document.querySelector('#alert').hidden")
    play_by_hand(page, next(action for action in legal(page) if action.startswith("discard")))


def test_dragging(page: Page, server: Server) -> None:
    sit_down(page, server)
    wait_for_turn(page)
    drag(page, "#stock button", "#hand")
    page.locator("#legal button[data-action^='discard']").first.wait_for(state="attached")
    discard = next(action for action in legal(page) if action.startswith("discard"))
    card = discard.split()[1]
    drag(page, f'#hand [data-card="{card}"]', "#pile")
    expect(page.locator("#log")).to_contain_text(f"you: {discard}")


def drag(page: Page, source: str, target: str) -> None:
    start, end = page.locator(source).first.bounding_box(), page.locator(target).bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + 10, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + 8, steps=5)
    page.mouse.up()


def test_keyboard_alone(page: Page, server: Server) -> None:
    sit_down(page, server)
    wait_for_turn(page)
    page.keyboard.press("s")
    page.locator("#legal button[data-action^='discard']").first.wait_for(state="attached")
    page.locator("#hand .card").first.focus()
    page.keyboard.press("ArrowRight")
    card = page.evaluate("document.activeElement.dataset.card")
    page.keyboard.press("Space")
    expect(page.locator('#hand [aria-pressed="true"]')).to_have_count(1)
    page.keyboard.press("x")
    expect(page.locator("#log")).to_contain_text(f"you: discard {card}")


def test_hint_and_taking_back(page: Page, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.lobby, "seeds", lambda: 11)
    table = sit_down(page, server)
    while True:  # until there is something to meld
        actions = wait_for_turn(page)
        assert actions, "no meld came up in this deal"
        melds = [action for action in actions if action.startswith("meld")]
        if melds:
            break
        play_by_hand(page, pick(actions) if "draw" not in actions else "draw")
    before = len(server.lobby.rooms[table].table.played)
    play_by_hand(page, melds[0])
    page.get_by_role("button", name="Take back").click()
    page.locator(f'#legal button[data-action="{melds[0]}"]').wait_for(state="attached")
    assert len(server.lobby.rooms[table].table.played) == before
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#advice")).to_contain_text("expert: ")


def test_the_lay_off_button(page: Page, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """One card chosen that goes on one kind of meld only: the button says so, and lays it off."""
    monkeypatch.setattr(server.lobby, "seeds", lambda: 11)
    table = sit_down(page, server)
    button = page.locator("#meld")
    while actions := wait_for_turn(page):
        layoffs = [action for action in actions if action.startswith("layoff")]
        single = [action for action in layoffs if sum(one.split()[1] == action.split()[1] for one in layoffs) == 1]
        if single:
            break
        play_by_hand(page, pick(actions))
    else:
        raise AssertionError("nothing could be laid off in this deal")
    expect(button).to_have_text("Meld")
    choose_cards(page, [single[0].split()[1]], "click")
    expect(button).to_have_text("Lay off")
    expect(button).to_be_enabled()
    button.click()
    expect(page.locator("#log")).to_contain_text(f"you: {single[0]}")
    expect(button).to_have_text("Meld")
    played = [one for one in server.lobby.rooms[table].table.played if one.seat == 0]
    assert decode_action(played[-1].action) == single[0]


def test_the_finished_game_is_seen_again(page: Page, server: Server) -> None:
    table = sit_down(page, server)
    expect(page.locator("#replay")).to_be_hidden()
    played = play_deal(page)
    page.get_by_role("button", name="See it again").click()
    page.wait_for_url("**/replay/*")
    wait_until(page, "document.querySelector('#list button')")
    shown = page.locator("#list .action").all_text_contents()
    assert shown[:-1] == [decode_action(one.action) for one in server.lobby.rooms[table].table.played]
    assert set(played) <= set(shown)
    expect(page.locator("#about")).to_contain_text("Ada & greedy")
    page.keyboard.press("End")
    expect(page.locator("#now")).to_contain_text("the game ends")
    page.go_back()
    expect(page.locator("#turn")).to_contain_text("The game is over")


def test_a_phone_is_wide_enough(phone: Page, server: Server) -> None:
    sit_down(phone, server, draw=True)
    while actions := wait_for_turn(phone):
        assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        play_by_hand(phone, pick(actions), "tap")
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    expect(phone.locator("#turn")).to_contain_text("The game is over")


def test_everything_to_press_has_a_name(page: Page, server: Server) -> None:
    sit_down(page, server)
    wait_for_turn(page)
    play_by_hand(page, "draw")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, select, input, [role="group"], [role="img"]')]
            .filter(one => one.checkVisibility())
            .filter(one => !(one.getAttribute('aria-label') || one.labels?.length || one.textContent.trim()))
            .map(one => one.outerHTML)"""
    )
    assert nameless == []
    expect(page.get_by_role("group", name="Your hand").get_by_role("button")).to_have_count(8)
    assert page.locator("#hand .card").first.get_attribute("aria-label").count(" of ") in (0, 1)
    tree = page.locator("#hand").aria_snapshot()
    assert " of " in tree


def test_the_window_is_not_empty_while_the_page_is_made(
    page: Page, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    sit_down(page, server)
    play_deal(page)
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
