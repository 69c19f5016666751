"""TorchRL: PPO of one network in all four seats, by a collector over hundreds of tables in one compiled call."""

import argparse

import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MaskedCategorical, ValueOperator
from torchrl.objectives import ClipPPOLoss

import persian_rummy_env
from persian_rummy_env.adapters.torchrl import PersianRummyTorchRL
from persian_rummy_env.adapters.torchrl_returns import SeatGAE
from persian_rummy_env.observation import SIZE, as_float
from persian_rummy_env.players.policy import DecisionBatch


def networks() -> tuple[ProbabilisticTensorDictSequential, ValueOperator]:
    body = nn.Sequential(nn.Linear(SIZE, 128), nn.ReLU(), nn.Linear(128, 547))
    actor = ProbabilisticTensorDictSequential(
        TensorDictModule(body, in_keys=["observation"], out_keys=["logits"]),
        ProbabilisticTensorDictModule(
            in_keys={"logits": "logits", "mask": "action_mask"},
            out_keys=["action"],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
            log_prob_key="log_prob",
        ),
    )
    critic = nn.Sequential(nn.Linear(SIZE, 128), nn.ReLU(), nn.Linear(128, 1))
    return actor, ValueOperator(critic, in_keys=["observation"])


class Player:
    """An actor as a policy: its likeliest legal actions."""

    name = "PPO of TorchRL"

    def __init__(self, actor: nn.Module) -> None:
        self.actor = actor

    def act(self, batch: DecisionBatch) -> np.ndarray:
        seen = {
            "observation": torch.from_numpy(as_float(batch.observation)),
            "action_mask": torch.from_numpy(batch.action_mask == 1),
        }
        with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
            return self.actor(TensorDict(seen, [len(batch)]))["action"].numpy()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=10)
    parser.add_argument("--tables", type=int, default=256)
    parser.add_argument("--steps", type=int, default=64)
    args = parser.parse_args()
    torch.manual_seed(1)
    env = PersianRummyTorchRL(args.tables, episode="deal", seed=1)
    actor, critic = networks()
    frames = args.tables * args.steps
    collector = Collector(env, actor, frames_per_batch=frames, total_frames=args.updates * frames)
    credit = SeatGAE(critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
    loss.set_keys(sample_log_prob="log_prob")
    adam = torch.optim.Adam(loss.parameters(), lr=1e-3)
    for batch in collector:
        credit(batch)
        rows = batch[batch["decided"]]  # those with a choice, whoever's they are
        rows["advantage"] = (rows["advantage"] - rows["advantage"].mean()) / rows["advantage"].std()
        for epoch in range(3):
            for number, chosen in enumerate(torch.randperm(len(rows)).split(2048)):
                parts = loss(rows[chosen])
                if epoch == number == 0:
                    assert parts["clip_fraction"] == 0, "the loss masks otherwise than sampling did"
                    assert abs(parts["kl_approx"]) < 1e-5
                total = parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]
                assert torch.isfinite(total), parts
                adam.zero_grad()
                total.backward()
                adam.step()
    collector.shutdown()
    result = persian_rummy_env.match(Player(actor), "random", 1000)
    print(f"{args.updates} updates of {frames} decisions, first ratios 1: {result}")
