"""The pictures of ``docs/play.md``: ``python -m experiments.play_pictures`` writes ``docs/images/play_*``.

It plays a game in the system's chromium, at a desk's and at a phone's width, and one in the terminal.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import time
import urllib.request
from contextlib import redirect_stdout
from pathlib import Path

from rich.console import Console

from agents.choose import choose
from agents.load import load
from agents.play import screen
from agents.seating import parse_seats
from agents.table import Table
from agents.view import seat_view

IMAGES = Path("docs/images")
PORT = 8766
WIDTHS = {"play_browser.png": (900, 900), "play_phone.png": (360, 780)}
DECISIONS = 45
"""Of the game in the terminal's picture."""


def terminal(path: Path) -> None:
    """The table in the terminal, as SVG."""
    players = parse_seats("human,expert,expert,expert")
    table, expert = Table(seed=3, dealer=0), load("expert")
    while len(table.played) < DECISIONS or table.seat != 0 or len(table.legal) < 4:
        table.play(int(choose(table.games(), expert)[0]))
    view = seat_view(table, 0)
    console = Console(record=True, width=92, file=io.StringIO(), highlight=False)
    for line in screen.history(view, players, table_start(table)):
        console.print(line)
    console.print(screen.table(view, players))
    console.print(screen.choices(view["legal"]))
    path.write_text(console.export_svg(title="python -m agents.play"), encoding="utf-8")


def table_start(table: Table) -> int:
    """Where the last round of turns began."""
    return max(0, len(table.played) - 12)


def browser() -> None:
    """The page in mid-deal, at each width."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("error: chromium is missing: apt-get install chromium")
    url = f"http://127.0.0.1:{PORT}/"
    server = subprocess.Popen([sys.executable, "-m", "agents.serve", "--port", str(PORT), "--pause", "0"])
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(url, timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        with sync_playwright() as playwright:
            launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for name, (width, height) in WIDTHS.items():
                page = launched.new_page(viewport={"width": width, "height": height})
                page.goto(url)
                page.get_by_label("Your name").fill("Ada")
                page.get_by_role("button", name="Sit down").click()
                page.locator("#hand .card").first.wait_for()
                for _ in range(14):
                    page.locator("#legal button").first.wait_for(state="attached")
                    page.evaluate("document.querySelector('#legal button').click()")
                    page.wait_for_timeout(250)
                page.locator("#legal button").first.wait_for(state="attached")
                page.screenshot(path=IMAGES / name)
                page.close()
            launched.close()
    finally:
        server.terminate()
        server.wait(20)


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with redirect_stdout(sys.stderr):
        terminal(IMAGES / "play_terminal.svg")
        browser()
    print(*sorted(str(path) for path in IMAGES.glob("play_*")), sep="\n")


if __name__ == "__main__":
    main()
