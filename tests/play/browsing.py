"""A real browser for the tests: the system's chromium, driven by playwright."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

try:
    from playwright.sync_api import Browser, Page, expect, sync_playwright
except ImportError:
    expect = sync_playwright = None  # type: ignore[assignment]

CHROMIUM = shutil.which("chromium")
MISSING = [name for name, there in (("playwright", sync_playwright), ("chromium", CHROMIUM)) if not there]
if MISSING:
    sys.stderr.write(f"\n!!! THE BROWSER IS NOT TESTED: {' and '.join(MISSING)} missing\n")
needs_browser = pytest.mark.skipif(bool(MISSING), reason=f"THE BROWSER IS NOT TESTED: {' and '.join(MISSING)} missing")
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 640}


def launched() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def visit(browser: Browser, **options: Any) -> Iterator[Page]:
    """A page of a new visitor; any error of its scripts fails the test."""
    context = browser.new_context(**options)
    context.set_default_timeout(60_000)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda told: faults.append(told.text) if told.type == "error" else None)
    yield page
    context.close()
    assert not faults, faults


def wait_until(page: Page, expression: str, seconds: float = 60) -> None:
    """Playwright's own waiting needs eval, which the page's content security policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({expression})"):
        assert time.monotonic() < end, f"waited {seconds} s for {expression}; the page says: {page.inner_text('body')}"
        page.wait_for_timeout(10)
