"""The screen of the terminal: Rich renderables of what a seat sees (``persian_rummy_env.apps.seat_view``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from ...drawing.terminal import paint
from ...partners import Seating
from ...rules import NUM_SEATS
from ...system.escaping import visible
from ..seating import Player

PLACES = ("you", "left", "partner", "right")
HISTORY = 8


def card(name: str) -> Text:
    """A card in notation, in the colour of its suit."""
    return Text.from_ansi(paint(name))


def cards(names: Sequence[str]) -> Text:
    return Text(" ").join(card(name) for name in names)


def action(text: str) -> Text:
    """An action in notation with its cards in colour."""
    verb, *rest = text.split()
    words = [Text(word, "dim") if word in ("set", "run") else Text.from_ansi(paint(word)) for word in rest]
    return Text(" ").join([Text(verb), *words])


def turn(view: dict[str, Any], players: Sequence[Player], since: int) -> Iterator[RenderableType]:
    """Everything that a player who is to move is shown; ``since``: the decisions that they have seen."""
    yield from history(view, players, since)
    if view["drew"] is not None:
        yield drawn(view["drew"])
    yield table(view, players)
    yield choices(view["legal"])


def table(view: dict[str, Any], players: Sequence[Player]) -> RenderableType:
    """The whole table as the viewer sees it."""
    me = view["seat"]
    title = f"Deal {view['deal'] + 1} of {view['deals']}, dealt by {_who(players, view['dealer'], me)}"
    us, them = me % 2, 1 - me % 2
    scores = Text.assemble(
        "score before this deal ", (f"{view['score'][us]} to {view['score'][them]}", "bold"),
        f", in this deal {view['points'][us]} to {view['points'][them]} (your team first)",
    )  # fmt: skip
    others = Grid.grid(padding=(0, 2))
    for place in (1, 2, 3):
        others.add_row(*_other(view, players, (me + place) % NUM_SEATS, place))
    parts = [scores, others, _pile(view), *_melds(view), Text(), _hand(view)]
    return Panel(Group(*parts), title=Text(title), title_align="left")


def _who(players: Sequence[Player], seat: int, me: int) -> str:
    place = PLACES[(seat - me) % NUM_SEATS]
    return "you" if place == "you" else f"{players[seat].shown} ({place})"


def _other(view: dict[str, Any], players: Sequence[Player], seat: int, place: int) -> list[Text]:
    hand = view["hands"][seat]
    count = len(hand["cards"]) + hand["hidden"]
    known = Text.assemble("of which ", cards(hand["cards"])) if hand["cards"] else Text()
    mark = Text("▶" if view["turn"] == seat and view["phase"] != "over" else " ", "yellow")
    return [
        mark,
        Text(PLACES[place], "bold"),
        Text(players[seat].shown),
        Text("1 card" if count == 1 else f"{count} cards"),
        known,
    ]


def _pile(view: dict[str, Any]) -> Text:
    shown = Text(" ").join(card(name) for name, _ in view["pile"]) if view["pile"] else Text("empty", "dim")
    return Text.assemble(f"stock {view['stock']}   pile, top last: ", shown)


def _melds(view: dict[str, Any]) -> list[Text]:
    if not view["melds"]:
        return [Text("nothing on the table", "dim")]
    lines = []
    for meld in view["melds"]:
        who = sorted({(seat - view["seat"]) % NUM_SEATS for seat in meld["seats"]})
        by = ", ".join(PLACES[place] for place in who)
        lines.append(Text.assemble(f"{meld['kind']}  ", cards(meld["cards"]), (f"  by {by}", "dim")))
    return lines


def _hand(view: dict[str, Any]) -> Text:
    """The hand of the viewer, by suit; cards that everybody knows are underlined."""
    hand = view["hands"][view["seat"]]
    shown = []
    for name, known in zip(hand["cards"], hand["known"], strict=True):
        one = card(name)
        if known:
            one.stylize("underline")
        shown.append(one)
    owed = Text.assemble("   to be melded first: ", card(view["owed"])) if view["owed"] else Text()
    return Text.assemble(("your hand: ", "bold"), Text(" ").join(shown) if shown else "no cards", owed)


def choices(legal: Sequence[str]) -> RenderableType:
    """The legal actions with their numbers, in columns."""
    rows = [Text.assemble((f"{number:>3} ", "dim"), action(text)) for number, text in enumerate(legal, start=1)]
    return Columns(rows, padding=(0, 2), equal=True, column_first=True)


def drawn(name: str) -> Text:
    """The card that the player drew in this turn, which lies sorted into the hand."""
    return Text.assemble(("you drew ", "bold"), card(name))


def history(view: dict[str, Any], players: Sequence[Player], since: int) -> list[Text]:
    """The actions since decision ``since``, one line per turn; at most the latest ``HISTORY`` lines."""
    log = view["log"]
    lines: list[tuple[tuple[int, int], Text]] = []
    for deal, seat, text in log[max(0, len(log) - (view["at"] - since)) :]:
        if lines and lines[-1][0] == (deal, seat):
            lines[-1][1].append_text(Text.assemble(", ", action(text)))
        else:
            who = _who(players, seat, view["seat"])
            lines.append(((deal, seat), Text.assemble((f"{who}: ", "bold"), action(text))))
    return [line for _, line in lines[-HISTORY:]]


def end_of_deal(number: int, end: dict[str, Any], players: Sequence[Player], me: int) -> RenderableType:
    """The end of a deal, with the cards that were left."""
    out = "nobody went out" if end["out"] is None else f"{_who(players, end['out'], me)} went out"
    lines: list[Text] = []
    for place in range(NUM_SEATS):
        seat = (me + place) % NUM_SEATS
        left = cards(end["left"][seat]) if end["left"][seat] else Text("nothing", "dim")
        who = _who(players, seat, me)
        lines.append(Text.assemble(f"{who} {'were' if who == 'you' else 'was'} left with ", left))
    us = me % 2
    lines.append(Text(f"this deal: your team {end['score'][us]}, the other team {end['score'][1 - us]}", "bold"))
    return Panel(Group(*lines), title=Text(f"Deal {number + 1} is over: {out}"), title_align="left")


def seating(drawn: Seating) -> RenderableType:
    """The draw for partners: the cards drawn, and the partners."""
    lines = []
    for number, drawn_round in enumerate(drawn.rounds):
        for one in drawn_round:
            again = "" if number == 0 else " again"
            lines.append(Text.assemble(f"{visible(one.name)} {_verb('draw', one.name)}{again} ", card(one.card)))
    names = [visible(name) for name in drawn.names]
    deals = f"{names[0]} {_verb('deal', drawn.names[0])} first"
    lines.append(Text(f"{names[0]} and {names[2]} against {names[1]} and {names[3]}; {deals}", "bold"))
    return Panel(Group(*lines), title="The draw for partners", title_align="left")


def _verb(verb: str, name: str) -> str:
    """ "you draw", but "Ada draws"."""
    return verb if name == PLACES[0] else f"{verb}s"


def console() -> Console:
    """A console with the width of the terminal."""
    return Console(highlight=False, soft_wrap=False)
