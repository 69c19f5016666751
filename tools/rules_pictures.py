"""The pictures of a turn in ``docs/rules.md``: ``python -m tools.rules_pictures`` writes ``docs/images/turn_*.png``.

The engine plays the turn. Only Ada's hand differs from the example of ``docs/observation.md``.
"""

from __future__ import annotations

from persian_rummy_env.drawing import draw_table
from tools.reference.observation_page import EXAMPLE_HANDS, example_states
from tools.render_pictures import IMAGES, save

PLAYERS = ("Bea", "Ada", "Cem", "Dan")
ADA = 1
HANDS = (EXAMPLE_HANDS[0], "6S 8C 8D 8H TC KH 2S", *EXAMPLE_HANDS[2:])
BEFORE = ("draw", "meld 3S 4S 5S", "discard 7S")
TURN = ("take 7S", "layoff 6S run", "layoff 7S run", "meld 8C 8D 8H", "discard KH")
SHOWN = {"turn_1_before.png": 0, "turn_2_taken.png": 1, "turn_3_laid.png": 4, "turn_4_discarded.png": 5}
"""The pictures, and how many actions of the turn each comes after."""
WIDTH = 960


def main() -> None:
    played = (*BEFORE, *TURN)
    states = example_states(played, HANDS)
    for name, count in SHOWN.items():
        after = len(BEFORE) + count
        recent = [(int(states[at]["seat"]), played[at]) for at in range(after)]
        save(draw_table(states[after], ADA, players=PLAYERS, recent=recent[-4:], width=WIDTH), IMAGES / name)
        print(IMAGES / name)


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m tools.rules_pictures", main))
