"""RLlib: PPO by self-play on the new API stack with two env runners, a checkpoint, and the same player restored."""

import argparse
import tempfile
from typing import Any

import numpy as np
import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

import persian_rummy_env
from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.adapters.rllib import PersianRummyRLlib, SelfPlay, copy_module
from persian_rummy_env.adapters.rllib_module import LegalAtRandom, MaskedActorCritic
from persian_rummy_env.envs.vector import StepResult
from persian_rummy_env.observation import as_float
from persian_rummy_env.players.policy import DecisionBatch


def settings(decisions: int) -> PPOConfig:
    """The learner and its partner against an earlier self or random play, the sides drawn for each deal."""
    return (
        PPOConfig()
        .environment(PersianRummyRLlib, env_config={"episode": "deal"})
        .env_runners(num_env_runners=2, num_envs_per_env_runner=8)
        .multi_agent(
            policies={"player", "past", "random"},
            policy_mapping_fn=SelfPlay("player", ("past", "random")),
            policies_to_train=["player"],
        )
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={
                    "player": RLModuleSpec(module_class=MaskedActorCritic, model_config={"hidden": 128}),
                    "past": RLModuleSpec(module_class=MaskedActorCritic, model_config={"hidden": 128}),
                    "random": RLModuleSpec(module_class=LegalAtRandom),
                }
            )
        )
        .training(
            train_batch_size_per_learner=decisions,
            minibatch_size=512,
            num_epochs=4,
            lr=1e-3,
            gamma=1.0,
            entropy_coeff=0.01,
        )
        .debugging(seed=1, log_level="ERROR")
    )


class Player:
    """A module as a policy: its likeliest legal actions."""

    name = "PPO of RLlib"

    def __init__(self, module: Any) -> None:
        self.module = module

    @torch.no_grad()
    def act(self, batch: DecisionBatch | StepResult) -> np.ndarray:
        seen = {
            "observations": torch.from_numpy(as_float(batch.observation)),
            "action_mask": torch.from_numpy(batch.action_mask.astype(np.float32)),
        }
        return self.module.forward_inference({"obs": seen})["action_dist_inputs"].argmax(-1).numpy()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=4)
    parser.add_argument("--decisions", type=int, default=2000)
    args = parser.parse_args()
    ray.init(num_cpus=3, object_store_memory=200_000_000, include_dashboard=False, log_to_driver=False)
    try:
        algorithm = settings(args.decisions).build_algo()
        for _ in range(args.iterations):
            report = algorithm.train()
            copy_module(algorithm, "player", "past")
            held = algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.module["past"].get_state())
            mine = algorithm.get_module("player").get_state()
            assert len(held) == 3  # this process and two others
            assert all((weights[name] == mine[name]).all() for weights in held for name in mine)
            learned = report["learners"]["player"]
            assert np.isfinite(float(learned["total_loss"])), learned
        sampled = int(report["env_runners"]["num_env_steps_sampled_lifetime"])
        result = persian_rummy_env.match(Player(algorithm.get_module("player")), "random", 500)
        shown = PersianRummyVecEnv(500, seed=3).reset()
        before = Player(algorithm.get_module("player")).act(shown)
        with tempfile.TemporaryDirectory() as folder:
            algorithm.save_to_path(folder)
            algorithm.stop()
            restored = Algorithm.from_checkpoint(folder)
            assert restored.iteration == args.iterations
            assert (Player(restored.get_module("player")).act(shown) == before).all(), "restored, it plays otherwise"
            restored.train()
            restored.stop()
    finally:
        ray.shutdown()
    print(
        f"{args.iterations} iterations, {sampled} decisions: {result}; "
        "restored from its checkpoint it plays the same 500 actions and trains on"
    )
