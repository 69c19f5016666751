"""The page of the table: its markup, with the cards and colours of the drawing and the numbers of the rules."""

from __future__ import annotations

import json
from pathlib import Path

from ...cards import CARD_NAMES, CARD_VALUES
from ...drawing import symbols
from ...drawing.look import css_colours
from ...rules import OUT_BONUS

STATIC = Path(__file__).with_name("static")


def make_page() -> str:
    """The page as HTML. Its scripts and styles are files of ``STATIC``; nothing comes from another server."""
    texts = {
        "colours": css_colours(),
        "facts": json.dumps(
            {"values": dict(zip(CARD_NAMES, CARD_VALUES.tolist(), strict=True)), "outBonus": OUT_BONUS}
        ),
        "symbols": symbols(),
        "rules": _read("rules.html"),
    }
    page = _read("index.html")
    for name, text in texts.items():
        page = page.replace(f"<!--@{name}-->", text)
    return page


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
