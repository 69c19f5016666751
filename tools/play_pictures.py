"""The pictures of ``docs/play.md``, in ``docs/images``: ``python -m tools.play_pictures``.

It plays a game in the system's chromium, at a desk's and at a phone's width, and one in the terminal, and opens a
replay page. ``--only replay`` (``browser``, ``terminal``) makes some of them.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments.shared.browser import chromium
from persian_rummy_env.apps.analyst import PolicyAnalyst
from persian_rummy_env.apps.game import TableGame
from persian_rummy_env.apps.replay_page import replay_page
from persian_rummy_env.apps.seat_view import seat_view
from persian_rummy_env.apps.seating import parse_seats
from persian_rummy_env.apps.terminal import screen
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy_io import choose
from persian_rummy_env.records.recorder import simulate
from persian_rummy_env.system.files import write_whole
from tools.table_visit import play, served, sit_down, to_turn

IMAGES = Path("docs/images")
WIDTHS = {"play_browser.png": (1280, 800), "play_phone.png": (390, 844)}
STEPS = 10
"""Of the person in the browser, before the picture."""
DECISIONS = 45
"""Decisions before the picture of the terminal."""
REPLAYS = {"replay.png": (1280, 800), "replay_phone.png": (360, 780)}
MOMENT = 44
"""The step in the picture of the replay page, from 1."""


def terminal(path: Path) -> None:
    """Write the picture of the terminal as SVG."""
    players = parse_seats("human,expert,expert,expert")
    table, expert = TableGame(seed=3, dealer=0), load("expert")
    while len(table.played) < DECISIONS or table.seat != 0 or len(table.legal) < 4:
        table.play(int(choose(table.games(), expert)[0]))
    view = seat_view(table, 0)
    console = Console(record=True, width=92, file=io.StringIO(), highlight=False)
    for part in screen.turn(view, players, table_start(table)):
        console.print(part)
    write_whole(path, console.export_svg(title="persian-rummy play"))


def table_start(table: TableGame) -> int:
    """The index of the first decision of the last round of turns."""
    return max(0, len(table.played) - 12)


def browser() -> None:
    """Write the pictures of the page in mid-deal, at each width, and of the window at the end of a deal."""
    with served("--pause", "0.02") as url, chromium() as launched:
        for name, (width, height) in WIDTHS.items():
            page = launched.new_page(viewport={"width": width, "height": height})
            to_mid_deal(page, url)
            save(page, name)
            if width > 600:
                play(page)
                save(page, "play_end.png")
            page.close()


def to_mid_deal(page: Any, url: str) -> None:
    """Play until something can be laid; at another table where a deal ends before."""
    while True:
        sit_down(page, url)
        play(page, STEPS)
        while to_turn(page):
            if page.locator("#offers button").count():
                return
            play(page, 1)
        page.goto("about:blank")


def save(page: Any, name: str) -> None:
    page.mouse.move(0, 0)
    page.wait_for_timeout(800)  # cards have landed
    write_whole(IMAGES / name, page.screenshot())


def replay() -> None:
    """Write the pictures of a replay page with the analysis of two policies, at each width."""
    [record] = simulate(1, 7, "expert,greedy")
    with tempfile.TemporaryDirectory() as folder, chromium() as launched:
        path = Path(folder) / "game.html"
        write_whole(path, replay_page([(1, record)], None, [PolicyAnalyst("champion")]))
        for name, (width, height) in REPLAYS.items():
            page = launched.new_page(viewport={"width": width, "height": height}, is_mobile=width < 600)
            page.goto(f"{path.as_uri()}#at={MOMENT}")
            page.locator("#list button").first.wait_for()
            page.wait_for_timeout(500)
            write_whole(IMAGES / name, page.screenshot())
            page.close()


PARTS = {"terminal": lambda: terminal(IMAGES / "play_terminal.svg"), "browser": browser, "replay": replay}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.play_pictures", description="the pictures of docs/play.md")
    parser.add_argument("--only", choices=PARTS, action="append", help="some of them; may be given several times")
    chosen = parser.parse_args(argv).only or list(PARTS)
    IMAGES.mkdir(parents=True, exist_ok=True)
    with redirect_stdout(sys.stderr):
        for part in chosen:
            PARTS[part]()
    print(*sorted(str(path) for path in IMAGES.iterdir()), sep="\n")


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m tools.play_pictures", main))
