"""TorchRL: the batched environment against the bare AEC environment, and the advantages of each seat by hand."""

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
from persian_rummy_env.actions import DISCARD, DRAW
from persian_rummy_env.adapters.torchrl import PersianRummyTorchRL
from persian_rummy_env.adapters.torchrl_returns import SeatGAE, seat_advantages
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.seeds import lane_seeds
from tests.adapters.processes import check_hash_seeds
from tests.env.aec_play import GOING_OUT, OUT_AT_ONCE, highest, leave, mask_of, never_meld, over, uniform
from tests.train.credit import BY_HAND, END, EXAMPLE, LAMBDA

pytestmark = pytest.mark.filterwarnings("ignore")  # TorchRL's and torch's own


@pytest.mark.parametrize("options", [{}, {"raw": True}, {"max_decisions": 2}], ids=str)
def test_the_specs_are_kept(options: dict[str, Any]) -> None:
    """With a cap of two decisions also by rows that end an episode."""
    check_env_specs(PersianRummyTorchRL(3, episode="deal", seed=1, **options), break_when_any_done="both")


@pytest.mark.parametrize(
    ("choose", "options", "flags"),
    [(uniform, {}, (True, False)), (never_meld, {}, (True, False)), (highest, {"max_decisions": 33}, (False, True))],
    ids=["random", "stock", "cap"],
)
def test_a_table_is_that_of_the_aec_environment(choose: Any, options: dict[str, Any], flags: tuple[bool, bool]) -> None:
    """Three tables, at least 500 decisions: masks and views bit for bit, rewards of all four, ends."""
    tables = 3
    env = PersianRummyTorchRL(tables, episode="deal", **options)
    env.set_seed(5)
    aecs = [persian_rummy_env.env(episode="deal", **options) for _ in range(tables)]
    for aec, seed in zip(aecs, lane_seeds(5, tables), strict=True):
        aec.reset(seed=int(seed))
    rng, decisions, ends = np.random.default_rng(1), 0, 0
    shown = env.reset()
    returns, paid = torch.zeros(tables, 4), np.zeros((tables, 4))
    while decisions < 500 or ends < tables:
        for row, aec in zip(shown, aecs, strict=True):
            seen = aec.observe(aec.agent_selection)
            assert row["seat"].tolist() == [int(aec.agent_selection[-1])]
            assert (row["action_mask"].numpy() == seen["action_mask"].astype(bool)).all()
            assert (row["observation"].numpy() == seen["observation"]).all()
        actions = [choose(mask_of(aec), rng) for aec in aecs]
        stepped, shown = env.step_and_maybe_reset(shown.set("action", torch.tensor(actions)))
        returns += stepped["next", "reward"]
        for lane, (aec, action, row) in enumerate(zip(aecs, actions, stepped["next"], strict=True)):
            aec.step(action)
            decisions += 1
            paid[lane] += list(aec.rewards.values())
            assert row["reward"].tolist() == pytest.approx(list(aec.rewards.values()))
            assert bool(row["done"]) == over(aec)
            if over(aec):
                assert (bool(row["terminated"]), bool(row["truncated"])) == flags
                assert not row["action_mask"].any()
                last = aec.observe(f"player_{int(row['seat'])}")["observation"]
                assert (row["observation"].numpy() == last).all()
                assert returns[lane].tolist() == pytest.approx(paid[lane].tolist(), abs=1e-6)
                assert returns[lane, 0] == returns[lane, 2] == -returns[lane, 1] == -returns[lane, 3]
                returns[lane], paid[lane], ends = 0, 0, ends + 1
                leave(aec)
                aec.reset()


def test_the_cut_row_is_seen_by_the_seat_to_move() -> None:
    """So that a critic may go on from there."""
    env = PersianRummyTorchRL(64, episode="deal", max_decisions=12, seed=2)
    played = env.rollout(12)
    assert played["next", "truncated"][:, -1].all()
    assert (played["next", "seat"][:, -1, 0].numpy() == env.sub_envs.get_state()["seat"]).all()
    to_move = played["next", "observation"][:, -1, persian_rummy_env.observation.BLOCK["to_move"].slice]
    assert (to_move == torch.tensor([1.0, 0, 0, 0])).all()


def test_a_deal_over_in_the_first_turn_pays_all_four() -> None:
    env = PersianRummyTorchRL(2, episode="deal")
    env.reset()
    aec = persian_rummy_env.env(episode="deal")
    aec.reset(options={"decks": [OUT_AT_ONCE], "dealer": 3})
    shown = env._reset(None)
    env.sub_envs.set_state(np.repeat(aec.get_state(), 2))
    paid = torch.zeros(2, 4)
    for name in GOING_OUT:
        shown = env.step(shown.set("action", torch.full((2,), persian_rummy_env.encode_action(name))))["next"]
        paid += shown["reward"]
    assert shown["terminated"].all()
    score = env.sub_envs.get_state()["score"][0]
    margin = (int(score[0]) - int(score[1])) / 100
    assert paid[0].tolist() == pytest.approx([margin, -margin, margin, -margin])
    assert (paid[0] == paid[1]).all()


def test_an_illegal_action_is_refused_and_no_table_moves() -> None:
    env = PersianRummyTorchRL(2, episode="deal", seed=1)
    shown = env.reset()
    before = env.sub_envs.get_state()
    with pytest.raises(ValueError, match="env 1, seat"):
        env.step(shown.set("action", torch.tensor([DRAW.start, DISCARD.start])))
    assert (env.sub_envs.get_state() == before).all()
    with pytest.raises(TypeError, match="autoreset_mode='SAME_STEP': TorchRL resets"):
        PersianRummyTorchRL(2, autoreset_mode="SAME_STEP")


def test_random_actions_are_legal() -> None:
    """Else the tables would refuse them; and all kinds come."""
    played = PersianRummyTorchRL(64, seed=1).rollout(30)
    assert played["action_mask"].gather(-1, played["action"].unsqueeze(-1)).all()
    assert len(set(played["action"].flatten().tolist())) > 100


def test_nothing_hidden_is_shown() -> None:
    rng = np.random.default_rng(0)
    env = PersianRummyTorchRL(16, episode="deal", seed=4)
    shown = env.reset()
    for _ in range(50):
        states = env.sub_envs.get_state()
        seats = shown["seat"].squeeze(-1)
        other = np.concatenate(
            [exchange_hidden(states[lane : lane + 1], int(seat), rng) for lane, seat in enumerate(seats)]
        )
        assert (other["decks"] != states["decks"]).any()
        again = env._seen(env.sub_envs.set_state(other))
        for key, value in again.items():
            assert (value == shown[key]).all(), key
        env.sub_envs.set_state(states)
        shown = env.step_and_maybe_reset(env.rand_action(shown))[1]


def test_what_was_handed_out_does_not_change() -> None:
    env = PersianRummyTorchRL(8, episode="deal", seed=1)
    shown = env.reset()
    kept = []
    for _ in range(60):
        stepped, shown = env.step_and_maybe_reset(env.rand_action(shown))
        kept += [(tensor, tensor.clone()) for tensor in stepped.flatten_keys().values()]
    assert all((tensor == copy).all() for tensor, copy in kept)


TRACE = """
import hashlib
from persian_rummy_env.adapters.torchrl import PersianRummyTorchRL
env = PersianRummyTorchRL(8, episode="deal")
env.set_seed(3)
played = env.rollout(60, break_when_any_done=False).flatten_keys()
digest = hashlib.sha256()
for key in sorted(played.keys()):
    digest.update(key.encode() + played[key].numpy().tobytes())
print(digest.hexdigest())
"""


def test_the_hash_seed_changes_nothing() -> None:
    check_hash_seeds(TRACE)


def one_of_two() -> PersianRummyTorchRL:
    return PersianRummyTorchRL(4, episode="deal")


def draw(mask: torch.Tensor) -> torch.Tensor:
    return (torch.rand(mask.shape) * mask).argmax(-1)


def test_spawned_workers_play() -> None:
    workers = ParallelEnv(2, one_of_two, mp_start_method="spawn")
    legal = TensorDictModule(draw, in_keys=["action_mask"], out_keys=["action"])
    try:
        workers.set_seed(1)
        played = workers.rollout(20, policy=legal, break_when_any_done=False)  # it knows the masks in its workers alone
        assert played.shape == (2, 4, 20)
        assert (played["observation"][0, :, 0] != played["observation"][1, :, 0]).any()
        assert played["action_mask"].gather(-1, played["action"].unsqueeze(-1)).all()
    finally:
        workers.close()


def example() -> dict[str, torch.Tensor]:
    """The end of a deal that docs/training.md works by hand, as the one row of a batch, in points."""
    seat, earned, value = (torch.tensor([list(column)]) for column in zip(*_numbers(), strict=True))
    to_team_0 = torch.where(seat % 2 == 0, earned, -earned)
    to_team_0[0, -1] += END
    reward = torch.stack([to_team_0, -to_team_0, to_team_0, -to_team_0], dim=-1)
    decided = torch.tensor([[worth is not None for _, _, worth in EXAMPLE]])
    ends = torch.zeros(1, len(EXAMPLE), dtype=torch.bool)
    nothing = torch.zeros(1, len(EXAMPLE))
    return {
        "seat": seat, "reward": reward, "value": value, "ends": ends, "decided": decided,
        "next_seat": torch.roll(seat, -1), "next_value": nothing,
    }  # fmt: skip


def _numbers() -> list[tuple[int, float, float]]:
    return [(seat, float(earned), 0.0 if value is None else value) for seat, earned, value in EXAMPLE]


def by_hand(advantage: torch.Tensor, decided: torch.Tensor) -> dict[int, float]:
    return {step: float(advantage[0, step]) for step in range(advantage.shape[1]) if decided[0, step]}


def test_the_example_worked_by_hand() -> None:
    rows = example()
    rows["ends"][0, -1] = True
    assert by_hand(seat_advantages(**rows, lmbda=LAMBDA), rows["decided"]) == BY_HAND


def test_a_batch_that_ends_before_the_deal_goes_on_with_the_critic() -> None:
    """The same, cut after the discard of seat 2; the critic's value to seat 3, which is to move, is -18."""
    rows = {name: tensor[:, :8] for name, tensor in example().items()}
    rows["next_value"] = torch.zeros(1, 8)
    rows["next_value"][0, -1] = -18
    expected = {0: 3.0, 1: -2.0, 2: -8.0, 3: 16.0, 4: 12.0, 6: 0.0, 7: -4.0}
    assert by_hand(seat_advantages(**rows, lmbda=LAMBDA), rows["decided"]) == expected


def test_an_episode_does_not_reach_into_the_one_before() -> None:
    """The example twice in a row, and again where max_decisions cut the first: worth 5 to seat 1 when it was cut."""
    rows = example()
    twice = {name: torch.cat([tensor, tensor], dim=1) for name, tensor in rows.items()}
    twice["ends"][0, [11, 23]] = True
    advantage = seat_advantages(**twice, lmbda=LAMBDA)
    assert by_hand(advantage[:, :12], rows["decided"]) == BY_HAND
    assert by_hand(advantage[:, 12:], rows["decided"]) == BY_HAND
    twice["next_seat"][0, 11], twice["next_value"][0, 11] = 1, 5.0
    cut = seat_advantages(**twice, lmbda=LAMBDA)
    assert by_hand(cut[:, 12:], rows["decided"]) == BY_HAND
    # The last decision of each seat loses or gains those 5, and the one before half of it.
    assert cut[0, 11] == BY_HAND[11] - 5
    assert cut[0, 10] == BY_HAND[10] - 2.5
    assert cut[0, 9] == BY_HAND[9] + 5
    assert cut[0, 4] == BY_HAND[4] + 5


def test_a_perfect_critic_leaves_no_advantage_where_a_deal_is_played_out() -> None:
    """SeatGAE of real play: with lmbda = 1 the value target is what the seat is still paid in its episode."""
    env = PersianRummyTorchRL(6, episode="deal", seed=3)
    played = env.rollout(400, break_when_all_done=True, break_when_any_done=False)
    torch.manual_seed(0)
    critic = TensorDictModule(torch.nn.Linear(1020, 1), in_keys=["observation"], out_keys=["state_value"])
    SeatGAE(critic, lmbda=1.0)(played)
    for row in played:
        paid, ends = row["next", "reward"], row["next", "done"].squeeze(-1)
        end = int(ends.float().argmax())
        left = paid[: end + 1].flip(0).cumsum(0).flip(0)
        seat = row["seat"][: end + 1]
        expected = left.gather(1, seat).squeeze(-1)
        decided = row["decided"][: end + 1]
        target = row["value_target"][: end + 1].squeeze(-1)
        assert torch.allclose(target[decided], expected[decided], atol=1e-5)
        assert (row["advantage"][: end + 1][~decided] == 0).all()
    assert (played["decided"] == (played["action_mask"].sum(-1) > 1)).all()
