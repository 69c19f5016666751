"""Tianshou: PPO of one network in all four seats, and DQN of one learner among bots, both measured."""

import argparse

import numpy as np
import torch
from tianshou.algorithm import DQN, PPO
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams, OnPolicyTrainerParams
from tianshou.utils.net.common import Net

import persian_rummy_env
from persian_rummy_env import NUM_ACTIONS
from persian_rummy_env.adapters.tianshou import MaskedActor, PerSeat, SeenCritic, TianshouLearner, TianshouTable
from persian_rummy_env.observation import SIZE, as_float
from persian_rummy_env.players.policy import DecisionBatch


class SeatPPO(PerSeat, PPO):
    """PPO on each seat's own decisions."""


MARGIN = 20
"""Points a deal by which both are to beat `random`."""


class Player:
    """A policy of the library as one of the package."""

    def __init__(self, name: str, policy: torch.nn.Module) -> None:
        self.name = name
        self.policy = policy.eval()

    def act(self, batch: DecisionBatch) -> np.ndarray:
        seen = Batch(obs=as_float(batch.observation), mask=batch.action_mask == 1)
        with torch.no_grad():
            return np.asarray(self.policy(Batch(obs=seen, info=Batch())).act)


def measured(player: Player) -> str:
    """The result of a match against `random`, which is to be won."""
    result = persian_rummy_env.match(player, "random", 500)
    assert result.low > MARGIN, f"{result}: too little"
    return str(result)


def ppo(epochs: int) -> str:
    tables = DummyVectorEnv([lambda seed=seed: TianshouTable(seed=seed) for seed in range(16)])
    body = Net(state_shape=SIZE, hidden_sizes=[128])
    policy = DiscreteActorPolicy(
        actor=MaskedActor(preprocess_net=body, action_shape=NUM_ACTIONS), action_space=TianshouTable().action_space
    )
    critic = SeenCritic(preprocess_net=Net(state_shape=SIZE, hidden_sizes=[128]))
    algorithm = SeatPPO(
        policy=policy,
        critic=critic,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.01,
        max_batchsize=8192,
    )
    collector = Collector(policy, tables, VectorReplayBuffer(16 * 2000, 16))
    params = OnPolicyTrainerParams(
        training_collector=collector,
        max_epochs=epochs,
        epoch_num_steps=6000,
        collection_step_num_env_steps=None,
        collection_step_num_episodes=32,
        batch_size=512,
        update_step_num_repetitions=4,
        multi_agent_return_reduction=lambda returns: returns[:, 0],
        show_progress=False,
        verbose=False,
    )
    algorithm.run_training(params)
    return measured(Player("PPO of Tianshou", policy))


def dqn(epochs: int) -> str:
    tables = DummyVectorEnv([lambda seed=seed: TianshouLearner(opponents="random", seed=seed) for seed in range(16)])
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=SIZE, action_shape=NUM_ACTIONS, hidden_sizes=[128]),
        action_space=TianshouLearner().action_space,
        eps_training=0.1,
    )
    # Double Q-learning looks at the mask in its targets; is_double=False takes the highest value, legal or not.
    algorithm = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=100, is_double=True
    )
    collector = Collector(policy, tables, VectorReplayBuffer(20_000, 16), exploration_noise=True)
    params = OffPolicyTrainerParams(
        training_collector=collector,
        max_epochs=epochs,
        epoch_num_steps=4000,
        collection_step_num_env_steps=160,
        batch_size=256,
        update_step_num_gradient_steps_per_sample=0.1,
        show_progress=False,
        verbose=False,
    )
    algorithm.run_training(params)
    return measured(Player("DQN of Tianshou", policy))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002  # the library's exploration draws from it
    torch.set_num_threads(1)
    print(f"{ppo(args.epochs)}; {dqn(args.epochs)}")
