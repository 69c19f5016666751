"""Everything that a table needs, done once before the server listens, so that nobody waits for a compiler."""

from __future__ import annotations

from collections.abc import Mapping

from ...players.policy import BasePolicy
from ...players.policy_io import choose
from ...players.scripted import ScriptedPolicy
from ...records.record import dumps
from ...rules import RuleSet
from ..game import TableGame
from ..replay_page import replay_page
from ..seat_view import seat_view
from ..seating import draw, players_of

SEED = 1
USUAL = "expert"


def prepare(policies: Mapping[str, BasePolicy], rules: RuleSet) -> None:
    """Play a game, as a table does: each policy is asked about its first decisions, and its record and page are made.

    Raises:
        PolicyError: a policy fails already here.
    """
    draw(players_of(["human"] * 4), SEED)
    table, player = TableGame(rules, SEED), ScriptedPolicy(USUAL)
    asked: set[tuple[str, bool]] = set()
    while not table.over:
        seat_view(table, table.seat)
        draws = "draw" in table.legal or "pass" in table.legal
        for name, policy in policies.items():
            if (name, draws) not in asked:
                asked.add((name, draws))
                choose(table.games(), policy)
        table.play(int(choose(table.games(), player)[0]))
        if table.can_undo:
            table.play(table.undo().action)
    for seat in range(4):
        seat_view(table, seat)
    record = table.record(["a", "b", "c", "d"])
    dumps(record)
    replay_page([(1, record)])
    TableGame.resume(table.unfinished(["a", "b", "c", "d"], ["human"] * 4))
