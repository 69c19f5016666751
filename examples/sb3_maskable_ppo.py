"""Stable-Baselines3: MaskablePPO against three bots, then measured against random play."""

import argparse

import numpy as np
from sb3_contrib import MaskablePPO

from persian_rummy_env import PersianRummyGymVectorEnv
from persian_rummy_env.adapters.sb3 import PersianRummySB3VecEnv


def measure(model: MaskablePPO, deals: int, seed: int) -> tuple[float, float]:
    """Points a deal of the learner's team, both seats of it, against `random`, with the half of a 95% interval."""
    tables = PersianRummyGymVectorEnv(256, seats="team", opponents="random", observation="flat")
    observations, _ = tables.reset(seed=seed)
    running, margins = np.zeros(256), []
    while len(margins) < deals:
        actions, _ = model.predict(observations, action_masks=tables.action_masks(), deterministic=True)
        observations, rewards, terminated, _, _ = tables.step(actions)
        running += rewards
        margins += (100 * running[terminated]).tolist()
        running[terminated] = 0
    return float(np.mean(margins)), float(1.96 * np.std(margins) / len(margins) ** 0.5)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--deals", type=int, default=2000)
    args = parser.parse_args()
    envs = PersianRummySB3VecEnv(64, opponents="random", seed=1)
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=64, batch_size=512, n_epochs=4, learning_rate=1e-3, gamma=1.0, seed=1
    )
    model.learn(args.steps)
    points, half = measure(model, args.deals, seed=2)
    print(f"after {args.steps} steps: {points:+.1f} ± {half:.1f} points a deal against random")
