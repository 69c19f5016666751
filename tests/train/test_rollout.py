"""Collecting: whole deals, complete pay, and log-probabilities that the learner finds again."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.inputs import inputs_on
from agents.network import Actor, Critic
from persian_rummy_env.core.masks import first_legal
from persian_rummy_env.observation import blocks_of
from persian_rummy_env.observation_bits import unpack_mask
from persian_rummy_env.players.inputs import SIZE
from tests.train.playing import played
from train.config.base import with_settings
from train.config.ppo import Config
from train.data.rollout import Collector, Players, Rollout
from train.scale.workers import jobs_of

CPU = torch.device("cpu")
CONFIG = with_settings(Config(), {"deals": 24, "network.width": 32, "reward.scale": 50.0, "seed": 3})


def networks(seed: int = 1) -> Players:
    torch.manual_seed(seed)
    actor, critic = Actor(CONFIG.shape), Critic(CONFIG.shape)
    torch.nn.init.normal_(actor.last.weight, std=0.3)
    torch.nn.init.normal_(critic.last.weight, std=0.3)
    return Players(actor, critic)


def collect(config: Config = CONFIG, update: int = 0) -> Rollout:
    return played(config, networks(), update)


@pytest.fixture(scope="module")
def rollout() -> Rollout:
    return collect()


def test_every_deal_is_whole(rollout: Rollout):
    assert len(rollout.margin) == len(rollout.length) == CONFIG.deals
    assert (rollout.length > 20).all()
    assert set(rollout.lane.tolist()) == set(range(CONFIG.deals))
    assert (np.bincount(rollout.lane) < rollout.length).all()


def test_what_is_kept_was_a_choice_and_legal(rollout: Rollout):
    mask = unpack_mask(rollout.legal).astype(bool)
    assert (mask.sum(axis=1) > 1).all()
    assert mask[np.arange(len(rollout)), rollout.action].all()
    assert 0.4 < len(rollout) / rollout.length.sum() < 0.9


def test_the_view_is_that_of_the_seat_and_shows_the_other_hands(rollout: Rollout):
    blocks = blocks_of(rollout.view[:, :SIZE])
    assert (blocks["to_move"][:, 0] == 1).all()
    hands = np.concatenate([rollout.view[:, :56], rollout.view[:, SIZE:]], axis=1).reshape(len(rollout), 4, 56)
    assert np.array_equal(hands.sum(axis=2), blocks["hand_size"])
    assert (hands[:, :, :52].sum(axis=1) <= 1).all()
    known = np.stack([blocks[f"known_{who}"] for who in ("left", "partner", "right")], axis=1)
    assert (hands[:, 1:, :52] >= known[:, :, :52]).all()


@pytest.mark.parametrize("suits", ["none", "per_seat"])
def test_ratios_begin_at_one(suits: str):
    rollout = collect(with_settings(CONFIG, {"suit_permutation": suits}))
    actor, critic, _ = networks()
    order = np.random.default_rng(5).permutation(len(rollout))  # in another order, in parts of another size
    for chosen in np.array_split(order, 7):
        rows = inputs_on(CPU, rollout.view[chosen], rollout.legal[chosen])
        log_p, _ = actor.evaluate(rows, rollout.action[chosen])
        ratio = np.exp(log_p.detach().numpy() - rollout.log_p[chosen])
        assert np.abs(ratio - 1).max() < 1e-5
        assert np.allclose(critic(rows).detach().numpy(), rollout.value[chosen], atol=1e-5)


def test_partners_see_the_suits_in_orders_of_their_own():
    """Of one seat's hand at two of its decisions, suits stay apart; between seats the table's cards differ in name."""
    rollout = collect(with_settings(CONFIG, {"suit_permutation": "per_seat"}))
    table = blocks_of(rollout.view[:, :SIZE])["pile"][:, :52].reshape(-1, 4, 13)
    first = [np.flatnonzero((rollout.lane == lane) & (rollout.time < 40)) for lane in range(CONFIG.deals)]
    differ = [len({table[i].sum(axis=1).tobytes() for i in lane if table[i].sum() == 1}) > 1 for lane in first]
    assert np.mean(differ) > 0.3


def test_all_that_is_earned_is_paid():
    """At lambda 1 the target is what the seat's team earned from the decision on, in units of the reward."""
    rollout = collect(with_settings(CONFIG, {"ppo.gae_lambda": 1.0, "reward.scale": 1.0}))
    target = rollout.advantage + rollout.value
    sign = np.where(rollout.seat % 2 == 0, 1, -1)
    first = np.array([np.flatnonzero(rollout.lane == lane)[0] for lane in range(CONFIG.deals)])
    blocks = blocks_of(rollout.view[:, :SIZE])
    us, them = (blocks[f"points_bits_{who}"] @ (2.0 ** np.arange(10)) for who in ("us", "them"))
    laid = us - them  # in this deal so far
    assert np.allclose(target, sign * rollout.margin[rollout.lane] - laid, atol=1e-3)
    assert np.allclose(target[first], (sign * rollout.margin[rollout.lane])[first], atol=1e-3)
    assert np.abs(rollout.margin).max() > 20


def test_the_unit_of_the_reward_is_points():
    small, large = (
        collect(with_settings(CONFIG, {"ppo.gae_lambda": 1.0, "reward.scale": points})) for points in (1.0, 50.0)
    )
    assert np.allclose((small.advantage + small.value) / 50, large.advantage + large.value, atol=1e-4)


def test_equal_seeds_repeat_and_parts_differ():
    one, same, other = collect(), collect(), collect(update=1)
    assert all(np.array_equal(getattr(one, name), getattr(same, name)) for name in vars(one))
    assert not np.array_equal(one.margin, other.margin)
    assert not np.array_equal(one.margin, collect(replace(CONFIG, seed=4)).margin)


def test_a_collector_goes_on_with_new_deals():
    collector = Collector(CONFIG, CONFIG.deals, CPU)
    jobs = [jobs_of(replace(CONFIG, parts=1), update, 0)[0] for update in (0, 1, 0)]
    first, second, again = (collector.collect(networks(), job) for job in jobs)
    assert not np.array_equal(first.margin, second.margin)
    assert np.array_equal(first.margin, again.margin)


def test_parts_are_joined_with_lanes_numbered_on():
    parts = [collect(), collect(update=1)]
    whole = Rollout.join(parts)
    assert len(whole) == sum(len(part) for part in parts)
    assert set(whole.lane.tolist()) == set(range(2 * CONFIG.deals))
    assert np.array_equal(whole.margin[CONFIG.deals :], parts[1].margin)


def test_first_legal():
    legal = np.zeros((3, 9), dtype=np.uint64)
    legal[0, 0] = 0b110
    legal[1, 8] = np.uint64(1) << np.uint64(34)
    assert first_legal(legal).tolist() == [1, 546, 0]
