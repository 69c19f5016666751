"""TorchRL: random legal play by the wrapped AEC environment and by the batched environment, in decisions a second."""

import argparse
import time
import warnings

from torchrl.envs import EnvBase

from persian_rummy_env.adapters.torchrl import ONE_GROUP, PersianRummyTorchRL, torchrl_env


def speed(env: EnvBase, steps: int, rows: int) -> float:
    """Decisions a second over some steps of all rows, after as many that do not count; the processor's own time."""
    shown = env.reset()
    for counted in (False, True):
        start = time.process_time()
        for _ in range(steps):
            _, shown = env.step_and_maybe_reset(env.rand_action(shown))
        if counted:
            return steps * rows / (time.process_time() - start)
    raise AssertionError


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=4096)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    wrapper = speed(torchrl_env(ONE_GROUP, episode="deal", seed=1), 300, 1)
    print(f"wrapper {wrapper:,.0f} decisions/s")
    for tables in (1, 64, 1024, args.tables):
        native = speed(PersianRummyTorchRL(tables, episode="deal", seed=1), 100, tables)
        raw = speed(PersianRummyTorchRL(tables, episode="deal", seed=1, raw=True), 100, tables)
        print(f"{tables:5d} tables: {native:,.0f} decisions/s, {raw:,.0f} raw")
    print(f"{args.tables} tables against the wrapper's one: {native / wrapper:,.0f} times, {raw / wrapper:,.0f} raw")
