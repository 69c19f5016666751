"""The pictures of ``docs/render.md``: ``python -m tools.render_pictures`` writes ``docs/images/table_*``, and
``docs/images/cards.png``. The pictures are deterministic."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from rich.console import Console
from rich.text import Text

from persian_rummy_env.actions import ACTION_NAMES
from persian_rummy_env.apps.game import TableGame
from persian_rummy_env.cards import CARD_NAMES, NUM_PLAIN
from persian_rummy_env.drawing import CARD_HEIGHT, CARD_WIDTH, Look, ansi, card_face, contents, draw_table, raster
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy_io import choose
from persian_rummy_env.state import NOTHING_OWED
from persian_rummy_env.system.files import write_whole

IMAGES = Path("docs/images")
PLAYERS = ("Ada", "expert", "Grace", "deepest")
FOUR = Look(four_colours=True)
COLOURS = 128
"""Colours of a PNG: enough for flat colours with smooth edges, at a third of the size."""


def position(wanted: Callable[[np.void], bool]) -> tuple[np.void, list[tuple[int, str]]]:
    """The first position of expert games for which ``wanted`` is True, and the last actions before it."""
    expert = load("expert")
    for seed in range(1000):
        table = TableGame(seed=seed)
        while not table.over:
            game = table.games()[0]
            if wanted(game):
                return game, [(one.seat, ACTION_NAMES[one.action]) for one in table.played[-8:]]
            table.play(int(choose(table.games(), expert)[0]))
    raise SystemExit("error: no such position in a thousand games")


def lively(game: np.void) -> bool:
    """Whether a position shows every kind of item on the table."""
    hands = [contents.hand(game, seat, None) for seat in range(4)]
    return (
        len(contents.melds(game)) >= 5
        and len({seat for meld in contents.melds(game) for seat in meld.seats}) == 4
        and int(game["pile_size"]) >= 6
        and min(len(one.cards) for one in hands) >= 3
        and sum(any(one.known) for one in hands) >= 2
        and int(game["deal"]) == 1
    )


def owing(game: np.void) -> bool:
    """Whether a seat other than 0 owes a meld of a card that it took with others (rule R25)."""
    return int(game["owed"]) != NOTHING_OWED and int(game["seat"]) == 3 and sum(map(int, game["points"])) > 0


def save(svg: str, path: Path) -> None:
    whole = raster.rasterise(svg, raster.FONTS)
    flat = Image.new("RGB", whole.size, "white")
    flat.paste(whole, (0, 0), whole)
    content = io.BytesIO()
    flat.quantize(COLOURS, dither=Image.Dither.NONE).save(content, "PNG", optimize=True)
    write_whole(path, content.getvalue())


def cards(width: int, gap: int) -> str:
    """All cards by suit and a back, as one SVG."""
    names = [*CARD_NAMES[:NUM_PLAIN], "JK", None]
    across, down = 14, 4
    height = width * CARD_HEIGHT // CARD_WIDTH
    whole = (across * (width + gap) - gap, down * (height + gap) - gap)
    drawn = []
    for number, name in enumerate(names):
        column, row = (number % 13, number // 13) if number < NUM_PLAIN else (13, number - NUM_PLAIN)
        card = card_face(name, look=FOUR, width=width)
        drawn.append(card.replace("<svg ", f'<svg x="{column * (width + gap)}" y="{row * (height + gap)}" ', 1))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole[0]}" height="{whole[1]}">'
    return f"{head}{''.join(drawn)}</svg>"


def terminal(text: str, width: int) -> str:
    """A coloured terminal text as SVG."""
    console = Console(record=True, width=width, file=io.StringIO(), highlight=False)
    console.print(Text.from_ansi(text))
    return console.export_svg(title='env.render(), render_mode="ansi"')


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    game, recent = position(lively)
    save(draw_table(game, players=PLAYERS, recent=recent, width=1280), IMAGES / "table_open.png")
    write_whole(IMAGES / "table_ansi.svg", terminal(ansi.ansi(game, colour=True, width=92), 92))
    game, recent = position(owing)
    save(draw_table(game, 0, players=PLAYERS, recent=recent, look=FOUR, width=1280), IMAGES / "table_seat.png")
    save(cards(56, 6), IMAGES / "cards.png")
    print(*sorted(str(path) for path in (*IMAGES.glob("table_*"), IMAGES / "cards.png")), sep="\n")


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m tools.render_pictures", main))
