"""PufferLib: its trainer on a batch of tables with three bots each, then a match of the policy against random play."""

import argparse
import tempfile
from typing import Any

import numpy as np
import pufferlib.pufferl
import pufferlib.vector
import torch

import persian_rummy_env
from persian_rummy_env.adapters.pufferlib import MaskedPolicy, PersianRummyPuffer
from persian_rummy_env.players.policy import DecisionBatch

MARGIN = 20
"""Points a deal by which it is to beat `random`."""
SETTINGS = {
    "env": "persian_rummy", "seed": 1, "device": "cpu", "cpu_offload": False, "torch_deterministic": True,
    "compile": False, "precision": "float32", "use_rnn": False, "checkpoint_interval": 1_000_000,
    "batch_size": "auto", "bptt_horizon": 32, "minibatch_size": 2048, "max_minibatch_size": 2048, "update_epochs": 3,
    "optimizer": "adam", "learning_rate": 1e-3, "anneal_lr": True,
    "adam_beta1": 0.9, "adam_beta2": 0.999, "adam_eps": 1e-8, "max_grad_norm": 0.5,
    "gamma": 1.0, "gae_lambda": 0.95, "clip_coef": 0.2, "vf_coef": 0.5, "vf_clip_coef": 10.0, "ent_coef": 0.01,
    "vtrace_rho_clip": 1.0, "vtrace_c_clip": 1.0, "prio_alpha": 0.0, "prio_beta0": 1.0,
}  # fmt: skip
"""All that the trainer reads. ``prio_alpha`` 0 draws segments evenly."""


class Trainer(pufferlib.pufferl.PuffeRL):
    """The library's trainer, which leaves the screen alone."""

    def print_dashboard(self, *_args: Any, **_options: Any) -> None:
        pass


class Player:
    """The network as a policy: its likeliest legal actions."""

    name = "PuffeRL"

    def __init__(self, network: MaskedPolicy) -> None:
        self.network = network

    def act(self, batch: DecisionBatch) -> np.ndarray:
        rows = np.concatenate([batch.observation, batch.action_mask.astype(np.uint8)], axis=1)
        with torch.no_grad():
            return self.network.forward_eval(torch.from_numpy(rows))[0].argmax(1).numpy()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60_000)
    parser.add_argument("--tables", type=int, default=256)
    args = parser.parse_args()
    torch.manual_seed(1)
    tables = pufferlib.vector.make(PersianRummyPuffer, env_kwargs={"num_tables": args.tables, "opponents": "random"})
    network = MaskedPolicy()
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer({**SETTINGS, "total_timesteps": args.steps, "data_dir": folder}, tables, network)
        while trainer.global_step < args.steps:
            trainer.evaluate()
            trainer.train()
            assert np.isfinite(trainer.losses["policy_loss"]), trainer.losses
        trainer.close()
    result = persian_rummy_env.match(Player(network), "random", 500)
    assert result.low > MARGIN, f"{result}: too little"
    print(f"after {trainer.global_step} decisions: {result}")
