"""A trained player from its file: what it refuses, and that it never leaves its mask."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from agents.base import Policy
from agents.learned import LearnedPolicy, packed, policy_bytes, read_policy
from agents.load import load
from agents.network import Actor, Shape
from persian_rummy_env.actions import DISCARD
from train.match import play_match


@pytest.fixture(scope="module")
def actor() -> Actor:
    torch.manual_seed(1)
    actor = Actor(Shape(16, 1))
    torch.nn.init.normal_(actor.last.weight)
    return actor


@pytest.fixture
def path(actor: Actor, tmp_path: Path) -> Path:
    path = tmp_path / "policy.safetensors"
    path.write_bytes(policy_bytes(actor, {"rules": "{}"}))
    return path


def batch(decisions, part: slice = slice(None)):
    mask = decisions.mask[part].astype(np.int8)
    from agents.base import Batch

    fields = dict.fromkeys(Batch._fields)
    fields |= {"observation": np.ascontiguousarray(decisions.view[part, :1020]), "action_mask": mask}
    fields |= {"seat": np.zeros(len(mask), dtype=np.int8), "lane": np.arange(len(mask))}
    return Batch(**fields)


def test_masks_pack(decisions):
    assert np.array_equal(packed(decisions.mask.astype(np.int8)), decisions.legal)


def test_a_file_plays_as_the_network_did(actor: Actor, path: Path, decisions):
    ours, theirs = LearnedPolicy(actor).act(batch(decisions)), load(f"file:{path}").act(batch(decisions))
    assert np.array_equal(ours, theirs)
    assert len(set(ours.tolist())) > 20


@pytest.mark.parametrize("greedy", [True, False])
def test_only_legal_actions_even_if_the_network_wants_others(actor: Actor, decisions, greedy: bool):
    eager = Actor(actor.shape)
    eager.load_state_dict(actor.state_dict())
    with torch.no_grad():
        eager.last.bias[DISCARD.start :] += 1e4  # it wants to discard in every phase
    policy = LearnedPolicy(eager, greedy=greedy)
    taken = policy.act(batch(decisions))
    assert decisions.mask[np.arange(len(taken)), taken].all()
    result = play_match(policy, load("random"), 24, 5)  # a match refuses what is illegal
    assert result.pairs == 24


def test_rows_do_not_hang_on_their_neighbours(actor: Actor, decisions):
    policy = LearnedPolicy(actor)
    whole = policy.act(batch(decisions))
    assert np.array_equal(whole[100:164], policy.act(batch(decisions, slice(100, 164))))


def test_against_itself_it_is_exactly_even(actor: Actor):
    result = play_match(LearnedPolicy(actor), LearnedPolicy(actor), 40, 6)
    assert (result.margin, result.pair_sd) == (0, 0)
    assert result.deal_sd > 0


def test_drawn_play_repeats_with_its_seed(actor: Actor, decisions):
    one, same, other = (LearnedPolicy(actor, greedy=False, seed=seed).act(batch(decisions)) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert (one != other).any()
    assert isinstance(LearnedPolicy(actor), Policy)


def test_other_versions_are_refused_with_both_named(path: Path):
    tensors = load_file(path)
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        says = file.metadata()
    for key in ("observation", "actions", "format"):
        save_file(tensors, path, {**says, key: "other"})
        with pytest.raises(ValueError) as refused:
            load(f"file:{path}")
        assert str(path) in str(refused.value)
        assert f"'other', and here it is '{says[key]}'" in str(refused.value)


def test_what_is_no_policy_is_refused(path: Path, tmp_path: Path):
    whole = path.read_bytes()
    for damaged in (b"", whole[:500], whole[:-3], b"nonsense" * 9):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="damaged"):
            read_policy(path)
    with pytest.raises(FileNotFoundError, match="no such policy"):
        read_policy(tmp_path / "none.safetensors")
