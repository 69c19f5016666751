"""SuperSuit's vector of parallel views beside the vector environment: decisions a second, and rows that count."""

import argparse
import time

import numpy as np
import supersuit

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.adapters.parallel import PersianRummyParallel


def supersuits(tables: int, steps: int) -> tuple[float, float]:
    """Decisions a second, and the share of rows in which somebody is to move."""
    rows = supersuit.concat_vec_envs_v1(supersuit.pettingzoo_env_to_vec_env_v1(PersianRummyParallel()), tables)
    rng = np.random.default_rng(1)
    observations, _ = rows.reset(seed=1)
    start, acted = time.perf_counter(), 0
    for _ in range(steps):
        masks = observations["action_mask"]
        acted += int(masks.any(axis=1).sum())
        actions = [rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks]
        observations, *_ = rows.step(np.array(actions))
    return acted / (time.perf_counter() - start), acted / (steps * 4 * tables)


def vector_speed(tables: int, steps: int) -> float:
    env = PersianRummyVecEnv(tables, episode="deal")
    env.reset(seed=1)
    start = time.perf_counter()
    for _ in range(steps):
        env.step(env.sample_actions())
    return tables * steps / (time.perf_counter() - start)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=16)
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    decisions, share = supersuits(args.tables, args.steps)
    print(
        f"SuperSuit {decisions:,.0f} decisions/s, the vector environment {vector_speed(args.tables, args.steps):,.0f}"
    )
    print(f"{args.tables} tables: {100 * share:.0f} % of SuperSuit's rows count")
