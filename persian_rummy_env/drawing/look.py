"""The colours of the drawing, and its options."""

from __future__ import annotations

from dataclasses import dataclass

PAGE, FELT, RIM = "#f4f1e9", "#2f6e54", "#27604a"
INK, SOFT, RULE = "#22282a", "#5c635f", "#d9d4c7"
ON_FELT, SLOT = "#e3eee6", "#5d9179"
PAPER, EDGE = "#fffdf8", "#8c8f86"
GOLD, HOT = "#f0c14b", "#c67a00"
BACK, LATTICE = "#54709a", "#8fa5c6"
TEAMS = ("#2468a8", "#a84d0c")
"""Colours by team, for arrows and names."""
SUITS = {"C": INK, "D": "#c0242f", "H": "#c0242f", "S": INK, "K": "#6b2fa0"}
FOUR_SUITS = SUITS | {"C": "#1d7a3a", "D": "#1f5fbf"}
"""Colours of the four-colour deck, by the last letter of a card's name: the suit, or ``K`` for a joker."""


@dataclass(frozen=True)
class Look:
    """Colour options of the drawing.

    Attributes:
        four_colours: clubs are green and diamonds blue, so that no two suits have the same colour.
    """

    four_colours: bool = False

    def suit(self, card: str) -> str:
        """The colour of a card in notation."""
        return (FOUR_SUITS if self.four_colours else SUITS)[card[-1]]


def css_colours() -> str:
    """The colours of the drawing as a CSS rule with custom properties, for the pages that hold drawings."""
    named = {
        "page": PAGE, "paper": PAPER, "ink": INK, "soft": SOFT, "rule": RULE, "edge": EDGE, "felt": FELT, "rim": RIM,
        "on-felt": ON_FELT, "slot": SLOT, "gold": GOLD, "hot": HOT, "team-0": TEAMS[0], "team-1": TEAMS[1],
        "bar": "#cfe3d6",
    }  # fmt: skip
    return f":root {{ {' '.join(f'--{name}: {colour};' for name, colour in named.items())} }}"
