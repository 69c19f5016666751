"""A visit to the browser's table by a script: a server, a person who sits down, and turns that play themselves."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PORT = 8766
NAME = "Ada"
STEP = """() => {
  const find = (selector) => document.querySelector(selector);
  const lit = find("#offers button") ?? find("#pile .lit") ?? find("#stock-card.lit");
  if (lit) lit.click();
  else find("#hand .can").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
}"""
"""What the person does at a turn: lay what can be laid, take what can be taken, or draw and discard."""


@contextmanager
def served(*options: str) -> Iterator[str]:
    """A server of its own; its address."""
    url = f"http://127.0.0.1:{PORT}/"
    command = [sys.executable, "-m", "persian_rummy_env.apps.web", "--port", str(PORT), "--no-store", *options]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for _ in range(1200):
            try:
                urllib.request.urlopen(url, timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(20)


def sit_down(page: Any, url: str, *, speed: str = "at once") -> None:
    """Open a table with the players that the form proposes."""
    page.add_init_script(f"localStorage['persian-rummy-settings'] ??= {json.dumps({'speed': speed})!r}")
    page.goto(url)
    page.get_by_label("Your name").fill(NAME)
    page.get_by_role("button", name="Sit down").click()
    page.locator("#hand .card").first.wait_for()


def to_turn(page: Any) -> bool:
    """Wait for the person's turn; False where a window came first, at the end of a deal."""
    page.locator("#turn.go, #result[open]").first.wait_for(timeout=120_000)
    return not page.locator("#result[open]").count()


def play(page: Any, steps: int = 1000) -> None:
    """Play so many steps, or to the end of the deal."""
    for _ in range(steps):
        if not to_turn(page):
            return
        version = page.locator("#table").get_attribute("data-version")
        page.evaluate(STEP)
        page.locator(f"#table:not([data-version='{version}']), #result[open]").first.wait_for(timeout=120_000)
