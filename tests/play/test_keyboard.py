"""A whole game by the keyboard alone: the order of the focus, names and states, and what a screen reader is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from persian_rummy_env import decode_action
from persian_rummy_env.cards import CARD_VALUES, encode_card
from persian_rummy_env.rules import OUT_BONUS
from tests.play.browsing import expect, needs_browser, wait_until
from tests.play.serving import Server, serving
from tests.play.sitting import Person, pick, sit_down

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_browser

RANKS = dict(
    zip(
        "23456789TJQKA",
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"),
        strict=True,
    )
)
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
GROUPS = ["stock", "pile", "melds", "offers", "hand", "actions", "history"]
"""Where the Tab key stops at a table, in order; empty ones are left out."""
FOCUS = """(groups) => {
    const one = document.activeElement, group = one.closest(groups);
    return {tag: one.tagName, name: one.ariaLabel ?? one.textContent, card: one.dataset.card, id: one.id,
        key: one.dataset.key, pressed: one.ariaPressed, group: group && group.id,
        able: one.ariaDisabled !== "true", seen: one.matches(":focus-visible")};
}"""
NAMELESS = """() => {
    const named = (one) => one.ariaLabel || one.labels?.length || one.getAttribute("aria-labelledby")
        || one.textContent.trim();
    return [...document.querySelectorAll('button, select, input, [role="group"], [role="img"], section, dialog')]
        .filter((one) => one.checkVisibility() && !named(one)).map((one) => one.outerHTML);
}"""
MINUS = "\u2212"
WRONG = re.compile(
    r"\byou (draws|takes|melds|lays|discards|passes|is)\b|\b1 (cards|points)\b|\b[02-9]\d* (card|point)\b",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(deals=2, seed=3, policies=["greedy", "expert"]) as running:
        yield running


def spoken(card: str) -> str:
    return "a joker" if card.startswith("JK") else f"the {RANKS[card[0]]} of {SUITS[card[1]]}"


def listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def sentence(who: str, action: str) -> str:
    """What a screen reader is told of an action."""
    verb, *words = action.split()
    kind = words.pop() if verb == "layoff" else None
    verbs = {"draw": "draw", "take": "take", "meld": "meld", "layoff": "lay off", "discard": "discard", "pass": "pass"}
    does = verbs[verb]
    if who != "You":
        does = "passes" if verb == "pass" else re.sub(r"^\w+", lambda found: f"{found[0]}s", does)
    cards = (
        f"{RANKS[str(len(words))]} jokers"
        if words == ["JK"] * len(words) and words[1:]
        else listed([*map(spoken, words)])
    )
    what = {"draw": " a card from the stock", "pass": "", "take": f" {cards} from the pile"}.get(verb, f" {cards}")
    return f"{who} {does}{what}{f' on a {kind}' if kind else ''}."


class Keys:
    """The keyboard of a person at a table."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.page: Page = person.page
        self.turns = 0

    def focus(self) -> dict[str, Any]:
        """The element that has the focus: its name, place, card, and whether it can be seen that it has it."""
        return self.page.evaluate(FOCUS, ", ".join(f"#{name}" for name in GROUPS))

    def tab_to(self, group: str) -> None:
        for _ in range(30):
            self.page.keyboard.press("Tab")
            if self.focus()["group"] == group:
                assert self.focus()["seen"]
                return
        raise AssertionError(f"Tab does not lead to {group}")

    def arrow_to(self, wanted: Callable[[dict[str, Any]], bool], group: str) -> None:
        """To one of a group, by the arrows."""
        self.tab_to(group)
        self.page.keyboard.press("Home")
        for _ in range(60):
            if wanted(self.focus()):
                return
            self.page.keyboard.press("ArrowRight")
        raise AssertionError(f"the arrows do not lead to it in {group}: {self.focus()}")

    def choose(self, cards: list[str]) -> None:
        self.page.keyboard.press("Escape")
        for card in cards:
            self.arrow_to(lambda one, card=card: one["card"] == card and one["pressed"] == "false", "hand")
            self.page.keyboard.press("Space")
            assert self.focus()["pressed"] == "true"

    def play(self, action: str) -> None:
        version = self.person.room.version
        verb, *words = action.split()
        cards = [word for word in words if word not in ("set", "run")]
        if verb in ("draw", "pass"):
            self.tab_to("stock")
            assert self.focus()["name"].startswith("Draw from the stock" if verb == "draw" else "Pass")
        elif verb == "take":
            pile = [
                one.split("#")[0]
                for one in self.page.locator("#pile .card").evaluate_all("all => all.map(one => one.dataset.key)")
            ]
            order = int(cards[0][2:]) if cards[0].startswith("JK") else 1
            place = [at for at, card in enumerate(pile) if card == cards[0][:2]][-order]
            self.tab_to("pile")
            self.page.keyboard.press("Home")
            for _ in range(place):
                self.page.keyboard.press("ArrowRight")
            assert self.focus()["name"].startswith(f"Take {spoken(cards[0])}")
        elif self.turns % 2 and self.page.locator(f'#offers [data-key="{action}"]').count():
            self.arrow_to(lambda one: one["key"] == action, "offers")
        else:
            self.choose(cards)
            if verb == "layoff":
                self.arrow_to(
                    lambda one: one["name"].startswith(f"Lay off {spoken(cards[0])} on the {words[1]}"), "melds"
                )
            elif self.turns % 2:
                self.arrow_to(lambda one: one["id"] == verb, "actions")
        focus = self.focus()
        assert focus["able"]
        letter = {"meld": "m", "discard": "x"}.get(verb, "Enter") if focus["group"] == "hand" else "Enter"
        self.page.keyboard.press(letter)
        self.person.wait_for_answer(version)
        self.turns += 1
        assert self.focus()["tag"] != "BODY", f"the focus is lost after {action}"


def check_end(page: Page, person: Person, number: int) -> None:
    """The window at the end of a deal shows its points, and draws the cards that were left."""
    end = person.room.table.ends[number]
    us = person.seat % 2
    teams = (us, 1 - us)
    table = page.get_by_role("table", name=f"Points of deal {number + 1}")
    rows = {
        str(row.get_by_role("rowheader").text_content()): [
            text.replace(MINUS, "-") for text in row.get_by_role("cell").all_text_contents()
        ]
        for row in table.locator("tbody tr").all()
    }
    worth = lambda cards: sum(int(CARD_VALUES[encode_card(card)]) for card in cards)  # noqa: E731 (a word for it)
    lost = [worth(end.left[team]) + worth(end.left[team + 2]) for team in teams]
    bonus = [OUT_BONUS if end.out is not None and end.out % 2 == team else 0 for team in teams]
    assert [int(cell) for cell in rows[f"deal {number + 1}"]] == [end.score[team] for team in teams]
    assert [-int(cell) for cell in rows["left in hands"]] == lost
    assert [0 if cell == "\u2013" else int(cell) for cell in rows["going out"]] == bonus
    laid = [int(cell) for cell in rows["laid on the table"]]
    assert [one + other - less for one, other, less in zip(laid, bonus, lost, strict=True)] == [
        end.score[team] for team in teams
    ]
    if number:
        assert [int(cell) for cell in rows["game"]] == [
            sum(one.score[team] for one in person.room.table.ends) for team in teams
        ]
    for place, line in enumerate(page.locator("#result-hands li").all()):
        drawn = line.locator(".card").evaluate_all("all => all.map(one => one.dataset.card)")
        assert drawn == list(end.left[(person.seat + place) % 4])


def test_a_whole_game_by_the_keyboard_alone(page: Page, server: Server) -> None:
    page.add_init_script(
        """window.told = [];
        addEventListener("DOMContentLoaded", () => new MutationObserver((all) => {
            for (const one of all) for (const node of one.addedNodes) told.push(node.textContent);
        }).observe(document.querySelector("#news"), {childList: true}));"""
    )
    person = sit_down(page, server)
    keys = Keys(person)
    expect(page.get_by_role("log", name="Moves")).to_have_count(1)
    expect(page.get_by_role("group", name="Your hand").get_by_role("button")).to_have_count(7)
    seen: list[str] = []
    ends = 0
    while True:
        wait_until(page, "document.querySelector('#turn.go') || document.querySelector('#result').open")
        if page.locator("#result").evaluate("one => one.open"):
            check_end(page, person, ends)
            seen.append(page.locator("#result").inner_text())
            ends += 1
            if page.locator("#after").is_visible():
                break
            assert keys.focus()["name"] == "Next deal"
            page.keyboard.press("Enter")
            continue
        actions = person.wait_for_turn()
        seen.append(page.locator("#table").inner_text())
        keys.play(pick(actions))
    assert ends == 2
    names = {
        person.seat: "You",
        (person.seat + 1) % 4: "greedy (left)",
        (person.seat + 2) % 4: "greedy (partner)",
        (person.seat + 3) % 4: "greedy (right)",
    }
    played = [(one.seat, decode_action(one.action)) for one in person.room.table.played]
    wanted = [sentence(names[seat], action) for seat, action in played if (seat, action) != (person.seat, "draw")]
    announced = page.evaluate("told")
    assert [text for text in announced if "went out" not in text] == wanted
    assert sum("went out" in text for text in announced) == 2
    assert [found[0] for text in [*seen, *announced] for found in WRONG.finditer(text)] == []
    expect(page.get_by_role("dialog", name=re.compile("You win|You lose|A tie"))).to_be_visible()
    page.get_by_role("button", name="Play again").focus()
    page.keyboard.press("Enter")
    wait_until(page, f"location.hash.slice(1) != '{person.room.name}'")
    again = server.lobby.rooms[page.evaluate("location.hash.slice(1)")]
    assert [seat.player.name for seat in again.seats] == ["Ada", "greedy", "greedy", "greedy"]
    expect(page.locator("#hand .card")).to_have_count(7)


def test_the_tab_key_stops_once_in_each_group(page: Page, server: Server) -> None:
    person = sit_down(page, server)
    person.wait_for_turn()
    person.play("draw")
    keys, stops = Keys(person), []
    page.locator("#heading").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        stops.append(keys.focus()["group"] or keys.focus()["name"])
    there = [group for group in GROUPS if group != "offers" or page.locator("#offers button").count()]
    there = [group for group in there if group != "melds" or page.locator("#melds button").count()]
    assert stops[: 3 + len(there)] == ["Rules", "Settings", "Leave", *there]


def test_everything_to_press_has_a_name(page: Page, server: Server) -> None:
    person = sit_down(page, server)
    person.wait_for_turn()
    person.play("draw")
    nameless = page.evaluate(NAMELESS)
    assert nameless == []
    assert " of " in page.locator("#hand").aria_snapshot()


def test_letters_can_be_turned_off(page: Page, server: Server) -> None:
    person = sit_down(page, server)
    person.wait_for_turn()
    page.get_by_role("button", name="Settings").press("Enter")
    page.get_by_label("Letters are keys").press("Space")
    page.keyboard.press("Escape")
    version = person.room.version
    page.keyboard.press("s")
    page.wait_for_timeout(300)
    assert person.room.version == version
    page.get_by_role("button", name="Settings").press("Enter")
    page.get_by_label("Letters are keys").press("Space")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    person.wait_for_answer(version)
