"""The card faces of the page: symbols ``card-2C`` … ``card-JK`` and ``card-back``, to be placed with ``<use>``."""

from __future__ import annotations

from persian_rummy_env.cards import CARD_NAMES, JOKER_NAME

SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
COLOURS = {"C": "#1e1e22", "D": "#be1e2d", "H": "#be1e2d", "S": "#1e1e22", "K": "#6b2fa0"}
EDGE = '<rect x=".5" y=".5" width="55" height="79" rx="6" fill="{fill}" stroke="#0c3a28"/>'
FONT = 'font-family="sans-serif" font-weight="bold"'
TEXT = f'<text x="{{x}}" y="{{y}}" font-size="{{size}}" {FONT} fill="{{fill}}"{{more}}>{{text}}</text>'


def symbols() -> str:
    """All faces as ``<defs>``; each symbol has the view box ``0 0 56 80``."""
    faces = [_symbol(name, EDGE.format(fill="#faf8f0") + _face(name)) for name in CARD_NAMES]
    back = EDGE.format(fill="#faf8f0") + '<rect x="5" y="5" width="46" height="70" rx="4" fill="#46548c"/>'
    return f"<defs>{''.join(faces)}{_symbol('back', back)}</defs>"


def _symbol(name: str, inner: str) -> str:
    return f'<symbol id="card-{name}" viewBox="0 0 56 80">{inner}</symbol>'


def _face(name: str) -> str:
    fill = COLOURS[name[-1]]
    corner, middle = (JOKER_NAME, "★") if name == JOKER_NAME else (name[0].replace("T", "10"), SUITS[name[-1]])
    small = "" if name == JOKER_NAME else TEXT.format(x=4, y=35, size=16, fill=fill, more="", text=middle)
    return (
        TEXT.format(x=4, y=19, size=18, fill=fill, more="", text=corner)
        + small
        + TEXT.format(x=34, y=68, size=32, fill=fill, more=' text-anchor="middle"', text=middle)
    )
