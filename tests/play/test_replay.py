"""The replay page in a real browser: by clicks and keys, at a desk's and a phone's width, without the network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from persian_rummy_env.apps.analyst import PolicyAnalyst
from persian_rummy_env.apps.replay_page import replay_page
from persian_rummy_env.apps.replay_page.moments import Moments, moments_of
from persian_rummy_env.cards import cards_in
from persian_rummy_env.records.record import Record
from persian_rummy_env.records.recorder import simulate
from tests.play.browsing import DESK, PHONE, expect, needs_browser, visit, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_browser

NAMES = [
    "Ann <b>bold</b>",
    "</script><script>document.title = 'taken'</script>",
    "<img src=x onerror=alert(1)>",
    "D\"&'",
]


class Made:
    """A page in a file, and the games that are in it."""

    def __init__(self, path: Path) -> None:
        self.records: list[Record] = list(simulate(2, 21, "expert,greedy"))
        self.records[0]["players"] = NAMES
        self.moments: list[Moments] = [moments_of(record) for record in self.records]
        page = replay_page(enumerate(self.records, start=1), None, [PolicyAnalyst("deepest", worlds=2)])
        path.write_text(page, encoding="utf-8")
        self.url = path.as_uri()

    @property
    def second_deal(self) -> int:
        """The moment of the first game at which its second deal begins."""
        return self.moments[0].starts[1]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("replay") / "games.html")


def opened(page: Page, made: Made, place: str = "") -> list[str]:
    """Open the page; returns what it asks for, as it goes on asking."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(made.url + place)
    wait_until(page, "document.querySelector('#list button')")
    return asked


def place(page: Page) -> int:
    return int(page.locator("#place").input_value())


def hand(page: Page, seat: int) -> list[str]:
    """The cards of a hand as they are drawn; a back is ``None``."""
    return page.locator(f'[data-part="hand-{seat}"] use[href^="#card-"]').evaluate_all(
        "all => all.map(one => one.dataset.card ?? 'back')"
    )


def check(page: Page, made: Made, moment: int, view: int | None = None, game: int = 0) -> None:
    """The table that is drawn is the one of the moment, as the view sees it."""
    assert place(page) == moment
    state = made.moments[game].states[moment]
    for seat in range(4):
        held = state["hand"][seat] if view in (None, seat) else state["known"][seat]
        hidden = int(state["hand"][seat]).bit_count() - int(held).bit_count()
        assert sorted(hand(page, seat)) == sorted([*cards_in(np.uint64(held)), *["back"] * hidden])
    pile = page.locator('[data-part="pile"] use[data-card]').evaluate_all("all => all.map(one => one.dataset.card)")
    assert len(pile) == int(state["pile_size"])


def test_every_moment_by_the_key_forward_and_back(page: Page, made: Made) -> None:
    asked = opened(page, made)
    last = len(made.moments[0].states) - 1
    for moment in range(last):
        check(page, made, moment)
        page.keyboard.press("ArrowRight")
    check(page, made, last)
    expect(page.locator("#now")).to_contain_text(f"the game ends {' to '.join(map(str, made.records[0]['score']))}")
    page.keyboard.press("ArrowRight")
    assert place(page) == last
    for moment in range(last - 1, last - 6, -1):
        page.keyboard.press("ArrowLeft")
        check(page, made, moment)
    assert asked == [made.url]


def test_keys(page: Page, made: Made) -> None:
    opened(page, made)
    page.keyboard.press("PageDown")
    check(page, made, made.second_deal)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageUp")
    check(page, made, made.second_deal)
    page.keyboard.press("PageUp")
    check(page, made, 0)
    page.keyboard.press("End")
    check(page, made, len(made.moments[0].states) - 1)
    page.keyboard.press("Home")
    for seat in range(4):
        page.keyboard.press(str(seat + 1))
        check(page, made, 0, seat)
    page.keyboard.press("0")
    check(page, made, 0)
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.keyboard.press("-")
    expect(page.locator("#speed")).to_have_value("2")
    page.keyboard.press("Space")
    wait_until(page, "Number(document.querySelector('#place').value) >= 3")
    page.keyboard.press("Space")
    stopped = place(page)
    page.wait_for_timeout(700)
    check(page, made, stopped)
    page.keyboard.press("d")
    chosen = page.locator("#analyses b").first.text_content()
    played = page.locator("#now b").text_content()
    assert chosen != played
    assert page.locator("#list [aria-current]").text_content().endswith("≠")  # type: ignore[union-attr]


def test_clicks(page: Page, made: Made) -> None:
    asked = opened(page, made)
    press = lambda name: page.get_by_role("button", name=name, exact=True).click()  # noqa: E731 (a word for it)
    press("Step forward")
    press("Step forward")
    press("Step back")
    check(page, made, 1)
    press("To the next deal")
    check(page, made, made.second_deal)
    press("Step forward")
    press("To the beginning of the deal")
    check(page, made, made.second_deal)
    press("Deal 1")
    check(page, made, 0)
    page.locator("#list button").nth(11).click()
    check(page, made, 11)
    expect(page.locator("#list [aria-current]")).to_have_count(1)
    report = made.records[0]["deals"][0]["actions"]
    expect(page.locator("#now b")).to_have_text(report[11])
    assert page.locator("#list .action").all_text_contents() == [*report, "the end of the deal"]
    page.locator("#view").select_option("player_3")
    check(page, made, 11, 3)
    page.locator("#view").select_option("open")
    page.locator("#place").fill("20")
    check(page, made, 20)
    page.locator("#speed").select_option("20")
    press("Play")
    wait_until(page, "Number(document.querySelector('#place').value) > 30")
    press("Pause")
    page.locator("#game").select_option("1")
    check(page, made, 0, game=1)
    expect(page.locator("#about")).to_contain_text("expert & expert")
    assert asked == [made.url]


def test_playing_ends_with_the_game_and_begins_again(page: Page, made: Made) -> None:
    last = len(made.moments[0].states) - 1
    opened(page, made, f"#at={last - 1}")
    page.locator("#speed").select_option("20")
    page.locator("#play").click()
    wait_until(page, f"Number(document.querySelector('#place').value) == {last}")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
    page.locator("#play").click()
    wait_until(page, "Number(document.querySelector('#place').value) < 20")


def test_the_address_keeps_the_place(page: Page, made: Made) -> None:
    opened(page, made, "#game=2&at=8&view=player_1")
    check(page, made, 7, 1, game=1)
    page.keyboard.press("ArrowRight")
    wait_until(page, "location.hash == '#game=2&at=9&view=player_1'")
    page.reload()
    wait_until(page, "document.querySelector('#list button')")
    check(page, made, 8, 1, game=1)
    page.goto(made.url + "#game=nine&at=-5&view=god")
    check(page, made, 0, 1, game=1)


def test_cards_of_the_next_action_are_marked(page: Page, made: Made) -> None:
    opened(page, made)
    kinds = set()
    moments = made.moments[0]
    for moment, action in enumerate(made.records[0]["deals"][0]["actions"]):
        verb, *words = action.split()
        marked = page.locator("#table .next").evaluate_all("all => all.map(one => one.dataset.card ?? 'back')")
        if verb in ("draw", "pass"):
            assert len(marked) == 1
        elif verb == "take":
            assert marked[0] == words[0][:2]
            after = moments.states[moment + 1]
            assert len(marked) == int(moments.states[moment]["pile_size"]) - int(after["pile_size"])
        else:
            assert sorted(marked) == sorted(word for word in words if word not in ("set", "run"))
        kinds.add(verb)
        page.keyboard.press("ArrowRight")
    assert kinds >= {"draw", "take", "meld", "discard"}


def test_names_are_text_and_no_script_of_theirs_runs(page: Page, made: Made) -> None:
    dialogs: list[Any] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    opened(page, made)
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    assert page.title() == "Persian Rummy: replay"
    assert dialogs == []
    expect(page.locator("#about")).to_contain_text("Ann <b>bold</b>")
    assert page.locator("#about b, #list b, #table b, img, #table script").count() == 1  # the score
    assert "Ann <b>" in page.locator('[data-part="hand-0"]').text_content()  # type: ignore[operator]


def test_to_a_players_eyes_policies_think_of_that_players_decisions_alone(page: Page, made: Made) -> None:
    opened(page, made, "#view=player_2")
    seats = made.moments[0].states["seat"][: made.second_deal - 1].tolist()
    for moment in (seats.index(1), seats.index(2), seats.index(3)):
        page.locator("#place").fill(str(moment))
        expect(page.locator("#analyses")).to_contain_text("legal" if seats[moment] == 2 else "not this seat's decision")
    marked = page.locator("#list button:has(.differs)").evaluate_all(
        "all => all.map(one => Number(one.dataset.moment))"
    )
    assert {seats[moment] for moment in marked} == {2}
    page.keyboard.press("0")
    marked = page.locator("#list button:has(.differs)").evaluate_all(
        "all => all.map(one => Number(one.dataset.moment))"
    )
    assert len({seats[moment] for moment in marked}) > 1


@pytest.fixture
def blocked(browser: Any) -> Iterator[Page]:
    """A visitor whose browser complains, as it should, when something forbidden is tried."""
    context = browser.new_context(viewport=DESK)
    yield context.new_page()
    context.close()


def test_markup_that_got_in_could_run_no_script(blocked: Page, made: Made) -> None:
    opened(blocked, made)
    blocked.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=data:, onerror=\"window.ran = 1\">')")
    blocked.wait_for_timeout(200)
    assert blocked.evaluate("window.ran") is None


def test_the_page_may_not_ask_the_network(blocked: Page, made: Made) -> None:
    """Even a script of its own could not: a listener that is asked for a file and a picture hears nothing."""
    opened(blocked, made)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0.5)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        fetched = (
            f"fetch('{url}', {{ signal: AbortSignal.timeout(2000) }}).then(() => 'answered', (error) => error.name)"
        )
        assert blocked.evaluate(fetched) == "TypeError"
        blocked.evaluate(f"void Object.assign(new Image(), {{ src: '{url}x.png' }})")
        with pytest.raises(TimeoutError):
            listener.accept()


def test_a_phone_is_wide_enough(phone: Page, made: Made) -> None:
    asked = opened(phone, made)
    fits = lambda: phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]  # noqa: E731 (a word for it)
    assert fits()
    for moment in range(12):
        check(phone, made, moment)
        marked = phone.locator("#table .next").first.bounding_box()
        assert marked is not None
        assert 0 <= marked["x"] < PHONE["width"] - 10, "the card that is played is out of sight"
        phone.locator("#step").tap()
        assert fits()
    assert phone.locator('[data-part="hand-0"] use[data-card]').first.bounding_box()["width"] > 35  # type: ignore[index]
    whole = phone.locator("#fit")
    whole.tap()
    assert phone.locator("#table > svg").bounding_box()["width"] <= PHONE["width"]  # type: ignore[index]
    whole.tap()
    phone.locator("#list button").nth(3).tap()
    check(phone, made, 3)
    phone.locator("#view").select_option("player_2")
    check(phone, made, 3, 2)
    for button in phone.locator("#buttons button:visible").all():
        assert button.bounding_box()["height"] >= 40  # type: ignore[index]
    assert fits()
    assert asked == [made.url]


def test_everything_to_press_has_a_name(page: Page, made: Made) -> None:
    opened(page, made)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, select, input, [role="group"], [role="img"], [role="toolbar"]')]
            .filter(one => one.checkVisibility())
            .filter(one => !(one.getAttribute('aria-label') || one.labels?.length || one.textContent.trim()))
            .map(one => one.outerHTML)"""
    )
    assert nameless == []


def test_the_page_of_a_seat_offers_no_other_view(browser: Any, made: Made, tmp_path: Path) -> None:
    path = tmp_path / "seat.html"
    path.write_text(replay_page([(1, made.records[1])], "player_1"), encoding="utf-8")
    for page in visit(browser):
        page.goto(path.as_uri())
        wait_until(page, "document.querySelector('#list button')")
        expect(page.locator("#view")).to_be_disabled()
        for _ in range(10):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("0")
        check(page, made, 10, 1, game=1)
        page.keyboard.press("1")
        check(page, made, 10, 1, game=1)
