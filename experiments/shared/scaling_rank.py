"""A rank of ``experiments.scaling``: ``python -m experiments.shared.scaling_rank UPDATES DEALS``, alone or by torchrun.

Makes whole updates and prints their speeds as one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time

from train.config.base import with_settings
from train.config.presets import PRESETS
from train.scale.ranks import Ranks
from train.selfplay import SelfPlay


def main() -> None:
    updates, deals = (int(word) for word in sys.argv[1:])
    ranks = Ranks.join()
    sizes = {"threads": 1, "deals": deals, "parts": 2 * ranks.count, "pool.share": 0.0, "seed": 1}
    config = with_settings(PRESETS["two-cores"], sizes)
    trainer = SelfPlay(config, ranks)
    rows = []
    for _ in range(updates + 1):
        ranks.largest(0.0)  # start all ranks together
        start = time.perf_counter()
        rollout = trainer.collect()  # and collect the episodes of all ranks
        collected = time.perf_counter()
        trainer.learner.update(rollout, 0.5)
        learnt = time.perf_counter()
        decisions = int(rollout.length.sum())
        spans = {"collect": collected - start, "learn": learnt - collected, "both": learnt - start}
        rows.append({name: decisions / seconds for name, seconds in spans.items()})
    if ranks.first:
        print(json.dumps(rows[1:]))  # without the first update, which compiles


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.shared.scaling_rank", main))
