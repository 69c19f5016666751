"""The observation read back: every public fact that the vector says it holds, from its block table alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from persian_rummy_env.cards import CARD_NAMES, JOKER_NAME
from persian_rummy_env.observation import blocks_of

WHO = ("me", "left", "partner", "right")
NAMES = (*CARD_NAMES[:-1], *[JOKER_NAME] * 4)


def cards(plane: np.ndarray) -> list[str]:
    """The cards of a plane; its joker places count "at least one, two, three, four"."""
    return [NAMES[place] for place in np.flatnonzero(plane)]


def one_hot(flags: np.ndarray) -> int | None:
    assert flags.sum() <= 1
    return int(flags.argmax()) if flags.any() else None


def number(bits: np.ndarray) -> int:
    return sum(1 << place for place in np.flatnonzero(bits).tolist())


def decode(observation: np.ndarray) -> dict[str, Any]:
    """All that a seat sees; seats count from the one that looks: 0 me, 1 left, 2 partner, 3 right."""
    block = blocks_of(observation)
    phase = one_hot(block["phase"])
    assert phase is not None
    owed = one_hot(block["owed"])
    out = one_hot(block["out"])
    return {
        "hand": cards(block["hand"]),
        "known": {who: cards(block[f"known_{who}"]) for who in WHO[1:]},
        "declined": {who: cards(block[f"declined_{who}"]) for who in WHO[1:]},
        "table": table(block),
        "owed": None if owed is None else CARD_NAMES[owed],
        "pile": pile(block),
        "to move": one_hot(block["to_move"]),
        "phase": ("draw", "meld", "over")[phase],
        "dealer": one_hot(block["dealer"]),
        "out": out,
        "rules": (("any", "jacks")[block["rules"][0]], ("pass", "end")[block["rules"][1]]),
        "hand sizes": block["hand_size"].tolist(),
        "stock": int(block["stock_size"][0]),
        "passes": int(block["passes"][0]),
        "deal": int(block["deal"][0]),
        "deals": int(block["deal"][0]) + 1 + int(block["deals_after"][0]),
        "points": [number(block[f"points_bits_{team}"]) for team in ("us", "them")],
        "score": [signed(block[f"score_bits_{team}"]) for team in ("us", "them")],
    }


def signed(bits: np.ndarray) -> int:
    return -number(bits[1:]) if bits[0] else number(bits[1:])


def table(block: dict[str, np.ndarray]) -> list[tuple[str, str, str]]:
    """(card, "set" or "run", "us" or "them") of every card on the table, sorted. Jokers lie in one set."""
    own = cards(block["laid_us"])
    found = []
    for kind in ("set", "run"):
        for card in cards(block[f"{kind}s"]):
            who = "us" if card in own else "them"
            if who == "us":
                own.remove(card)
            found.append((card, kind, who))
    assert not own, f"laid by us, but not on the table: {own}"
    return sorted(found)


def pile(block: dict[str, np.ndarray]) -> list[tuple[str, int | None]]:
    """(card, who discarded it) from the top down."""
    depth = block["pile_depth"]
    places = np.argsort(depth)[(depth == 0).sum() :]
    assert depth[places].tolist() == list(range(1, len(places) + 1))
    assert set(places.tolist()) == set(np.flatnonzero(block["pile"]).tolist())
    by = np.stack([block[f"discarded_{who}"] for who in WHO], axis=1)
    return [(NAMES[place], one_hot(by[place])) for place in places.tolist()]
