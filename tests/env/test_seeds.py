"""Seeds: the same seed is the same game everywhere, and neighbours have nothing in common."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

import persian_rummy_env
from persian_rummy_env import PersianRummyVecEnv, lane_seeds
from tests.env.play import COMPILED, equal, scaled


def deals(env: PersianRummyVecEnv, number: int) -> Iterator[bytes]:
    """The first decks of every lane of a batch that was reset, so many a lane."""
    left = np.full(env.num_envs, number)
    while (left > 0).any():
        if not env.step(env.sample_actions()).terminated.any():
            continue
        for lane, state in zip(env.final.env_index, env.final.state, strict=True):
            if left[lane] > 0:
                left[lane] -= 1
                yield state["decks"][0].tobytes()


def first_deals(seed: int, lanes: int, number: int) -> list[bytes]:
    env = PersianRummyVecEnv(lanes, episode="deal")
    env.reset(seed=seed)
    return list(deals(env, number))


@pytest.mark.skipif(not COMPILED, reason="1,600 deals")
def test_neighbouring_seeds_and_lanes_share_no_deals() -> None:
    zero, one = first_deals(0, 8, 100), first_deals(1, 8, 100)
    assert len(zero) == len(one) == 800
    assert len(set(zero) | set(one)) == 1600


def test_neighbouring_seeds_of_single_games_share_no_deals() -> None:
    found: set[bytes] = set()
    env = PersianRummyVecEnv(1, episode="deal")
    for seed in range(scaled(60, 4)):
        env.reset(seed=[seed])
        found.update(deals(env, 5))
    assert len(found) == 5 * scaled(60, 4)


def test_lane_seeds_are_the_same_for_any_number_of_lanes() -> None:
    seeds = lane_seeds(3, 1000)
    assert seeds.dtype == np.uint64
    assert len(set(seeds.tolist())) == 1000
    for lanes in (1, 2, 17):
        assert (lane_seeds(3, lanes) == seeds[:lanes]).all()
    assert not set(lane_seeds(4, 1000).tolist()) & set(seeds.tolist())
    assert lane_seeds(0, 2).tolist() == [15793235383387715774, 12390638538380655177], "seeds of old runs would change"


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
def test_one_seed_is_one_game_in_every_environment(seed: int) -> None:
    env = PersianRummyVecEnv(1, autoreset_mode="DISABLED")
    shown = env.reset(seed=[seed])
    table, raw = persian_rummy_env.env(), persian_rummy_env.raw_env()
    table.reset(seed=seed)
    raw.reset(seed=seed)
    mine = env.get_state()[0]
    for other in (table, raw):
        assert other.agent_selection == f"player_{shown.seat[0]}"
        assert (other.observe(other.agent_selection)["action_mask"] == shown.action_mask[0]).all()
        for seat in range(4):
            hand = other.observe(f"player_{seat}")["observation"][:56]
            assert sum(1 << card for card in np.flatnonzero(hand).tolist()) == int(mine["hand"][seat])


def test_a_seed_in_the_constructor_is_for_the_first_reset() -> None:
    by_option = PersianRummyVecEnv(3, seed=7)
    by_reset = PersianRummyVecEnv(3)
    by_option.reset()
    by_reset.reset(seed=7)
    assert equal(by_option.get_state(), by_reset.get_state())
    by_option.reset()
    by_reset.reset()
    assert equal(by_option.get_state(), by_reset.get_state())
    other = PersianRummyVecEnv(3, seed=7)
    other.reset(seed=8)
    by_option = PersianRummyVecEnv(3, seed=7)
    by_option.reset()
    assert not (other.get_state()["rng"] == by_option.get_state()["rng"]).all()


def test_sampling_streams_are_of_the_seed_and_each_lane_has_its_own() -> None:
    streams = []
    for seed in (0, 0, 1):
        env = PersianRummyVecEnv(8)
        env.reset(seed=seed)
        streams.append(env.get_state()["sample_rng"].tolist())
    assert streams[0] == streams[1]
    assert len({*streams[0], *streams[2]}) == 16
    env.reset(seed=[1, 2, 3, 4, 5, 6, 7, 8])
    assert len(set(env.get_state()["sample_rng"].tolist())) == 8


def test_resets_without_a_seed_go_on_and_can_be_repeated() -> None:
    one, two = (PersianRummyVecEnv(2) for _ in range(2))
    found = []
    for env in (one, two):
        env.reset(seed=7)
        decks = [env.get_state()["decks"][:, 0].tobytes()]
        for _ in range(3):
            env.reset()
            decks.append(env.get_state()["decks"][:, 0].tobytes())
        found.append(decks)
    assert found[0] == found[1]
    assert len(set(found[0])) == 4


def test_without_a_seed_every_environment_plays_another_game() -> None:
    one, two = (PersianRummyVecEnv(2) for _ in range(2))
    one.reset()
    two.reset()
    states = np.concatenate([one.get_state(), two.get_state()])
    assert len({state["decks"][0].tobytes() for state in states}) == 4


def test_global_generators_are_neither_read_nor_moved() -> None:
    traces = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002  the global stream is what this is about
        before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
        env = PersianRummyVecEnv(4)
        env.reset(seed=3)
        rewards = [env.step(env.sample_actions()).reward for _ in range(scaled(400, 50))]
        env.reset()
        traces.append((np.stack(rewards), env.get_state()))
        PersianRummyVecEnv(1).reset()
        assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002
    assert (traces[0][0] == traces[1][0]).all()
    assert equal(traces[0][1], traces[1][1])
