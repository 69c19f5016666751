"""Whether the values of a bundled policy are calibrated: ``python -m experiments.networks.calibration``.

The policy plays fresh deals against itself. One position of each deal, any with equal probability, is valued for the
seat to move, from the full record and from what that seat sees. Positions are sorted by value into ten groups of equal
size. In each group the mean value is compared with the mean margin with which the deals ended.
``python -m tools.result_pages`` prints the result into the card, ``persian_rummy_env/players/weights/README.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from persian_rummy_env.evaluation.match import deal_seeds
from persian_rummy_env.evaluation.statistics import mean_interval
from persian_rummy_env.players.bundled import FROZEN
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import NoCriticError, unknown_name
from train.data.deal_sets import CALIBRATION
from train.data.self_play import one_position_each

from ..shared.claim import Claim
from ..shared.result_file import RESULTS, STRENGTH, about, add_result_options, fail, write_result

CLAIM = Claim(
    text=(
        "the values of `champion-1` are calibrated: in each tenth of the positions their mean is close to the mean "
        "margin"
    ),
    command="python -m experiments.networks.calibration\npython -m tools.result_pages",
    expected="from the full record within 3 points in every tenth, from what a seat sees within 5",
    minutes=1,
    result="calibration.json",
    page="persian_rummy_env/players/weights/README.md",
)
RESULT = RESULTS / "calibration.json"
GROUPS = 10
CHUNK = 1024
"""Deals that are played at once."""


def group_rows(value: np.ndarray, margin: np.ndarray) -> list[dict[str, float]]:
    """Mean value and mean margin, with its 95% interval, in ``GROUPS`` groups of increasing value."""
    rows = []
    for group in np.array_split(np.argsort(value, kind="stable"), GROUPS):
        mean, low, high = mean_interval(margin[group])
        rows.append({"value": float(value[group].mean()), "margin": mean, "low": low, "high": high})
    return rows


def quality(value: np.ndarray, margin: np.ndarray) -> dict[str, Any]:
    """The groups, their largest difference, and the share of the variance of the margins that the values explain."""
    rows = group_rows(value, margin)
    return {
        "groups": rows,
        "largest difference": max(abs(row["value"] - row["margin"]) for row in rows),
        "explained": float(1 - np.square(margin - value).mean() / margin.var()),
        "margin sd": float(margin.std()),
    }


def main(given: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(prog="python -m experiments.networks.calibration", description=CLAIM.text)
    parser.add_argument("--policy", default="champion-1", help="a bundled policy (default %(default)s)")
    parser.add_argument("--positions", type=int, default=20_000, help="one of each deal (default %(default)s)")
    parser.add_argument("--worlds", type=int, default=20, help="of what a seat sees (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT, help="the result (default %(default)s)")
    add_result_options(parser)
    options = parser.parse_args(words)
    if options.policy not in FROZEN:
        fail(unknown_name("bundled policy", options.policy, FROZEN))
    if options.positions < 2 * GROUPS or options.worlds < 1:
        fail(f"--positions {options.positions}, --worlds {options.worlds}: expected at least {2 * GROUPS} and 1")
    facts = about("experiments.networks.calibration", words, options.out, options.allow_dirty)
    policy, rng = load(options.policy), np.random.default_rng(CALIBRATION)
    try:
        critic = policy.critic
    except NoCriticError as error:
        fail(str(error))
    margins, opened, seen = [], [], []
    for first in range(0, options.positions, CHUNK):
        seeds = deal_seeds(CALIBRATION, min(CHUNK, options.positions - first), first)
        games, margin = one_position_each(policy, seeds, rng)
        margins.append(margin)
        opened.append(critic.value(games, games["seat"], hidden=True))
        seen.append(critic.value(games, games["seat"], worlds=options.worlds, seed=CALIBRATION))
    margin = np.concatenate(margins)
    figures = {
        "policy": options.policy,
        "critic": critic.sha256,
        "positions": options.positions,
        "worlds": options.worlds,
        "full record": quality(np.concatenate(opened), margin),
        "what the seat sees": quality(np.concatenate(seen), margin),
    }
    write_result(options.out, facts, figures, kind=STRENGTH, seeds=[CALIBRATION], players=[options.policy])
    for name in ("full record", "what the seat sees"):
        found = figures[name]
        print(f"{name}: largest difference {found['largest difference']:.1f}, explained {found['explained']:.1%}")
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.networks.calibration", main))
