"""Stable-Baselines3: MaskablePPO with three bots at its table, then a match of the model against random play."""

import argparse

import numpy as np
from sb3_contrib import MaskablePPO

import persian_rummy_env
from persian_rummy_env.adapters.sb3 import PersianRummySB3VecEnv
from persian_rummy_env.observation import as_float
from persian_rummy_env.players.policy import DecisionBatch


class Player:
    """The model as a policy: its likeliest legal actions."""

    name = "MaskablePPO"

    def __init__(self, model: MaskablePPO) -> None:
        self.model = model

    def act(self, batch: DecisionBatch) -> np.ndarray:
        seen = as_float(batch.observation)
        return self.model.predict(seen, action_masks=batch.action_mask == 1, deterministic=True)[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--pairs", type=int, default=1000)
    args = parser.parse_args()
    envs = PersianRummySB3VecEnv(64, opponents="random", seed=1)
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=64, batch_size=512, n_epochs=4, learning_rate=1e-3, gamma=1.0, seed=1
    )
    model.learn(args.steps)
    print(f"after {args.steps} steps: {persian_rummy_env.match(Player(model), 'random', args.pairs)}")
