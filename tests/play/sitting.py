"""A person at the browser's table: sitting down, and playing by the cards, as people do."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from tests.play.browsing import wait_until
from tests.play.serving import Server, play_to_end

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from persian_rummy_env.apps.web.room import Room

NAME = "Ada"


class Person:
    """Ada, at a table of the server.

    Attributes:
        page: her browser's. room: the table as the server has it. seat: hers.
    """

    def __init__(self, page: Page, room: Room) -> None:
        self.page = page
        self.room = room
        self.seat = next(number for number, seat in enumerate(room.seats) if seat.player.name == NAME)

    @property
    def legal(self) -> list[str]:
        return self.room.table.legal if self.room.table.seat == self.seat else []

    def wait_for_turn(self, seconds: float = 60) -> list[str]:
        """The legal actions when it is her turn and the page shows it; none when the game is over.

        The window at the end of a deal is closed.
        """
        end = time.monotonic() + seconds
        while True:
            assert time.monotonic() < end, "her turn does not come"
            shown, closed = self.page.evaluate(
                "[document.querySelector('#table').dataset.version, !document.querySelector('#result').open]"
            )
            if shown == str(self.room.version):
                if self.room.table.over:
                    return []
                if closed and self.legal:
                    return self.legal
            if not closed and not self.room.table.over:
                self.page.get_by_role("button", name="Next deal").click()
            self.page.wait_for_timeout(10)

    def wait_for_answer(self, version: int) -> None:
        """Wait until the page shows more than a version of the table."""
        shown = "Number(document.querySelector('#table').dataset.version)"
        wait_until(self.page, f"{shown} > {version} || document.querySelector('#result').open")

    def choose(self, cards: list[str], tap: str = "click") -> None:
        corner = {"x": 8, "y": 20}  # the next card lies on the rest
        for card in self.page.locator('#hand [aria-pressed="true"]').all():
            getattr(card, tap)(position=corner)
        for card in cards:
            getattr(self.page.locator(f'#hand [data-card="{card}"][aria-pressed="false"]').first, tap)(position=corner)

    def play(self, action: str, tap: str = "click") -> None:
        """Play an action by the cards."""
        version = self.room.version
        verb, *words = action.split()
        cards = [word for word in words if word not in ("set", "run")]

        def press(selector: str) -> None:
            getattr(self.page.locator(selector).first, tap)(position={"x": 8, "y": 20})

        if verb in ("draw", "pass"):
            press("#stock-card")
        elif verb == "take":
            getattr(self.in_pile(cards[0]), tap)(position={"x": 8, "y": 20})
        else:
            self.choose(cards, tap)
            press({"meld": "#meld", "layoff": "#melds .meld.lit:not(.new)", "discard": "#discard"}[verb])
        self.wait_for_answer(version)

    def in_pile(self, card: str) -> Any:
        """The card of the pile that a take names."""
        if card.startswith("JK"):
            jokers = self.page.locator('#pile [data-card="JK"]')
            return jokers.nth(jokers.count() - int(card[2:]))
        return self.page.locator(f'#pile [data-card="{card}"]')

    def play_game(self, tap: str = "click", each: Any = None) -> list[str]:
        """Play to the end of the game; ``each`` is called before every action. Returns the actions played."""
        played = []
        while actions := self.wait_for_turn():
            if each is not None:
                each()
            action = pick(actions)
            self.play(action, tap)
            played.append(action)
        return played

    def finish(self, server: Server) -> None:
        """Play to the end of the game without the page, in a moment, and load the page again."""
        table = self.page.evaluate("location.hash.slice(1)")
        token = self.page.evaluate(f"JSON.parse(localStorage['persian-rummy-seats'])[{table!r}]")
        with server.sit({"table": table, "token": token}) as connection:
            play_to_end(connection)
        self.page.reload()
        assert self.wait_for_turn() == []


def sit_down(
    page: Page, server: Server, *, draw: bool = False, speed: str = "at once", player: str = "greedy"
) -> Person:
    """Open a table by the form, with three players of a kind."""
    stored = json.dumps({"speed": speed})
    page.add_init_script(f"localStorage['persian-rummy-settings'] ??= {stored!r}")
    page.goto(server.url)
    page.get_by_label("Your name").fill(NAME)
    for label in ("Your partner", "On your left", "On your right"):
        page.get_by_label(label).select_option(player)
    if draw:
        page.get_by_label("Draw for partners").check()
    page.get_by_role("button", name="Sit down").click()
    page.locator("#hand .card").first.wait_for()
    return Person(page, server.lobby.rooms[page.evaluate("location.hash.slice(1)")])


def pick(actions: list[str]) -> str:
    """Meld and lay off where it goes, take where it goes, else the first."""
    order = ("meld", "layoff", "take", "draw", "pass", "discard")
    return min(actions, key=lambda action: (order.index(action.split()[0]), action))
