"""The end of a run: which copy is the player, and the final matches."""

from __future__ import annotations

import json

from agents.network import Actor
from persian_rummy_env.system.files import write_whole

from ..config.base import RunConfig
from ..data.deal_sets import RUN_REPORT
from .best import BestCopy
from .checkpoint import POLICY
from .counters import Counters
from .matches import evaluation_matches
from .screen import Screen, result_table


def write_result(
    config: RunConfig, counters: Counters, last: Actor, best: BestCopy, identity: str, screen: Screen
) -> None:
    """Let the best copy challenge the last one, play the player's final matches, and write ``results.json``."""
    screen.say(f"playing {config.eval.final_pairs:,} pairs of fresh deals against each bot …")
    challenge, player = best.challenge(last, counters.update), last
    if challenge is not None:
        screen.say(f"the best copy by the curve, {challenge.a}, against the last one: {challenge}")
        if challenge.low > 0:
            player = best.promote()
            screen.say("it is the player")
    matches = evaluation_matches(config, player, RUN_REPORT, config.eval.final_pairs)
    results = {
        "run": identity,
        "counters": vars(counters),
        "deals": RUN_REPORT,
        "matches": [match.as_dict() for match in matches],
        "best against last": challenge and challenge.as_dict(),
    }
    write_whole(config.out / "results.json", json.dumps(results, indent=2) + "\n")
    screen.console.print(result_table(matches))
    screen.say(
        f"{counters.decisions / 1e6:.2f} M decisions in {counters.seconds:.0f} s of training "
        f"({counters.decisions / counters.seconds:,.0f} a second); the player: {config.out / POLICY}"
    )
