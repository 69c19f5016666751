"""Trained networks without torch choose what torch chooses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.players import networks
from persian_rummy_env.players.bundled import CHAMPION
from persian_rummy_env.players.load import load
from persian_rummy_env.players.networks import NETWORKS, TILE, NetworkPolicy, load_policy
from persian_rummy_env.players.policy import DecisionBatch

ENVS = 1000


def decisions(steps: int, player, seed: int):
    """Batches of decisions on the way of a player that every other step plays at random."""
    env = PersianRummyVecEnv(ENVS, episode="deal")
    now = env.reset(seed=seed)
    for step in range(steps):
        batch = DecisionBatch(now.observation.copy(), env.packed_mask.copy(), now.seat.copy(), np.arange(ENVS))
        yield batch
        now = env.step(player.act(batch) if step % 2 else env.sample_actions())


def small(path: Path, width: int = 24, blocks: int = 1) -> Path:
    """A random network whose choices are far from uniform."""
    torch = pytest.importorskip("torch")
    from agents.learned import policy_bytes
    from agents.network import Actor
    from persian_rummy_env.players.network_shape import Shape

    torch.manual_seed(3)
    actor = Actor(Shape(width, blocks, True))
    torch.nn.init.normal_(actor.trunk.weight, std=0.3)
    torch.nn.init.normal_(actor.last.weight, std=0.4)
    path.write_bytes(policy_bytes(actor, {"rules": "{}"}))
    return path


def compare(path: Path, steps: int, seed: int) -> None:
    pytest.importorskip("torch")
    from agents.learned import LearnedPolicy

    here, torch_policy = load(f"file:{path}"), LearnedPolicy(path)
    assert isinstance(here, NetworkPolicy)
    assert here.rules == torch_policy.rules
    different = 0
    for step, batch in enumerate(decisions(steps, here, seed)):
        different += np.count_nonzero(here.act(batch) != torch_policy.act(batch))
        if step == 0:
            np.testing.assert_allclose(here.probabilities(batch), torch_policy.probabilities(batch), atol=1e-5)
    assert different == 0


def test_the_champion_chooses_as_with_torch() -> None:
    compare(CHAMPION, 20, 11)


def test_a_small_network_chooses_as_with_torch(tmp_path: Path) -> None:
    compare(small(tmp_path / "policy.safetensors"), 20, 12)


def test_a_row_does_not_depend_on_its_batch() -> None:
    """Sums in another order differ in their last bits, and may turn a near-tie."""
    policy = load_policy(CHAMPION)
    *_, batch = decisions(30, policy, 15)
    whole = policy.probabilities(batch)  # type: ignore[attr-defined]
    rng = np.random.default_rng(1)
    for count in (1, 2, 3, 5, 6, 7, 37, TILE - 1, TILE, TILE + 1, 3 * TILE + 2):
        rows = rng.choice(ENVS, count, replace=False)
        assert (policy.probabilities(batch.rows(rows)) == whole[rows]).all(), count  # type: ignore[attr-defined]
        assert (policy.act(batch.rows(rows)) == policy.act(batch)[rows]).all()


def test_a_kind_can_be_registered_and_an_unknown_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import json

    from persian_rummy_env.players.policy_file import read_policy_file
    from persian_rummy_env.players.tensor_file import tensor_bytes

    file = read_policy_file(CHAMPION)
    path = tmp_path / "policy.safetensors"
    shape = {**file.shape, "kind": "twin"}
    path.write_bytes(tensor_bytes(file.tensors, {**file.metadata, "shape": json.dumps(shape)}))
    monkeypatch.setattr(networks, "_BACKENDS", [])
    with pytest.raises(ValueError, match="twin"):
        load(f"file:{path}")
    monkeypatch.setitem(NETWORKS, "twin", NETWORKS["residual"])
    [batch] = decisions(1, load_policy(path), 16)
    assert (load_policy(path).act(batch) == load("champion").act(batch)).all()
    assert load_policy(path).rules == load("champion").rules


def test_another_device_needs_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "_BACKENDS", [])
    with pytest.raises(ValueError, match=r"agents\.learned"):
        load("champion", device="cuda")


@pytest.mark.parametrize(
    "name", ["trunk.bias", "trunk.blocks.1.linear.weight", "last.weight"], ids=["bias", "linear", "last"]
)
def test_a_tensor_of_another_shape_is_refused(name: str, tmp_path: Path) -> None:
    from persian_rummy_env.players.policy_file import read_policy_file
    from persian_rummy_env.players.tensor_file import tensor_bytes

    file = read_policy_file(CHAMPION)
    for number, tensors in enumerate(
        [
            {**file.tensors, name: file.tensors[name][:-1]},
            {**file.tensors, name: file.tensors[name].astype(np.float64)},
            {key: tensor for key, tensor in file.tensors.items() if key != name},
        ]
    ):
        path = tmp_path / f"{number}.safetensors"
        path.write_bytes(tensor_bytes(tensors, file.metadata))
        with pytest.raises(ValueError, match=name.replace(".", r"\.")) as refused:
            load_policy(path)
        assert str(path) in str(refused.value)
