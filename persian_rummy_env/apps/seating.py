"""The players of the seats: people and policies by name, and the draw for partners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..partners import Seating, draw_for_partners
from ..players.load import load, split_specs
from ..players.policy import BasePolicy, check_rules
from ..rules import NUM_SEATS, RuleSet
from ..system.escaping import shortened

HUMAN = "human"
LONGEST_NAME = 40


@dataclass(frozen=True)
class Player:
    """The player of a seat: a name, and ``HUMAN`` or the name of a policy (``persian_rummy_env.load``)."""

    name: str
    spec: str

    @property
    def human(self) -> bool:
        return self.spec == HUMAN

    @property
    def shown(self) -> str:
        """The name, escaped for printing: a name from a file can be any text."""
        return shortened(self.name, LONGEST_NAME)


def players_of(specs: Sequence[str], names: Sequence[str] = ()) -> list[Player]:
    """The players of four seats. People get the given names in order; without names they are ``you``, or have numbers.

    Raises:
        ValueError: not four seats, more names than people, or the same name twice.
    """
    if len(specs) != NUM_SEATS:
        raise ValueError(f"{len(specs)} seats ({', '.join(specs)}): expected {NUM_SEATS}, separated by commas")
    people = [spec for spec in specs if spec == HUMAN]
    if len(names) > len(people):
        raise ValueError(f"names {', '.join(names)}: there are only {len(people)} seats for people")
    usual = ["you"] if len(people) == 1 else [f"human {number}" for number in range(1, len(people) + 1)]
    called = [*names, *usual[len(names) :]]
    if len(set(called)) != len(called):
        raise ValueError(f"names {', '.join(called)}: expected different ones")
    in_turn = iter(called)
    return [Player(next(in_turn), HUMAN) if spec == HUMAN else Player(spec, spec) for spec in specs]


def parse_seats(text: str, names: Sequence[str] = ()) -> list[Player]:
    """The players of ``"human,expert,file:runs/a/policy.safetensors,expert"``, by seat.

    Raises:
        ValueError: as ``players_of``, or a list that cannot be split.
    """
    return players_of(split_specs(text), names)


def policies_of(players: Sequence[Player], rules: RuleSet) -> dict[str, BasePolicy]:
    """Load the policies of a game, each once, by name.

    Raises:
        ValueError: an unknown name, or a policy that was trained with other rules.
        FileNotFoundError: the file does not exist.
    """
    policies = {}
    for spec in dict.fromkeys(player.spec for player in players if not player.human):
        policies[spec] = load(spec)
        check_rules(policies[spec], rules)
    return policies


def draw(players: Sequence[Player], seed: int) -> tuple[list[Player], Seating]:
    """Draw for partners (rule R7): returns the players by seat, and the draw. Seat 0 deals first.

    Players of the same name get numbers for the draw, so that two experts can be told apart.
    """
    labels, seen = [], {}
    for player in players:
        seen[player.name] = seen.get(player.name, 0) + 1
        several = sum(other.name == player.name for other in players) > 1
        labels.append(f"{player.name} #{seen[player.name]}" if several else player.name)
    seating = draw_for_partners(labels, seed)
    by_label = dict(zip(labels, players, strict=True))
    return [by_label[name] for name in seating.names], seating
