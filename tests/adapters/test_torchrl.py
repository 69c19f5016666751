"""TorchRL: the wrapped AEC environment against the bare one, endings, and the returns of a seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torchrl", reason="TorchRL is not installed: nox -s torchrl")

import torch
from tensordict.nn import TensorDictModule
from torchrl.envs import ParallelEnv
from torchrl.envs.utils import check_env_specs

import persian_rummy_env
from persian_rummy_env.actions import DRAW
from persian_rummy_env.adapters.torchrl import ONE_GROUP, TEAM_GROUPS, torchrl_env
from persian_rummy_env.adapters.torchrl_returns import seat_returns
from persian_rummy_env.envs.testing import exchange_hidden
from tests.adapters.processes import check_hash_seeds
from tests.env.aec_play import GOING_OUT, OUT_AT_ONCE, highest, mask_of, never_meld, over, uniform

pytestmark = pytest.mark.filterwarnings("ignore")  # it warns of every PettingZoo but the one it was written for


def act(env: Any, shown: Any, action: int) -> Any:
    """Play an action, which only the seat to move hears."""
    shown = shown.clone()
    shown["seats", "action"] = torch.full((4,), action)
    return env.step(shown)["next"]


@pytest.mark.parametrize("groups", [TEAM_GROUPS, ONE_GROUP])
def test_the_specs_are_kept(groups: dict[str, list[str]]) -> None:
    check_env_specs(torchrl_env(groups, episode="deal"))


@pytest.mark.parametrize(
    ("choose", "options", "flags"),
    [(uniform, {}, (True, False)), (never_meld, {}, (True, False)), (highest, {"max_decisions": 33}, (False, True))],
    ids=["random", "stock", "cap"],
)
def test_a_deal_is_that_of_the_aec_environment(choose: Any, options: dict[str, Any], flags: tuple[bool, bool]) -> None:
    """Masks bit for bit over 500 decisions, who is to move, each seat's rewards, and how it ends for all four."""
    env, aec = torchrl_env(ONE_GROUP, episode="deal", **options), persian_rummy_env.env(episode="deal", **options)
    rng, decisions, seed = np.random.default_rng(1), 0, 0
    while decisions < 500:
        env.set_seed(seed)
        shown = env.reset()
        aec.set_state(env.unwrapped.get_state())
        while not over(aec):
            seat, mask = int(aec.agent_selection[-1]), mask_of(aec)
            assert (shown["seats", "action_mask"][seat].numpy() == mask.astype(bool)).all()
            assert shown["seats", "mask"].tolist() == [other == seat for other in range(4)]
            seen = np.stack([aec.observe(agent)["observation"] for agent in aec.possible_agents])
            assert (shown["seats", "observation", "observation"].numpy() == seen).all()
            action = choose(mask, rng)
            shown = act(env, shown, action)
            aec.step(action)
            assert shown["seats", "reward"].squeeze(-1).tolist() == pytest.approx(list(aec.rewards.values()))
            decisions += 1
        assert (bool(shown["terminated"]), bool(shown["truncated"])) == flags
        assert shown["seats", "terminated"].all() == flags[0]
        assert shown["seats", "truncated"].all() == flags[1]
        seed += 1


def test_a_deal_over_in_the_first_turn_pays_all_four() -> None:
    env = torchrl_env(ONE_GROUP, episode="deal")
    env.reset()
    inner = env.unwrapped
    inner.reset(options={"decks": [OUT_AT_ONCE], "dealer": 3})
    shown = env.reset(options={"decks": [OUT_AT_ONCE], "dealer": 3})
    paid = torch.zeros(4)
    for name in GOING_OUT:
        shown = act(env, shown, persian_rummy_env.encode_action(name))
        paid += shown["seats", "reward"].squeeze(-1)
    assert bool(shown["done"])
    score = inner.get_state()["score"][0]
    margin = (int(score[0]) - int(score[1])) / 100
    assert paid.tolist() == pytest.approx([margin, -margin, margin, -margin])


def test_nothing_hidden_is_shown() -> None:
    """What a seat sees of its own action, but for what it draws and for the end of a deal, when hands count."""
    env, rng = torchrl_env(ONE_GROUP, episode="deal"), np.random.default_rng(0)
    env.set_seed(4)
    shown, compared = env.reset(), 0
    for _ in range(80):
        [seat] = shown["seats", "mask"].nonzero().flatten().tolist()
        action = uniform(shown["seats", "action_mask"][seat].numpy(), rng)
        states = env.unwrapped.get_state()
        other = exchange_hidden(states, seat, rng)
        assert (other["decks"] != states["decks"]).any()
        env.unwrapped.set_state(other)
        would = act(env, shown, action)
        env.unwrapped.set_state(states)
        shown = act(env, shown, action)
        if bool(shown["done"]):
            shown = env.reset()
        elif action != DRAW.start:
            compared += 1
            for key in (("observation", "observation"), "reward", "mask", "done"):
                one, two = would["seats", key], shown["seats", key]
                assert (one[seat] == two[seat]).all(), key
    assert compared > 30


TRACE = """
import hashlib, warnings
warnings.simplefilter("ignore")
from persian_rummy_env.adapters.torchrl import ONE_GROUP, torchrl_env
env = torchrl_env(ONE_GROUP, episode="deal")
env.set_seed(3)
shown, digest = env.reset(), hashlib.sha256()
for _ in range(60):
    action = shown["seats", "action_mask"].int().argmax(-1)
    shown = env.step(shown.set(("seats", "action"), action))["next"]
    for key in sorted(map(str, shown.flatten_keys().keys())):
        digest.update(key.encode() + shown.flatten_keys()[key].numpy().tobytes())
    if bool(shown["done"]):
        break
print(digest.hexdigest())
"""


def test_the_hash_seed_changes_nothing() -> None:
    check_hash_seeds(TRACE)


def one_table() -> Any:
    return torchrl_env(ONE_GROUP, episode="deal")


def test_spawned_workers_play() -> None:
    workers = ParallelEnv(2, one_table, mp_start_method="spawn")
    mask, action = ("seats", "action_mask"), ("seats", "action")
    first = TensorDictModule(lambda legal: legal.int().argmax(-1), in_keys=[mask], out_keys=[action])
    try:
        played = workers.rollout(10, policy=first)
        assert played.shape == (2, 10)
        assert played[mask].gather(-1, played[action].unsqueeze(-1)).all()
    finally:
        workers.close()


def test_the_returns_of_a_seat_by_hand() -> None:
    """Two seats; the first episode ends in the third step. Rewards of others between two decisions count for both."""
    reward = torch.tensor([[1.0, -1], [0, 0], [-3, 3], [2, -2], [0.5, -0.5]])
    done = torch.tensor([[False] * 2, [False] * 2, [True] * 2, [False] * 2, [True] * 2])
    expected = [[-2.0, 2], [-3, 3], [-3, 3], [2.5, -2.5], [0.5, -0.5]]
    assert seat_returns(reward, done).tolist() == expected


def test_rollouts_do_not_share_memory() -> None:
    env = torchrl_env(ONE_GROUP, episode="deal")
    shown = env.reset()
    kept = shown["seats", "observation", "observation"].clone()
    held = shown["seats", "observation", "observation"]
    for _ in range(10):
        action = int(shown["seats", "action_mask"][shown["seats", "mask"]][0].int().argmax())
        shown = act(env, shown, action)
    assert (held == kept).all()
