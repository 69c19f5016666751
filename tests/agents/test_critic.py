"""Values of positions: what they mean, whose they are, and that hidden cards do not reach them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from persian_rummy_env import load
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.players.bundled import CHAMPION
from persian_rummy_env.players.critic import Critic, critic_input
from persian_rummy_env.players.critic_file import critic_bytes, critic_path, read_critic_file
from persian_rummy_env.players.inputs import VIEW_SIZE
from persian_rummy_env.players.network_shape import Shape
from persian_rummy_env.players.policy import NoCriticError, RulesError, as_policy
from persian_rummy_env.players.policy_file import read_policy_file
from persian_rummy_env.players.policy_io import sample_worlds, views_of
from persian_rummy_env.players.tensor_file import NotFiniteError, read_tensor_file, tensor_bytes
from persian_rummy_env.state import OVER
from tests.agents.positions import positions
from tests.damage import BYTES, HEADER, damages

WIDTH, SCALE = 24, 50.0


def tensors_of(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """A random critic whose values are far from constant."""
    sizes = {
        "trunk.weight": (VIEW_SIZE, WIDTH), "trunk.bias": (WIDTH,), "trunk.blocks.0.norm.weight": (WIDTH,),
        "trunk.blocks.0.norm.bias": (WIDTH,), "trunk.blocks.0.linear.weight": (WIDTH, WIDTH),
        "trunk.blocks.0.linear.bias": (WIDTH,), "trunk.norm.weight": (WIDTH,), "trunk.norm.bias": (WIDTH,),
        "last.weight": (1, WIDTH), "last.bias": (1,),
    }  # fmt: skip
    return {name: rng.normal(0, 0.3, size).astype(np.float16).astype(np.float32) for name, size in sizes.items()}


def write_critic(policy: Path, tensors: dict[str, np.ndarray], shape: Shape | None = None) -> None:
    rules = read_policy_file(policy).metadata["rules"]
    content = critic_bytes(tensors, shape or Shape(WIDTH, 1), SCALE, policy, rules, {"made by": "a test"})
    critic_path(policy).write_bytes(content)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """The champion's file with a random critic beside it."""
    path = tmp_path / "policy.safetensors"
    shutil.copy(CHAMPION, path)
    write_critic(path, tensors_of(np.random.default_rng(1)))
    return path


def under_way(lanes: int) -> np.ndarray:
    games = positions(lanes)
    return games[games["phase"] != OVER]


def test_the_network_is_that_of_torch(policy: Path) -> None:
    torch = pytest.importorskip("torch")
    from agents import network
    from agents.inputs import DenseInputs

    file = read_critic_file(policy)
    critic = network.Critic(Shape(WIDTH, 1))
    critic.load_state_dict({name: torch.from_numpy(tensor) for name, tensor in file.tensors.items()})
    games = under_way(300)
    points = games["points"].astype(float)
    so_far = np.where(games["seat"] % 2 == 0, 1, -1) * (points[:, 0] - points[:, 1])
    with torch.no_grad():
        value = critic(DenseInputs.of(*critic_input(games))).numpy()
    np.testing.assert_allclose(Critic(policy).of_records(games), so_far + SCALE * value, atol=1e-3)
    assert value.std() > 0.1


def test_a_damaged_critic_file_gives_the_right_values_or_one_line(policy: Path) -> None:
    path, games = critic_path(policy), under_way(8)
    whole, right = path.read_bytes(), Critic(policy).of_records(games)
    refusals = []
    for damage in damages(whole, 60, kinds={**BYTES, **HEADER}):
        path.write_bytes(damage.content)
        try:
            values = Critic(policy).of_records(games)
        except ValueError as error:
            refusals.append((damage.name, str(error)))
        else:
            assert (values == right).all(), damage.name
    assert len(refusals) > 40
    assert [one for one in refusals if str(path) not in one[1] or "\n" in one[1]] == []


@pytest.mark.parametrize(
    ("entry", "value"), [("scale", "fifty"), ("scale", "-1"), ("scale", "NaN"), ("shape", "{"), ("shape", "[]")]
)
def test_a_wrong_header_is_named_with_its_file(policy: Path, entry: str, value: str) -> None:
    path = critic_path(policy)
    file = read_tensor_file(path, "critic", {})
    path.write_bytes(tensor_bytes(file.tensors, {**file.metadata, entry: value}))
    with pytest.raises(ValueError, match=re.escape(str(path))):
        read_critic_file(policy)


def test_points_of_this_deal_count_and_those_of_finished_deals_do_not(policy: Path) -> None:
    tensors = {name: np.zeros_like(tensor) for name, tensor in tensors_of(np.random.default_rng(1)).items()}
    tensors["last.bias"][:] = 0.5
    write_critic(policy, tensors)
    games, seats = under_way(200), np.arange(200) % 4
    seats = seats[: len(games)]
    own = np.where((games["seat"] - seats) % 2 == 0, 1, -1) * SCALE * 0.5
    points = games["points"].astype(float)
    own += np.where(seats % 2 == 0, 1, -1) * (points[:, 0] - points[:, 1])
    assert points.any()
    for hidden in (True, False):
        assert np.array_equal(load(f"file:{policy}").value(games, seats, hidden=hidden, worlds=2), own)


def test_the_score_of_finished_deals_is_not_read(policy: Path) -> None:
    player, games = load(f"file:{policy}"), under_way(300)
    later = games[games["deal"] == 1]
    before = player.value(later, 0, hidden=True)
    later["score"] += np.array([200, -300], dtype=np.int32)
    assert np.array_equal(player.value(later, 0, hidden=True), before)
    assert len(later) > 20


def test_partners_have_one_value_and_opponents_the_opposite(policy: Path) -> None:
    player, games = load(f"file:{policy}"), under_way(100)
    values = [player.value(games, seat, hidden=True) for seat in range(4)]
    assert np.array_equal(values[0], values[2])
    assert np.array_equal(values[0], -values[1])
    assert np.array_equal(values[1], values[3])


@pytest.mark.parametrize("seat", range(4))
def test_hidden_cards_do_not_reach_what_a_seat_sees(policy: Path, seat: int) -> None:
    player, games = load(f"file:{policy}"), under_way(100)
    other = exchange_hidden(games, seat, np.random.default_rng(seat))
    assert np.array_equal(player.value(games, seat, worlds=3), player.value(other, seat, worlds=3))
    different = player.value(games, seat, hidden=True) != player.value(other, seat, hidden=True)
    assert different.mean() > 0.9, "the test has to see the hidden cards where they are read"


def test_a_value_is_the_mean_over_worlds(policy: Path) -> None:
    player, games, worlds = load(f"file:{policy}"), under_way(20)[:5], 1000
    seats = games["seat"].astype(np.int64)
    own = sample_worlds(views_of(games, np.arange(5), seats), seats, worlds, np.random.default_rng(5))
    each = player.value(own.reshape(-1), np.repeat(seats, worlds), hidden=True).reshape(5, worlds)
    half = 4 * np.sqrt(2) * each.std(axis=1) / worlds**0.5
    assert (abs(player.value(games, seats, worlds=worlds, seed=1) - each.mean(axis=1)) < half).all()
    assert (half > 0).all()


def test_a_value_depends_on_its_seed_and_not_on_the_games_beside_it(policy: Path) -> None:
    player, games = load(f"file:{policy}"), under_way(60)
    seats = np.arange(len(games)) % 4
    whole = player.value(games, seats, worlds=3)
    rows = np.array([7, 3, 50, 7])
    assert np.array_equal(player.value(games[rows], seats[rows], worlds=3), whole[rows])
    assert (player.value(games, seats, worlds=3, seed=1) != whole).mean() > 0.9
    opened = player.value(games, seats, hidden=True)
    assert np.array_equal(player.value(games[rows], seats[rows], hidden=True), opened[rows])


def test_a_policy_without_a_critic_says_so(policy: Path) -> None:
    games = under_way(20)
    with pytest.raises(NoCriticError, match="greedy has no critic: expected a trained policy"):
        load("greedy").value(games, 0)
    critic_path(policy).unlink()
    with pytest.raises(NoCriticError, match=r"policy.critic.safetensors: no such critic file; python -m train.fit_"):
        load(f"file:{policy}").value(games, 0)


def test_a_value_of_somebody_elses_policy_is_passed_through() -> None:
    class Own:
        def act(self, batch):
            return batch.action_mask.argmax(axis=1)

        def value(self, games, seat, *, hidden=False):
            return np.full(len(games), 7.0 + seat + hidden)

    games = under_way(20)
    assert (as_policy(Own()).value(games, 1, hidden=True) == 9).all()


def test_a_critic_of_another_policy_is_refused(policy: Path) -> None:
    content = bytearray(policy.read_bytes())
    content[-1] ^= 1
    policy.write_bytes(content)
    with pytest.raises(ValueError, match=r"critic.safetensors: it values another policy than policy.safetensors"):
        read_critic_file(policy)


def test_wrong_arguments_are_refused(policy: Path) -> None:
    player, games = load(f"file:{policy}"), under_way(20)
    for seat in (4, -1, np.zeros(3, dtype=int)):
        with pytest.raises(ValueError, match=r"expected a seat 0\.\.3, or"):
            player.value(games, seat)
    with pytest.raises(TypeError, match="expected a seat"):
        player.value(games, "north")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="worlds=0"):
        player.value(games, 0, worlds=0)
    with pytest.raises(TypeError, match="hidden=1"):
        player.value(games, 0, hidden=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="STATE"):
        player.value(games[0], 0)
    other = games.copy()
    other["stock_end"] = 1
    other["passes"] = 0
    with pytest.raises(RulesError, match="was trained with stock_out=pass"):
        player.value(other, 0)


def test_a_game_that_is_over_has_no_value(policy: Path) -> None:
    from persian_rummy_env.evaluation.arena import new_games, play

    games = new_games(np.arange(4), np.arange(4), deals=1)
    play(games[2:3], [load("greedy")], np.zeros((1, 4), dtype=int))
    with pytest.raises(ValueError, match=r"games\[2\] is over"):
        load(f"file:{policy}").value(games, 0)


@pytest.mark.parametrize(
    ("metadata", "fault"),
    [
        ({"scale": "0"}, "its scale is 0"),
        ({"scale": '"a"'}, "its scale is 'a'"),
        ({"shape": "{}"}, "expected an object of width"),
        ({"shape": json.dumps({"width": WIDTH, "blocks": 2})}, "it says width=24, blocks=2"),
        ({"shape": json.dumps({"width": WIDTH, "blocks": 1, "kind": "attention"})}, "unknown kind of network"),
        ({"format": "persian-rummy-policy/1"}, "its format is 'persian-rummy-policy/1'"),
    ],
)
def test_a_wrong_header_is_refused(policy: Path, metadata: dict[str, str], fault: str) -> None:
    from persian_rummy_env.players.tensor_file import read_tensor_file, tensor_bytes

    path = critic_path(policy)
    file = read_tensor_file(path, "critic", {})
    path.write_bytes(tensor_bytes(file.tensors, {**file.metadata, **metadata}))
    with pytest.raises(ValueError, match=fault) as refused:
        load(f"file:{policy}").value(under_way(20), 0)
    assert str(path) in str(refused.value)


def test_weights_beyond_float16_are_not_written(policy: Path) -> None:
    tensors = tensors_of(np.random.default_rng(1))
    tensors["last.bias"][:] = 1e6
    with pytest.raises(NotFiniteError, match=r"last\.bias"):
        write_critic(policy, tensors)
