"""The strength of every bundled policy against the four bots: ``python -m experiments.networks.bundled``.

Duplicate matches on deals that no training saw. ``python -m tools.result_pages`` prints the result into the card,
``persian_rummy_env/players/weights/README.md``, a line a policy.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from persian_rummy_env.bots import BOTS
from persian_rummy_env.evaluation.match import match
from persian_rummy_env.players.bundled import BUNDLED, FROZEN
from persian_rummy_env.players.policy_file import read_policy_file
from train.data.deal_sets import BUNDLED as DEAL_SET

from ..shared.claim import Claim
from ..shared.result_file import RESULTS, STRENGTH, about, add_result_options, fail, write_result

CLAIM = Claim(
    text="every bundled policy is as strong against the four bots as its card says",
    command="python -m experiments.networks.bundled\npython -m tools.result_pages",
    expected="the table of the card",
    minutes=1,
    result="bundled.json",
    page="persian_rummy_env/players/weights/README.md",
)
RESULT = RESULTS / "bundled.json"
HEADER = ("made by", "experience", "commit")


def main(given: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(prog="python -m experiments.networks.bundled", description=CLAIM.text)
    parser.add_argument("--pairs", type=int, default=4000, help="duplicate pairs of each match (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT, help="the result (default %(default)s)")
    add_result_options(parser)
    options = parser.parse_args(words)
    if options.pairs < 2:
        fail(f"--pairs {options.pairs}: expected at least 2")
    facts = about("experiments.networks.bundled", words, options.out, options.allow_dirty)
    policies: list[dict[str, Any]] = []
    matches: list[dict[str, Any]] = []
    for name in FROZEN:
        metadata = read_policy_file(BUNDLED[name]).metadata
        policies.append({"policy": name, **{key: metadata[key] for key in HEADER}})
        for bot in BOTS:
            played = match(name, bot, options.pairs, seed=DEAL_SET)
            matches.append(played.as_json())
            print(played, flush=True)
    figures = {"pairs": options.pairs, "policies": policies, "matches": matches}
    players = [*FROZEN, *BOTS]
    write_result(options.out, facts, figures, kind=STRENGTH, seeds=[DEAL_SET], players=players)
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.networks.bundled", main))
