"""Check the pages for accessibility with axe-core: ``python -m tools.audit_pages --axe axe.min.js``.

The file is in the npm package ``axe-core`` (``npm pack axe-core``). The tool visits the lobby, the windows, the table
in play, the ends of a deal and of a game, and the replay page. It does so at a desk's and a phone's width and at 200%
zoom, and prints the findings. With a serious or critical one the exit status is 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.shared.browser import chromium
from tools.table_visit import play, served, sit_down, to_turn

SIZES = {"desk": (1280, 800), "phone": (390, 844), "zoomed": (640, 400)}
"""A window of 1280 by 800 at 200% has 640 by 400 CSS pixels."""
GRAVE = ("serious", "critical")
STEPS = 12
"""Of the person, before the table in play is looked at."""


class Audit:
    """Findings of axe-core on the pages that it is shown."""

    def __init__(self, axe: str) -> None:
        self.axe = axe
        self.grave = 0

    def look(self, page: Any, what: str) -> None:
        page.wait_for_timeout(500)  # cards have landed
        page.evaluate(self.axe)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        for one in found:
            self.grave += one["impact"] in GRAVE
            for node in one["nodes"][:3]:
                print(f"{what}: {one['impact']}: {one['id']}: {one['help']}: {node['html'][:120]}")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            self.grave += 1
            print(f"{what}: serious: the page is {wide} pixels wider than its window")
        print(f"{what}: {len(found)} findings", flush=True)


def visit(page: Any, url: str, size: str, audit: Audit) -> None:
    """Every state of the pages, once."""
    page.goto(url)
    page.locator("#seat-1 option").first.wait_for(state="attached")
    audit.look(page, f"{size}, lobby")
    sit_down(page, url)
    for window in ("Rules", "Settings"):
        page.get_by_role("button", name=window).click()
        audit.look(page, f"{size}, {window}")
        page.keyboard.press("Escape")
    play(page, STEPS)
    audit.look(page, f"{size}, in play")
    while to_turn(page) and not page.locator("#hand .can").count():
        play(page, 1)
    if to_turn(page):
        page.locator("#hand .can").first.press("Enter")
        audit.look(page, f"{size}, a card chosen")
    play(page)
    audit.look(page, f"{size}, end of the deal")
    page.get_by_role("button", name="Next deal").click()
    play(page)
    audit.look(page, f"{size}, end of the game")
    page.keyboard.press("Escape")
    audit.look(page, f"{size}, after the game")
    page.get_by_role("button", name="Results").click()
    page.get_by_role("button", name="See it again").click()
    page.locator("#list button").first.wait_for()
    audit.look(page, f"{size}, replay")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.audit_pages", description="check the pages with axe-core")
    parser.add_argument("--axe", type=Path, required=True, help="axe.min.js of the npm package axe-core")
    parser.add_argument("--only", choices=SIZES, action="append", help="some of the sizes; may be given several times")
    options = parser.parse_args(argv)
    audit = Audit(options.axe.read_text(encoding="utf-8"))
    with served("--pause", "0.02") as url, chromium() as browser:
        for size in options.only or SIZES:
            width, height = SIZES[size]
            context = browser.new_context(
                viewport={"width": width, "height": height}, is_mobile=size == "phone", has_touch=size == "phone",
                bypass_csp=True,
            )  # fmt: skip
            visit(context.new_page(), url, size, audit)
            context.close()
    return 1 if audit.grave else 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m tools.audit_pages", main))
