"""Tianshou: its table against the AEC environment, each seat's own transitions, and masks in sampling and in the
loss."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tianshou", reason="Tianshou is not installed: nox -s tianshou")

import torch
from tianshou.algorithm import DQN, PPO
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, ReplayBuffer, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv, SubprocVectorEnv
from tianshou.utils.net.common import Net

import persian_rummy_env
from persian_rummy_env import NUM_ACTIONS
from persian_rummy_env.adapters.tianshou import (
    MaskedActor,
    PerSeat,
    SeenCritic,
    TianshouLearner,
    TianshouTable,
    seat_transitions,
)
from persian_rummy_env.observation import SIZE
from tests.adapters import contract
from tests.env.aec_play import uniform

pytestmark = pytest.mark.filterwarnings("ignore")


class SeatPPO(PerSeat, PPO):
    pass


def actor_policy() -> DiscreteActorPolicy:
    body = Net(state_shape=SIZE, hidden_sizes=[16])
    actor = MaskedActor(preprocess_net=body, action_shape=NUM_ACTIONS)
    return DiscreteActorPolicy(actor=actor, action_space=TianshouTable().action_space)


def ppo(policy: DiscreteActorPolicy, **options: Any) -> SeatPPO:
    critic = SeenCritic(preprocess_net=Net(state_shape=SIZE, hidden_sizes=[16]))
    options = {"gamma": 1.0, "gae_lambda": 1.0, "max_batchsize": 10_000, **options}
    return SeatPPO(policy=policy, critic=critic, optim=AdamOptimizerFactory(lr=1e-3), **options)


class Tables:
    """The wrapped AEC environment."""

    def __init__(self, **options: Any) -> None:
        self.env = TianshouTable(**options)

    def begin(self, seed: int, options: dict[str, Any] | None) -> None:
        self.seen, _ = self.env.reset(seed=seed, options=options)

    def seat(self) -> int:
        return int(self.seen["agent_id"][-1])

    def shown(self) -> tuple[Any, Any]:
        return self.seen["obs"], self.seen["mask"]

    def step(self, action: int) -> None:
        self.seen, self.rewards, terminated, truncated, _ = self.env.step(np.int64(action))
        self.ended = terminated, truncated

    def paid(self) -> Sequence[float]:
        return self.rewards

    def flags(self) -> tuple[bool, bool]:
        return self.ended


@pytest.mark.parametrize(("choose", "options", "flags"), contract.ENDINGS)
def test_a_deal_is_that_of_the_aec_environment(choose: Any, options: dict[str, Any], flags: tuple[bool, bool]) -> None:
    contract.follow(Tables(**options), options, choose, flags)


def test_a_deal_over_in_the_first_turn_pays_all_four() -> None:
    contract.first_turn(Tables())


def play(env: Any, decisions: int, seed: int = 0) -> Any:
    """What random play is handed."""
    rng = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    for _ in range(decisions):
        action = uniform(np.asarray(seen["mask"]), rng)
        seen, rewards, terminated, truncated, _ = env.step(action)
        yield seen, rewards, action
        if terminated or truncated:
            seen, _ = env.reset()


def test_what_was_handed_out_does_not_change() -> None:
    """Rewards too, which the library's own wrapper hands out as one and the same list."""
    kept = [(rewards, list(rewards)) for _, rewards, _ in play(TianshouTable(), 200)]
    assert all(rewards == copy for rewards, copy in kept)
    assert any(any(rewards) for rewards, _ in kept)
    contract.not_shared([seen["obs"], np.asarray(seen["mask"])] for seen, _, _ in play(TianshouTable(), 60))
    contract.not_shared([seen["obs"], seen["mask"]] for seen, _, _ in play(TianshouLearner(), 60))
    other = [rewards for _, rewards, _ in play(PettingZooEnv(persian_rummy_env.env()), 30)]
    assert all(rewards is other[0] for rewards in other), "the library has mended this: say so in docs/tianshou.md"


def test_nothing_hidden_is_shown() -> None:
    table = TianshouTable()

    def show(state: np.ndarray, seat: int) -> list[Any]:
        table.env.set_state(state)
        if int(state["seat"][0]) != seat:
            return list(table.env.observe(f"player_{seat}").values())
        observation, _, _, _, info = table.env.last()
        return [observation["observation"], observation["action_mask"], len(info)]

    contract.nothing_hidden(show)


def test_the_learners_table_is_that_of_gymnasium() -> None:
    """500 decisions: masks bit for bit, observations, rewards and ends; and its spaces are kept."""
    learner, plain = TianshouLearner(opponents="greedy"), persian_rummy_env.PersianRummyGymEnv(opponents="greedy")
    rng = np.random.default_rng(0)
    seen, _ = learner.reset(seed=1)
    expected, info = plain.reset(seed=1)
    for _ in range(500):
        assert (seen["mask"] == info["action_mask"].astype(bool)).all()
        assert (seen["obs"] == expected["observation"]).all()
        assert learner.observation_space["obs"].contains(seen["obs"])
        action = uniform(info["action_mask"], rng)
        seen, *result, _ = learner.step(np.int64(action))
        expected, *wanted, info = plain.step(action)
        assert result == [float(wanted[0]), *wanted[1:]]
        if any(result[1:]):
            seen, _ = learner.reset()
            expected, info = plain.reset()


def rows(seats: str, rewards: list[float], done: int, truncated: bool = False) -> ReplayBuffer:
    """An episode by hand: who decided, what team 0 was paid; it ends in row ``done``, if there is one."""
    buffer = ReplayBuffer(len(seats))
    for time, (seat, reward) in enumerate(zip(seats, rewards, strict=True)):
        seen = Batch(agent_id=f"player_{seat}", obs=np.full(3, time, np.float32), mask=np.ones(2, bool))
        buffer.add(
            Batch(
                obs=seen,
                act=time,
                rew=np.array([reward, -reward, reward, -reward]),
                terminated=time == done and not truncated,
                truncated=time == done and truncated,
                obs_next=seen,
            )
        )
    return buffer


def test_the_transitions_of_each_seat_by_hand() -> None:
    """Rewards between two decisions of a seat, whoever earned them, are in the earlier one; the end is in the last."""
    own = seat_transitions(rows("012301", [1, 0, 2, 0, -4, 8], done=5)).sample(0)[0]
    assert own.obs.obs[:, 0].tolist() == [0, 4, 1, 5, 2, 3]
    assert own.rew.tolist() == [3, 4, 2, -8, 6, -4]
    assert own.obs_next.obs[:, 0].tolist()[:1] == [4]
    assert own.obs_next.obs[:, 0].tolist()[2] == 5
    assert own.terminated.tolist() == [False, True, False, True, True, True]
    assert own.done.tolist() == own.terminated.tolist()
    assert not own.truncated.any()
    cut = seat_transitions(rows("0120", [1, 0, 2, 0], done=3, truncated=True)).sample(0)[0]
    assert cut.truncated.tolist() == [False, True, True, True]
    assert not cut.terminated.any()


def test_episodes_that_go_on_are_left_out() -> None:
    buffer = rows("0123012", [1, 0, 2, 0, 5, 5, 5], done=3)
    assert len(seat_transitions(buffer)) == 4
    with pytest.raises(ValueError, match="whole episodes"):
        seat_transitions(rows("012", [1, 0, 2], done=9))


def test_the_returns_of_collected_deals_are_those_of_the_table() -> None:
    """Through collector, buffer and transitions, each decision's return is what its seat is paid from there on."""
    policy = actor_policy()
    tables = DummyVectorEnv([partial(TianshouTable, seed=lane) for lane in range(3)])
    collector = Collector(policy, tables, VectorReplayBuffer(6000, 3))
    collector.reset()
    with torch.no_grad():
        stats = collector.collect(n_episode=6)
    stored = collector.buffer.sample(0)[0]
    played = np.asarray(stored.obs.mask)[np.arange(len(stored)), stored.act]
    assert played.all(), "an illegal action was sampled"
    seats = np.array([int(agent[-1]) for agent in stored.obs.agent_id])
    stops = np.flatnonzero(stored.done)
    by_hand: list[float] = []
    for start, stop in zip(np.append(0, stops[:-1] + 1), stops, strict=True):
        for seat in range(4):
            own = [row for row in range(start, stop + 1) if seats[row] == seat]
            by_hand += [stored.rew[row : stop + 1, seat].sum() for row in own]
    transitions = seat_transitions(collector.buffer).sample(0)[0]
    returns, running = np.zeros(len(transitions)), 0.0
    for row in reversed(range(len(transitions))):
        running = transitions.rew[row] + (0.0 if transitions.done[row] else running)
        returns[row] = running
    assert returns.tolist() == pytest.approx(by_hand, abs=1e-5)
    assert len(returns) == len(collector.buffer)
    assert stats.returns.shape == (6, 4)


def test_the_first_ratio_is_one_and_an_update_changes_the_network() -> None:
    policy = actor_policy()
    algorithm = ppo(policy)
    collector = Collector(policy, DummyVectorEnv([TianshouTable]), VectorReplayBuffer(3000, 1))
    collector.reset()
    with torch.no_grad():
        collector.collect(n_episode=2)
    own = seat_transitions(collector.buffer)
    batch, indices = own.sample(0)
    batch = algorithm._preprocess_batch(batch, own, indices)
    again = policy(batch).dist
    ratio = (again.log_prob(batch.act) - batch.logp_old).exp()
    assert ratio.tolist() == pytest.approx([1.0] * len(own))
    assert torch.isfinite(again.entropy()).all()
    assert (again.probs.detach().numpy()[~np.asarray(batch.obs.mask)] == 0).all()
    before = [weight.detach().clone() for weight in policy.parameters()]
    with policy_within_training_step(policy):
        stats = algorithm.update(buffer=collector.buffer, batch_size=64, repeat=1)
    assert np.isfinite(stats.loss.mean)
    assert any((weight != old).any() for weight, old in zip(policy.parameters(), before, strict=True))


def test_k_legal_actions_with_equal_logits_have_entropy_ln_k() -> None:
    policy = actor_policy()
    for weight in policy.parameters():
        torch.nn.init.zeros_(weight)
    mask = np.zeros((3, NUM_ACTIONS), bool)
    for row, legal in enumerate((1, 2, 9)):
        mask[row, 100 : 100 + legal] = True
    dist = policy(Batch(obs=Batch(obs=np.zeros((3, SIZE), np.float32), mask=mask), info=Batch())).dist
    assert dist.entropy().tolist() == pytest.approx(np.log([1, 2, 9]).tolist(), abs=1e-6)


def test_double_q_learning_keeps_to_the_mask_in_its_targets_and_plain_does_not() -> None:
    """What docs/tianshou.md says of the two. All legal actions are worth -5 here, all others 0."""
    mask = np.zeros(NUM_ACTIONS, bool)
    mask[7] = True

    class Worth(torch.nn.Module):
        def forward(self, obs: Any, state: Any = None, **_: Any) -> Any:
            return torch.as_tensor(np.where(mask, -5.0, 0.0)).expand(len(obs), NUM_ACTIONS), state

    seen = Batch(obs=np.zeros(SIZE, np.float32), mask=mask)
    buffer = ReplayBuffer(1)
    buffer.add(Batch(obs=seen, act=7, rew=0.0, terminated=False, truncated=False, obs_next=seen))
    policy = DiscreteQLearningPolicy(model=Worth(), action_space=TianshouLearner().action_space)
    targets = []
    for double in (True, False):
        algorithm = DQN.__new__(DQN)
        torch.nn.Module.__init__(algorithm)
        algorithm.policy, algorithm.is_double, algorithm.target_update_freq = policy, double, 0
        targets.append(float(algorithm._target_q(buffer, np.array([0]))[0]))
    assert targets == [-5.0, 0.0]


def test_spawned_workers_play() -> None:
    workers = SubprocVectorEnv([partial(TianshouTable, seed=3)] * 2, context="spawn")
    try:
        seen, _ = workers.reset()
        for _ in range(5):
            actions = np.array([int(np.argmax(row["mask"])) for row in seen])
            seen, rewards, *_ = workers.step(actions)
        assert rewards.shape == (2, 4)
        assert (seen[0]["obs"] == seen[1]["obs"]).all()
    finally:
        workers.close()


def test_the_hash_seed_changes_nothing() -> None:
    contract.same_under_two_hash_seeds(
        "import hashlib, numpy as np\n"
        "from tests.adapters.test_tianshou import TianshouTable, play\n"
        "told = [(seen['obs'].tobytes(), seen['agent_id'], paid) for seen, paid, _ in play(TianshouTable(), 150)]\n"
        "print(hashlib.sha256(repr(told).encode()).hexdigest())"
    )


@pytest.mark.parametrize("make", [TianshouTable, TianshouLearner])
def test_what_is_no_action_is_refused(make: Any) -> None:
    table = make()
    table.reset(seed=1)
    contract.takes_actions_alone(table.step)
