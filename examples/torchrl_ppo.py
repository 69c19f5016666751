"""TorchRL: PPO of one network in all four seats, by the wrapped AEC environment."""

import argparse

import torch
from tensordict import TensorDict
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from torch import nn
from torchrl.modules import MaskedCategorical, ValueOperator
from torchrl.objectives import ClipPPOLoss

from persian_rummy_env.adapters.torchrl import ONE_GROUP, torchrl_env
from persian_rummy_env.adapters.torchrl_returns import seat_returns
from persian_rummy_env.observation import SIZE

SEEN = ("seats", "observation", "observation")


def networks() -> tuple[ProbabilisticTensorDictSequential, ValueOperator]:
    body = nn.Sequential(nn.Linear(SIZE, 128), nn.ReLU(), nn.Linear(128, 547))
    actor = ProbabilisticTensorDictSequential(
        TensorDictModule(body, in_keys=[SEEN], out_keys=[("seats", "logits")]),
        ProbabilisticTensorDictModule(
            in_keys={"logits": ("seats", "logits"), "mask": ("seats", "action_mask")},
            out_keys=[("seats", "action")],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
            log_prob_key=("seats", "log_prob"),
        ),
    )
    critic = nn.Sequential(nn.Linear(SIZE, 128), nn.ReLU(), nn.Linear(128, 1))
    return actor, ValueOperator(critic, in_keys=[SEEN])


def decisions(played: TensorDict) -> TensorDict:
    """The rows in which a seat decided, in whole episodes, with what it was paid from there on."""
    returns = seat_returns(played["next", "seats", "reward"], played["next", "seats", "done"])
    acted = played["seats", "mask"]
    seats = played["seats"].select("observation", "action_mask", "action", "log_prob")
    rows = TensorDict({"seats": seats[acted], "value_target": returns[acted]}, batch_size=[int(acted.sum())])
    return rows.detach()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=10)
    args = parser.parse_args()
    torch.manual_seed(1)
    env = torchrl_env(ONE_GROUP, episode="deal", seed=1)
    actor, critic = networks()
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
    loss.set_keys(action=("seats", "action"), sample_log_prob=("seats", "log_prob"))
    adam = torch.optim.Adam(loss.parameters(), lr=1e-3)
    for _ in range(args.updates):
        with torch.no_grad():
            deals = [env.rollout(400, policy=actor) for _ in range(4)]  # a deal has at most 400 decisions
            rows = torch.cat([decisions(deal) for deal in deals])
            rows["advantage"] = rows["value_target"] - critic(rows.clone())["state_value"]
        for epoch in range(3):
            parts = loss(rows)
            total = parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]
            assert torch.isfinite(total), parts
            if epoch == 0:
                assert parts["clip_fraction"] == 0, "the loss masks otherwise than sampling did"
            adam.zero_grad()
            total.backward()
            adam.step()
    print(f"{args.updates} updates, {len(rows)} decisions in the last, loss {total.item():.3f}, first ratios all 1")
