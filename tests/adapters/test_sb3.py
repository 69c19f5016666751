"""Stable-Baselines3: the batch as a VecEnv, the single environment in spawned workers, and MaskablePPO's masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: nox -s sb3")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import SubprocVecEnv

import persian_rummy_env
from examples import sb3_maskable_ppo, sb3_pettingzoo
from persian_rummy_env import PersianRummyAEC, PersianRummyGymEnv, PersianRummyGymVectorEnv
from persian_rummy_env.actions import DRAW, PASS
from persian_rummy_env.adapters.sb3 import PersianRummySB3VecEnv
from persian_rummy_env.cards import CARD_VALUES
from persian_rummy_env.drawing.contents import cards_of
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.players.policy import DecisionBatch
from tests.adapters.processes import check_hash_seeds
from tests.env.aec_play import GOING_OUT, OUT_AT_ONCE


def single() -> PersianRummyGymEnv:
    return PersianRummyGymEnv(observation="flat", opponents="greedy")


def test_the_checker_of_sb3_is_content() -> None:
    check_env(single(), warn=True)


def test_masks_and_rewards_are_those_of_the_batch() -> None:
    """500 decisions a lane, bit for bit; ends, returns and last observations included."""
    envs, batch = PersianRummySB3VecEnv(3, opponents="greedy"), PersianRummyGymVectorEnv(3, observation="flat")
    envs.seed(5)
    assert (envs.reset() == batch.reset(seed=5)[0]).all()
    rng = np.random.default_rng(0)
    returns, ends = np.zeros(3), 0
    for _ in range(500):
        masks = get_action_masks(envs)
        assert (masks == batch.action_masks()).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        observation, rewards, done, infos = envs.step(actions)
        expected, earned, terminated, _, report = batch.step(actions)
        assert (observation == expected).all()
        assert (rewards == earned.astype(np.float32)).all()
        assert (done == terminated).all()
        returns += earned
        for lane in np.flatnonzero(done):
            ends += 1
            assert (infos[lane]["terminal_observation"] == report["final_obs"][lane]).all()
            assert infos[lane]["episode"]["r"] == pytest.approx(returns[lane])
            assert infos[lane]["TimeLimit.truncated"] is False
            returns[lane] = 0
    assert ends > 20


class NeverMelds:
    """Draws, or passes, and discards."""

    name = "never melds"

    def act(self, batch: DecisionBatch) -> np.ndarray:
        return np.array([drawing(mask) for mask in batch.action_mask])


def drawing(mask: np.ndarray) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[0] if legal[0] in (DRAW.start, PASS.start) else legal[-1])


def test_a_deal_that_ends_with_the_stock_pays_what_is_left_in_hands() -> None:
    envs = PersianRummySB3VecEnv(4, seats=0, opponents=NeverMelds(), partner=NeverMelds())
    envs.seed(3)
    envs.reset()
    ends, paid = 0, np.zeros(4)
    for _ in range(60):
        states = envs.sub_envs._batch.games.copy()
        _, rewards, done, infos = envs.step(np.array([drawing(mask) for mask in get_action_masks(envs)]))
        paid += rewards
        for lane in np.flatnonzero(done):
            ends += 1
            hands = [int(CARD_VALUES[cards_of(hand)].sum()) for hand in states["hand"][lane]]
            owed = (hands[1] + hands[3] - hands[0] - hands[2]) / 100
            assert states["stock_size"][lane] == 0
            assert infos[lane]["episode"]["r"] == pytest.approx(owed)
            assert paid[lane] == pytest.approx(owed)
            paid[lane] = 0
            assert infos[lane]["TimeLimit.truncated"] is False
    assert ends >= 4


def test_a_deal_over_in_the_learners_first_turn_pays_it() -> None:
    envs = PersianRummySB3VecEnv(2, seats=0, opponents="greedy")
    envs.sub_envs.reset(options={"decks": [OUT_AT_ONCE], "dealer": 3})
    done = np.zeros(2, dtype=bool)
    for name in GOING_OUT:
        assert not done.any()
        _, _, done, infos = envs.step(np.full(2, persian_rummy_env.encode_action(name)))
    assert done.all()
    score = envs.sub_envs._batch.final["score"][0]
    assert score[0] > 100  # two sets of four and the 25
    for info in infos:
        assert info["episode"]["l"] == len(GOING_OUT)
        assert info["episode"]["r"] == pytest.approx((int(score[0]) - int(score[1])) / 100)


def test_nothing_hidden_is_shown() -> None:
    envs = PersianRummySB3VecEnv(8, opponents="greedy")
    envs.seed(4)
    shown, rng = envs.reset(), np.random.default_rng(0)
    tables = envs.sub_envs._batch
    for _ in range(40):
        masks, before = get_action_masks(envs), tables.games.copy()
        pairs = zip(before, tables.seat, strict=True)
        tables.games[:] = np.concatenate([exchange_hidden(np.array([game]), int(seat), rng) for game, seat in pairs])
        assert (tables.games["decks"] != before["decks"]).any()
        tables.allocate_output()
        tables._write_outputs()
        tables.guard.whole = True  # as at the end of a step
        assert (tables.observation == shown).all()
        assert (get_action_masks(envs) == masks).all()
        tables.games[:] = before
        tables._write_outputs()
        shown, *_ = envs.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))


def test_what_was_handed_out_does_not_change() -> None:
    envs, rng = PersianRummySB3VecEnv(4, opponents="greedy"), np.random.default_rng(0)
    envs.seed(1)
    envs.reset()
    kept = []
    for _ in range(60):
        masks = envs.env_method("action_masks")
        shown, rewards, done, infos = envs.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
        last = [info["terminal_observation"] for info in infos if info]
        kept += [(array, array.copy()) for array in [shown, rewards, done, *masks, *last]]
    assert all((array == copy).all() for array, copy in kept)


TRACE = """
import hashlib, numpy as np
from persian_rummy_env.adapters.sb3 import PersianRummySB3VecEnv
envs = PersianRummySB3VecEnv(4, opponents="random")
envs.seed(3)
digest, rng = hashlib.sha256(envs.reset().tobytes()), np.random.default_rng(0)
for _ in range(60):
    masks = envs.env_method("action_masks")
    shown, rewards, done, _ = envs.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
    digest.update(shown.tobytes() + rewards.tobytes() + done.tobytes())
print(digest.hexdigest())
"""


def test_the_hash_seed_changes_nothing() -> None:
    check_hash_seeds(TRACE)


def test_a_cut_episode_says_so() -> None:
    envs = PersianRummySB3VecEnv(2, opponents="greedy", max_decisions=20)
    envs.seed(1)
    envs.reset()
    cut = 0
    for _ in range(30):
        _, _, done, infos = envs.step(np.array([np.flatnonzero(mask)[-1] for mask in get_action_masks(envs)]))
        cut += sum(infos[lane]["TimeLimit.truncated"] for lane in np.flatnonzero(done))
    assert cut > 0


@pytest.mark.parametrize("workers", ["batch", "spawn"])
def test_it_learns_and_its_first_ratio_is_one(workers: str) -> None:
    envs: Any = PersianRummySB3VecEnv(4) if workers == "batch" else SubprocVecEnv([single] * 2, start_method="spawn")
    try:
        assert is_masking_supported(envs)
        # One minibatch of the whole rollout, once: its ratios are all first ratios.
        size = 256
        model = MaskablePPO("MlpPolicy", envs, n_steps=size // envs.num_envs, batch_size=size, n_epochs=1, seed=1)
        before = model.policy.action_net.weight.detach().clone()
        model.learn(size)
        logged = model.logger.name_to_value
        assert logged["train/clip_fraction"] == 0
        assert abs(logged["train/approx_kl"]) < 1e-6
        assert np.isfinite(logged["train/loss"])
        assert (model.policy.action_net.weight != before).any()
    finally:
        envs.close()


def test_prediction_keeps_to_the_mask() -> None:
    tables = PersianRummyGymVectorEnv(32, observation="flat")
    model = MaskablePPO("MlpPolicy", PersianRummySB3VecEnv(2), n_steps=8, batch_size=16)
    observation, _ = tables.reset(seed=1)
    for _ in range(40):
        masks = tables.action_masks()
        actions, _ = model.predict(observation, action_masks=masks, deterministic=False)
        assert masks[np.arange(32), actions].all()
        observation, *_ = tables.step(actions)


@pytest.mark.parametrize("options", [{}, {"max_decisions": 40}])
def test_the_wrapper_of_the_pettingzoo_example_pays_the_team(options: dict[str, Any]) -> None:
    """The rewards of an episode sum to what both seats of the team earned, and every decision is theirs."""
    paid: list[float] = []

    class Counted(PersianRummyAEC):
        def step(self, action: int | None) -> None:
            super().step(action)
            paid.append(self.rewards["player_0"])

    env = sb3_pettingzoo.SB3ActionMaskWrapper(Counted(episode="deal", **options))
    rng = np.random.default_rng(0)
    for seed in range(4):
        paid.clear()
        observation, _ = env.reset(seed=seed)
        earned, over = 0.0, False
        while not over:
            assert env.agent_selection in sb3_pettingzoo.TEAM
            assert env.observation_space.contains(observation)
            action = int(rng.choice(np.flatnonzero(sb3_pettingzoo.mask_fn(env))))
            observation, reward, terminated, truncated, _ = env.step(action)
            earned += reward
            over = terminated or truncated
        assert truncated == bool(options)
        assert len(paid) > 30
        assert earned == pytest.approx(sum(paid))


def test_the_model_of_an_example_plays_a_match_by_its_mask() -> None:
    model = MaskablePPO("MlpPolicy", PersianRummySB3VecEnv(2), n_steps=8, batch_size=16, seed=1)
    player = sb3_maskable_ppo.Player(model)
    assert np.isfinite(persian_rummy_env.match(player, "random", 4).margin)  # an illegal action would raise
