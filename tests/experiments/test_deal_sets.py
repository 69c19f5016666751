"""The table of deal sets: no seed serves two purposes, and what commands and pages use stands in it."""

from __future__ import annotations

import json
import re
from itertools import combinations

import numpy as np

from experiments import evaluation
from experiments.claims import all_claims
from experiments.shared.result_file import RESULTS
from persian_rummy_env.evaluation.match import deal_seeds
from train.data.deal_sets import CHOOSE, DEAL_SETS, REPORT, set_of


def test_no_seed_has_two_purposes() -> None:
    for one, other in combinations(DEAL_SETS, 2):
        assert one.last < other.first or other.last < one.first, (one, other)
    assert all(0 <= one.first <= one.last for one in DEAL_SETS)
    assert len({one.purpose for one in DEAL_SETS}) == len(DEAL_SETS)


def test_deals_of_what_is_chosen_are_not_those_of_what_is_reported() -> None:
    """The games' own seeds, not only the numbers of the sets."""
    games = {
        use: np.concatenate(
            [deal_seeds(seed, 4096) for one in DEAL_SETS if one.use == use for seed in {one.first, one.last}]
        )
        for use in (CHOOSE, REPORT)
    }
    assert not np.intersect1d(games[CHOOSE], games[REPORT]).size


def test_seeds_of_results_and_of_their_commands_are_for_reporting() -> None:
    found = {path: json.loads(path.read_text()).get("terms", {}).get("seed") for path in RESULTS.rglob("*.json")}
    for path, seed in found.items():
        if seed is not None:
            known = set_of(seed)
            assert known is not None, path
            assert known.use == REPORT, path
    commands = "\n".join(claim.command for claim in all_claims().values())
    for command in re.findall(r"experiments\.(?:tournament|cross_play) .*", commands):
        for seed in re.findall(r"--seed (\d+)", command):
            known = set_of(int(seed))
            assert known is not None, command
            assert known.use == REPORT, command
    assert {set_of(seed) is None for seed in evaluation.SEEDS.values()} == {False}
