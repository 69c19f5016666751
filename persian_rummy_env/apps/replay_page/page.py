"""The page put together: the games as data, the drawing's cards, the script and the style, in one text of HTML."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from ...actions import ACTION_NAMES
from ...cards import CARD_NAMES
from ...drawing import Look, parts, symbols
from ...drawing.look import css_colours
from ...drawing.scene import Part
from ...drawing.svg import svg
from ...records.record import Record
from ...rules import NUM_SEATS, RuleSet
from ...stored_rules import stored_rules
from .analysis import Analysis, Analyst
from .drawings import CARD_MARK, Film, Store
from .moments import Moments, moments_of

OPEN = "open"
VIEWERS: dict[str, int | None] = {OPEN: None} | {f"player_{seat}": seat for seat in range(NUM_SEATS)}
"""The sides a table is seen from: all hands open, or as the player of a seat sees it."""
RECENT = 8
"""Actions that the drawing names, the latest of the deal."""
LONGEST_NAME = 32
LOOK = Look()
REST = "<!--@rest-->"
"""Divides the page: before it, all pages are the same."""
SCRIPTS = ("dom", "drawing", "analysis", "replay")
"""The files of the page's script."""


def replay_page(
    games: Iterable[tuple[int, Record]],
    viewer: str | None = None,
    analysts: Sequence[Analyst] = (),
    look: Look = LOOK,
) -> str:
    """The page of some games.

    Args:
        games: records, each with its number in the file, from 1.
        viewer: one of ``VIEWERS``; None: all of them, to choose from. With one seat, the page holds nothing that its
            player does not get to see: no deck nor seed, no other hand, no analysis on the decisions of others.
        analysts: policies that are asked about every decision.
        look: of the drawing.

    Returns:
        HTML, in which every text of a record stands as text. It loads nothing, and its own content security policy
        forbids that and any script but its own.

    Raises:
        RecordError: a record is not well formed, or does not replay. ValueError: an unknown viewer, or no game.
    """
    if viewer is not None and viewer not in VIEWERS:
        raise ValueError(f"viewer={viewer!r}: expected one of {', '.join(VIEWERS)}, or None for all of them")
    views = list(VIEWERS) if viewer is None else [viewer]
    store = Store()
    shown = [_game(number, record, views, analysts, look, store) for number, record in games]
    if not shown:
        raise ValueError("no game: expected at least one record")
    data = {
        "views": views,
        "cards": [*CARD_NAMES, ""],
        "cardMark": CARD_MARK,
        "frame": _frame(shown[0]["films"], look),
        "games": shown,
        "pieces": store.pieces,
        "contents": store.contents,
    }
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0)
    rest = _filled(
        _asset("page.html").split(REST)[1],
        {"symbols": symbols(look), "data": base64.b64encode(packed).decode(), "script": _script()},
    )
    return loading_page() + rest


@cache
def loading_page() -> str:
    """What every page begins with. It says that the games are being loaded, until the script shows them."""
    return _filled(
        _asset("page.html").split(REST)[0],
        {"policy": security_policy(), "colours": css_colours(), "style": _asset("page.css")},
    )


def _filled(template: str, texts: dict[str, str]) -> str:
    """A template with a text in the place of each ``<!--@name-->``."""
    head, *parts = template.split("<!--@")
    return head + "".join(texts[name] + text for name, text in (part.split("-->", 1) for part in parts))


@cache
def _script() -> str:
    """The script of the page: its files, in the order in which each uses what comes before it."""
    return "".join(_asset(f"{name}.js") for name in SCRIPTS)


@cache
def security_policy() -> str:
    """The content security policy of the page: nothing is loaded, and no script runs but the page's own."""
    digest = base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
    )


@cache
def _asset(name: str) -> str:
    return files("persian_rummy_env.apps.replay_page").joinpath(name).read_text(encoding="utf-8")


def _game(
    number: int, record: Record, views: Sequence[str], analysts: Sequence[Analyst], look: Look, store: Store
) -> dict[str, Any]:
    moments = moments_of(record)
    rules = stored_rules(record["rules"])
    players = [plain(name) for name in record["players"]]
    seats = {VIEWERS[viewer] for viewer in views}
    films = {viewer: _film(moments, VIEWERS[viewer], players, look, store) for viewer in views}
    asked = moments.decisions if None in seats else _of_seats(moments, seats)
    analyses = [analyst(moments.states[asked], rules) for analyst in analysts]
    return {
        "number": number,
        "players": players,
        "rules": _in_words(rules),
        "seed": str(record["seed"]) if record["seed"] is not None and None in seats else None,  # it tells the decks
        "score": record["score"],
        "deals": [
            {"start": start, "dealer": deal["dealer"], "out": deal["out"], "score": deal["score"]}
            for start, deal in zip(moments.starts, record["deals"], strict=True)
        ],
        "seats": moments.states["seat"].tolist(),
        "actions": [None if action < 0 else ACTION_NAMES[action] for action in moments.action.tolist()],
        "films": {viewer: film.parts for viewer, film in films.items()},
        "analyses": [_decisions(analysis, moments, asked.tolist()) for analysis in analyses],
    }


def _in_words(rules: RuleSet) -> str:
    """How many deals, and what differs from the usual rules."""
    usual = RuleSet().as_dict()
    others = [f"{name} {value}" for name, value in rules.as_dict().items() if name != "deals" and value != usual[name]]
    return ", ".join([f"{rules.deals} deal{'s' * (rules.deals != 1)}", *others])


def _film(moments: Moments, seat: int | None, players: Sequence[str], look: Look, store: Store) -> Film:
    film = Film(store)
    for moment, state in enumerate(moments.states):
        film.add(parts(state, seat, players, moments.recent(moment, RECENT), look))
    return film


def _frame(films: dict[str, Any], look: Look) -> str:
    """The drawing with nothing in its parts."""
    names = next(iter(films.values()))
    return svg([Part(name, ()) for name in names], "The table", look, width=None, defs=False)


def _of_seats(moments: Moments, seats: set[int | None]) -> Any:
    decisions = moments.decisions
    return decisions[[int(moments.states[moment]["seat"]) in seats for moment in decisions]]


def _decisions(analysis: Analysis, moments: Moments, asked: list[int]) -> dict[str, Any]:
    """What a policy thinks, by moment: null where it was not asked."""
    found: list[Any] = [None] * len(moments.action)
    for row, moment in enumerate(asked):
        found[moment] = analysis.of(row, int(moments.action[moment]), int(moments.legal[moment]))
    kind = "probability" if analysis.probabilities is not None else "points" if analysis.worth is not None else None
    return {"policy": plain(analysis.policy, 80), "kind": kind, "decisions": found}


def plain(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as one line of printable text of bounded length."""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
