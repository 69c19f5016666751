"""A game in the terminal, from the draw for partners to its record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.text import Text

from ...actions import ACTION_NAMES
from ...players.load import load
from ...players.policy import BasePolicy, check_rules
from ...players.policy_io import PolicyError, choose
from ...records import record
from ...system.escaping import visible
from ...system.files import explained, whole_file
from ..game import TableError, TableGame
from ..seat_view import seat_view
from ..seating import Player
from . import screen
from .how_to_play import how_to_play
from .typed import NotAnActionError, parse

HELP = """\
Type an action in notation (draw, take 7S, meld 4D 4H 4S, layoff 6S run, discard 9H), a beginning of it (d 9h), or its \
number in the list.
  rules         how the game is played, on one screen
  undo          take your last meld, lay-off or take back, before the discard
  hint [NAME]   ask a policy, such as expert or 'search(deepest, worlds=40)'
  help          this text
  quit          save the game and leave; it can be taken up again with --resume"""


FIRST_LINE = "Type an action or its number; or: help, rules, hint, undo, quit."


class LeftError(Exception):
    """The player leaves before the end."""


@dataclass
class Game:
    """A game of people and policies in one terminal.

    Attributes:
        table: the game.
        players: the players by seat.
        policies: the policies that play, by name.
        hint: the name of the policy that gives hints by default.
        console: the terminal.
    """

    table: TableGame
    players: Sequence[Player]
    policies: Mapping[str, BasePolicy]
    hint: str
    console: Console
    _shown: dict[int, int] = field(default_factory=dict)
    _last_person: int | None = None
    _ends_shown: int = 0

    def play(self) -> None:
        """Play to the end.

        Raises:
            LeftError: ``quit``, an interrupt, or the end of input.
            PolicyError: a policy failed.
        """
        while not self.table.over:
            player = self.players[self.table.seat]
            if player.human:
                self._ask()
            else:
                self.table.play(int(choose(self.table.games(), self.policies[player.spec])[0]))
            self._show_ends()
        us, them = self._watcher % 2, 1 - self._watcher % 2
        score = seat_view(self.table, self._watcher)["score"]
        how = "a tie" if score[us] == score[them] else "you win" if score[us] > score[them] else "you lose"
        self.console.print(f"\n[bold]The game is over: {score[us]} to {score[them]}, {how}[/bold]")

    @property
    def _watcher(self) -> int:
        """The seat from which the end of a deal is shown: the person who played last, or the first person."""
        people = [seat for seat, player in enumerate(self.players) if player.human]
        return self._last_person if self._last_person is not None else people[0] if people else 0

    def _show_ends(self) -> None:
        while self._ends_shown < len(self.table.ends):
            view = seat_view(self.table, self._watcher)
            end = view["ends"][self._ends_shown]
            self.console.print(screen.end_of_deal(self._ends_shown, end, self.players, self._watcher))
            self._ends_shown += 1

    def _ask(self) -> None:
        """Ask a person for one decision, and carry out the commands that come before it."""
        seat = self.table.seat
        if self._last_person not in (None, seat):
            self.console.clear()
            self._input(f"{self.players[seat].shown} is to move: the others look away, then press Enter ")
        first = self._last_person is None
        self._last_person = seat
        self._show(seat)
        if first:
            self.console.print(FIRST_LINE, style="dim")
        while True:
            text = self._input("> ")
            try:
                if self._obey(text, seat):
                    return
            except (NotAnActionError, TableError, PolicyError, ValueError, OSError) as error:
                fault = explained(error) if isinstance(error, OSError) else str(error)
                self.console.print(visible(fault), style="red", markup=False)

    def _obey(self, text: str, seat: int) -> bool:
        """Carry out a line of input; returns whether the state of the game has changed."""
        word, _, rest = text.strip().partition(" ")
        if word in ("quit", "exit"):
            raise LeftError
        if word == "help":
            self.console.print(HELP, markup=False)
        elif word == "rules":
            self.console.print(how_to_play(self.table.rules), markup=False)
        elif word == "hint":
            self._give_hint(rest.strip() or self.hint)
        elif word == "undo":
            back = self.table.undo()
            self._shown[seat] = min(self._shown.get(seat, 0), len(self.table.played))
            self.console.print(f"taken back: {ACTION_NAMES[back.action]}")
            return True
        else:
            self.table.play(parse(text, self.table.legal))
            return True
        return False

    def _give_hint(self, name: str) -> None:
        policy = self.policies.get(name) or load(name)
        check_rules(policy, self.table.rules)
        advice = ACTION_NAMES[int(choose(self.table.games(), policy)[0])]
        self.console.print(Text(f"{visible(name)} would play: "), screen.action(advice), sep="")

    def _show(self, seat: int) -> None:
        view = seat_view(self.table, seat)
        self.console.print()
        for part in screen.turn(view, self.players, self._shown.get(seat, 0)):
            self.console.print(part)
        self._shown[seat] = len(self.table.played)

    def _input(self, prompt: str) -> str:
        try:
            return self.console.input(prompt, markup=False)
        except (EOFError, KeyboardInterrupt):
            raise LeftError from None


def save(game: Game, out: Path) -> Path:
    """Save a finished game as a record, or an unfinished one beside it for ``--resume``; returns the path.

    The file is written atomically.
    """
    names = [player.name for player in game.players]
    if game.table.over:
        record.write(out, [game.table.record(names)])
        return out
    path = out.with_suffix(".unfinished.json")
    with whole_file(path) as file:
        json.dump(game.table.unfinished(names, [player.spec for player in game.players]), file)
        file.write("\n")
    return path
