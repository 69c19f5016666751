"""How many decisions a second the champion plays without torch, beside PyTorch.

    python -m experiments.networks.network_speed

Whole deals with the champion in all four seats, many at a time, on one core. A forced decision, of one legal action, is
played by the compiled loop; the others, the choices, are computed by the network. Both paths play the same deals in the
same loop, in turn. PyTorch's path has the compiled first and last layer too; its blocks are PyTorch's. Seconds are of
processor time, which other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.learned import LearnedPolicy, use_one_thread
from persian_rummy_env.evaluation.arena import new_games, play
from persian_rummy_env.players.bundled import CHAMPION
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch
from persian_rummy_env.rules import NUM_SEATS

from ..shared.claim import Claim
from ..shared.result_file import RESULTS, TIMING, about, add_result_options, fail, write_result
from ..shared.timing import cores, figure, in_turn, versions

CLAIM = Claim(
    text="the champion plays at least 150,000 decisions/s on one core without torch, in whole deals",
    command="python -m experiments.networks.network_speed",
    expected="168,000 decisions/s beside much other work, 62% of them choices; 1.2 times PyTorch's path",
    minutes=2,
    result="network_speed.json",
    page="docs/performance.md",
)
RESULT = RESULTS / "network_speed.json"
GOAL = 150_000
"""Decisions a second, in whole deals on one core."""
KEPT = 25
"""Choices of each deal before those that are computed as one batch."""


class Asked(BasePolicy):
    """A policy that counts the decisions that it is asked for, and may be asked for forced ones too.

    Attributes:
        asked: how many. kept: the batch of call ``KEPT``, in the middle of the deals.
    """

    def __init__(self, policy: BasePolicy, skips_forced: bool) -> None:
        self.name, self.policy, self.skips_forced = policy.name, policy, skips_forced
        self.asked = self.calls = 0
        self.kept: DecisionBatch | None = None

    def act(self, batch: DecisionBatch) -> np.ndarray:
        self.asked += len(batch)
        self.calls += 1
        if self.calls == KEPT:
            self.kept = batch
        return self.policy.act(batch)


def deals(policy: BasePolicy, number: int) -> tuple[int, float]:
    """Play some deals to their end: decisions, and seconds."""
    games = new_games(np.arange(number), np.arange(number) % NUM_SEATS, deals=1)
    start = time.process_time()
    decisions = play(games, [policy], np.zeros((number, NUM_SEATS), dtype=np.int64))
    return int(decisions.sum()), time.process_time() - start


def arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.networks.network_speed", description="decisions a second of the champion"
    )
    parser.add_argument("--deals", type=int, default=4096, help="played at a time (default %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="of each figure (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT, help="the result (default %(default)s)")
    add_result_options(parser)
    return parser.parse_args(given)


def figures_of(number: int, runs: int) -> dict[str, Any]:
    own, torch_path = load("champion"), LearnedPolicy(CHAMPION)
    choices = Asked(own, True)
    decisions, _ = deals(choices, number)
    batch = choices.kept
    assert batch is not None, "no deal has so few choices"
    players = {
        "without torch": own,
        "PyTorch": torch_path,
        "without torch, forced decisions computed": Asked(own, False),
        "PyTorch, forced decisions computed": Asked(torch_path, False),
    }

    def in_deals(policy: BasePolicy) -> float:
        played, seconds = deals(policy, number)
        return played / seconds

    def of_batch(policy: BasePolicy) -> float:
        start = time.process_time()
        policy.act(batch)
        return 1e6 * (time.process_time() - start) / len(batch)

    measures: dict[str, Callable[[], float]] = {
        name: lambda each=each: in_deals(each) for name, each in players.items()
    }
    measures |= {f"a choice {name}": lambda each=each: of_batch(each) for name, each in list(players.items())[:2]}
    values = in_turn(measures, runs)
    return {
        "deals": number,
        "decisions": decisions,
        "choices": choices.asked,
        "goal": GOAL,
        "whole deals": {name: figure(values[name], "decisions/s") for name in players},
        "whole deals, choices alone": {
            name: figure([value * choices.asked / decisions for value in values[name]], "choices/s") for name in players
        },
        "a choice in a batch": {
            name: figure(values[f"a choice {name}"], "µs", batch=len(batch)) for name in list(players)[:2]
        },
    }


def main(given: Sequence[str] | None = None) -> None:
    words = sys.argv[1:] if given is None else list(given)
    options = arguments(words)
    if options.deals < NUM_SEATS or options.runs < 1:
        fail(f"--deals {options.deals} --runs {options.runs}: expected at least {NUM_SEATS} deals and 1 run")
    facts = about("experiments.networks.network_speed", words, options.out, options.allow_dirty)
    facts["versions"] = versions("persian-rummy-rl", "numpy", "numba", "torch")
    use_one_thread()
    with cores(1):
        figures = figures_of(options.deals, options.runs)
    result = write_result(options.out, facts, figures, kind=TIMING)
    share = result["choices"] / result["decisions"]
    print(f"{result['decisions']:,} decisions of {options.deals:,} deals, {share:.0%} of them choices")
    for name, one in result["whole deals"].items():
        print(f"{name}: {one['median']:,.0f} decisions/s, {one['median'] * share:,.0f} choices/s")
    for name, one in result["a choice in a batch"].items():
        print(f"a choice in a batch of {one['batch']:,}, {name}: {one['median']:.2f} µs")


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.networks.network_speed", main))
