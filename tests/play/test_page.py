"""The page of the table as text: its numbers are those of the rules, its cards those of the drawing."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("starlette", reason="the browser game needs: pip install -e '.[play]'")

from persian_rummy_env.actions import encode_action
from persian_rummy_env.apps.web.__main__ import POLICIES
from persian_rummy_env.apps.web.page import STATIC, make_page
from persian_rummy_env.cards import CARD_NAMES, CARD_VALUES, encode_card
from persian_rummy_env.players.load import split_specs
from persian_rummy_env.rules import OUT_BONUS

PAGE = make_page()
RULES = (STATIC / "rules.html").read_text(encoding="utf-8")


def test_the_numbers_are_those_of_the_rules() -> None:
    [facts] = re.findall(r'<script type="application/json" id="facts">(.*?)</script>', PAGE)
    assert json.loads(facts) == {
        "values": {card: int(CARD_VALUES[encode_card(card)]) for card in CARD_NAMES},
        "outBonus": OUT_BONUS,
    }


def test_the_rules_show_melds_that_are_melds() -> None:
    """Numbers stand in the rules by ``data-value`` alone; the cards of the examples are legal melds."""
    shown = re.findall(r'data-cards="([^"]+)"', RULES)
    for cards in ("4C 4H 4S", "JS QS KS AS", "5H 6H 7H", "7D 8D 9D"):
        assert cards in shown
        encode_action(f"meld {cards}")
    assert set(re.findall(r'data-value="([^"]+)"', RULES)) >= {"JK", "AS", "TS", "9D", "2C"}
    assert {card for cards in shown for card in cards.split()} <= set(CARD_NAMES)
    text = re.sub(r"<[^>]*>", "", RULES)
    assert re.findall(r"\d+", text) == []


def test_nothing_is_loaded_from_elsewhere_and_every_file_is_used() -> None:
    files = {path.name for path in STATIC.iterdir()}
    text = {name: (STATIC / name).read_text(encoding="utf-8") for name in files}
    used = set(re.findall(r'/static/([\w.]+)"', PAGE)) | {"index.html", "rules.html"}
    for name in files:
        used |= set(re.findall(r'(?:from|import) "\./([\w.]+)"', text[name]))
        assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text[name]), name
        assert len(text[name].splitlines()) <= 400
    assert used == files


def test_every_element_that_the_scripts_name_is_in_the_page() -> None:
    ids = set(re.findall(r'\bid="([^"]+)"', PAGE))
    for path in STATIC.glob("*.js"):
        named = set(re.findall(r'byId\("([^"]+)"\)', path.read_text(encoding="utf-8")))
        assert named <= ids, path.name


def test_the_champion_is_among_the_players_that_are_offered() -> None:
    assert "champion" in split_specs(POLICIES)
