"""Visitors with a browser: at a desk, and with a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.play.browsing import DESK, PHONE, launched, visit


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from launched()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a new visitor; any error of its scripts fails the test."""
    yield from visit(browser, viewport=DESK)


@pytest.fixture
def phone(browser: Any) -> Iterator[Any]:
    yield from visit(browser, viewport=PHONE, has_touch=True, is_mobile=True)
