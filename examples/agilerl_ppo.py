"""AgileRL: IPPO of four seats for some generations, and the single-agent PPO of one learner, measured."""

import argparse

import numpy as np
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts
from agilerl.training.train_multi_agent_on_policy import train_multi_agent_on_policy
from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv
from agilerl.wrappers.agent import AsyncAgentsWrapper

import persian_rummy_env
from persian_rummy_env import PersianRummyGymVectorEnv
from persian_rummy_env.adapters.agilerl import AgileTable, SeatIPPO
from persian_rummy_env.observation import as_float
from persian_rummy_env.players.policy import DecisionBatch

MARGIN = 20
"""Points a deal by which it is to beat `random`."""
NET = {"latent_dim": 64, "encoder_config": {"hidden_size": [128]}, "head_config": {"hidden_size": [64]}}


def ippo(generations: int) -> str:
    """Four networks at one table in a process of its own. Nothing is selected: the four play one another, and what one
    gains the others lose, so that a population has no fitness to compare."""
    table = AgileTable()
    agent = SeatIPPO(
        [table.observation_space(name) for name in table.possible_agents],
        [table.action_space(name) for name in table.possible_agents],
        agent_ids=table.possible_agents,
        batch_size=128,
        learn_step=256,
        lr=1e-3,
        gamma=1.0,
        net_config=NET,
    )
    # One table: with more, the library cannot tell the rows of agents apart that act at different times.
    tables = AsyncPettingZooVecEnv([AgileTable])
    try:
        [trained], _ = train_multi_agent_on_policy(
            tables,
            "persian rummy",
            "IPPO",
            [AsyncAgentsWrapper(agent)],
            sum_scores=False,
            max_steps=256 * generations,
            evo_steps=256,
            verbose=False,
        )
    finally:
        tables.close()
    assert all(np.isfinite(weight.detach().numpy()).all() for weight in trained.actors.parameters())
    return f"IPPO {generations} generations of 256 decisions"


def ppo(updates: int) -> str:
    tables = PersianRummyGymVectorEnv(64, opponents="random", observation="flat", seed=1)
    agent = PPO(
        tables.single_observation_space,
        tables.single_action_space,
        num_envs=64,
        batch_size=512,
        learn_step=4096,
        lr=1e-3,
        gamma=1.0,
        net_config=NET,
    )
    last: dict[str, object] = {}
    for _ in range(updates):
        _, obs, done, scores, info = collect_rollouts(agent, tables, **last)
        agent.learn()
        last = {"last_obs": obs, "last_done": done, "last_scores": scores, "last_info": info}
    result = persian_rummy_env.match(Player(agent), "random", 500)
    assert result.low > MARGIN, f"{result}: too little"
    return f"after {4096 * updates} steps {result}"


class Player:
    """The agent as a policy; it samples its legal actions."""

    name = "PPO of AgileRL"

    def __init__(self, agent: PPO) -> None:
        self.agent = agent

    def act(self, batch: DecisionBatch) -> np.ndarray:
        return self.agent.get_action(as_float(batch.observation), action_mask=batch.action_mask == 1)[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--generations", type=int, default=3)
    parser.add_argument("--updates", type=int, default=10)
    args = parser.parse_args()
    print(", ".join([ppo(args.updates), ippo(args.generations)]))
