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

from persian_rummy_env import NUM_ACTIONS, PersianRummyGymVectorEnv
from persian_rummy_env.adapters.tianshou import MaskedActor, PerSeat, SeenCritic, TianshouLearner, TianshouTable
from persian_rummy_env.observation import SIZE


class SeatPPO(PerSeat, PPO):
    """PPO on each seat's own decisions."""


MARGIN = 20
"""Points a deal by which both are to beat `random`."""


def measure(policy: torch.nn.Module, deals: int = 1000) -> str:
    """Points a deal of both seats of a team against `random`, with the half of a 95% interval, if that is enough."""
    tables = PersianRummyGymVectorEnv(128, seats="team", opponents="random")
    observation, _ = tables.reset(seed=2)
    running, margins = np.zeros(128), []
    policy.eval()
    while len(margins) < deals:
        seen = Batch(obs=observation["observation"], mask=observation["action_mask"].astype(bool))
        with torch.no_grad():
            actions = np.asarray(policy(Batch(obs=seen, info=Batch())).act)
        observation, rewards, terminated, _, _ = tables.step(actions)
        running += rewards
        margins += (100 * running[terminated]).tolist()
        running[terminated] = 0
    half = 1.96 * np.std(margins) / len(margins) ** 0.5
    assert np.mean(margins) - half > MARGIN, f"{np.mean(margins):+.1f} ± {half:.1f} points a deal is too little"
    return f"{np.mean(margins):+.1f} ± {half:.1f}"


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
    return measure(policy)


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
    return measure(policy)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002  # the library's exploration draws from it
    torch.set_num_threads(1)
    results = {"PPO": ppo(args.epochs), "DQN": dqn(args.epochs)}
    print("points a deal against random: " + ", ".join(f"{name} {result}" for name, result in results.items()))
