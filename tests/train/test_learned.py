"""A trained player from its file: what it refuses, and that it never leaves its mask."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from agents import learned
from agents.inputs import DenseInputs, uniform_log_probs
from agents.learned import LearnedPolicy, policy_bytes, policy_metadata, read_policy
from agents.network import Actor
from persian_rummy_env.actions import DISCARD
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players.inputs import SparseInputs
from persian_rummy_env.players.load import load
from persian_rummy_env.players.network_shape import Shape
from persian_rummy_env.players.policy import DecisionBatch, Policy
from persian_rummy_env.players.tensor_file import NotFiniteError


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
    view, legal = np.ascontiguousarray(decisions.view[part, :1020]), decisions.legal[part].copy()
    return DecisionBatch(view, legal, np.zeros(len(legal), dtype=np.int8), np.arange(len(legal)))


def test_the_mask_is_the_packed_mask(decisions):
    shown = batch(decisions)
    assert np.array_equal(shown.action_mask, decisions.mask)
    assert shown.action_mask is shown.action_mask
    assert not shown.action_mask.flags.writeable


def test_a_file_plays_as_the_network_did(actor: Actor, path: Path, decisions):
    own, others = LearnedPolicy(actor).act(batch(decisions)), load(f"file:{path}").act(batch(decisions))
    assert np.array_equal(own, others)
    assert len(set(own.tolist())) > 20


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


def test_rows_do_not_depend_on_their_neighbours(actor: Actor, decisions):
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
        content = file.metadata()
    for key in ("observation", "actions", "format"):
        save_file(tensors, path, {**content, key: "other"})
        with pytest.raises(ValueError) as refused:
            load(f"file:{path}")
        assert str(path) in str(refused.value)
        assert f"'other', expected '{content[key]}'" in str(refused.value)


def empty_batch(decisions, rows: list[int]):
    """Ten decisions, in some of which nothing is legal."""
    shown = batch(decisions, slice(10))
    shown.legal[rows] = 0
    return shown


@pytest.mark.parametrize("greedy", [True, False])
@pytest.mark.parametrize("rows", [[3], list(range(10))], ids=["one row", "all rows"])
@pytest.mark.parametrize("device", ["cpu", "meta"], ids=["sparse", "dense"])
def test_a_row_in_which_nothing_is_legal_is_an_error(
    actor: Actor, decisions, greedy: bool, rows: list[int], device: str, monkeypatch: pytest.MonkeyPatch
):
    if device == "meta":  # what another device than a CPU would be given
        monkeypatch.setattr(learned, "inputs_on", lambda _, view, legal, *__: DenseInputs.of(view, legal))
    policy, shown = LearnedPolicy(actor, greedy=greedy), empty_batch(decisions, rows)
    for method in (policy.act, policy.probabilities):
        with pytest.raises(ValueError, match=rf"row {rows[0]}: no action is legal.* \({len(rows)} of 10 rows"):
            method(shown)


def test_every_method_of_an_actor_refuses_rows_without_a_legal_action(actor: Actor, decisions):
    view, legal = decisions.view[:4, :1020], decisions.legal[:4].copy()
    legal[2] = 0
    taken = np.zeros(4, dtype=np.int64)
    for rows in (SparseInputs.of(view, legal), DenseInputs.of(view, legal)):
        for method in (
            lambda rows: actor.choose(rows, None),
            lambda rows: actor.choose(rows, np.full(4, 0.5)),
            lambda rows: actor.evaluate(rows, taken),
            actor.legal_log_probs,
            uniform_log_probs,
        ):
            with pytest.raises(ValueError, match="row 2: no action is legal"):
                method(rows)
    with pytest.raises(ValueError, match="row 2: no action is legal"):
        actor.log_p(DenseInputs.of(view, legal))


def test_a_network_of_no_numbers_chooses_nothing(actor: Actor, decisions):
    for value in (float("nan"), 1e30):
        wild = Actor(actor.shape)
        with torch.no_grad():
            for weights in wild.parameters():
                weights.fill_(value)
            wild.trunk.norm.bias.fill_(1e30)
        for greedy in (True, False):
            with pytest.raises(NotFiniteError, match="log-probabilities"):
                LearnedPolicy(wild, greedy=greedy).act(batch(decisions))
        with pytest.raises(NotFiniteError, match="probabilities"):
            LearnedPolicy(wild).probabilities(batch(decisions))
        with pytest.raises(NotFiniteError):
            wild.choose(DenseInputs.of(decisions.view[:4, :1020], decisions.legal[:4]), None)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_policy_of_no_numbers_is_neither_written_nor_read(actor: Actor, path: Path, value: float):
    wild = Actor(actor.shape)
    with torch.no_grad():
        wild.last.bias[7] = value
    with pytest.raises(NotFiniteError, match=r"last\.bias"):
        policy_bytes(wild, {})
    content = policy_metadata(path)
    save_file(
        {name: tensor.numpy() for name, tensor in wild.state_dict().items()}, path, content
    )  # as one without digest
    with pytest.raises(ValueError, match=r"last\.bias.*NaN or inf"):
        read_policy(path)


def test_one_changed_bit_is_seen(path: Path):
    whole = bytearray(path.read_bytes())
    whole[-100] ^= 1  # in a weight
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="damaged: its content does not match its digest"):
        read_policy(path)


@pytest.mark.parametrize(
    "shape",
    [
        *(
            {"width": 2**31, "blocks": 1},
            {"width": 16, "blocks": 10**9},
            {"width": 16},
            {"width": "16", "blocks": 1},
        ),
        *(
            {"width": 16, "blocks": 1, "depth": 2},
            {"width": 16, "blocks": True},
            [16, 1],
            None,
            7,
        ),
        {"width": 16, "blocks": 1, "games": 1},
    ],
    ids=str,
)
def test_a_shape_is_held_against_the_tensors_before_anything_is_made_of_it(path: Path, shape):
    tensors, content = load_file(path), policy_metadata(path)
    save_file(tensors, path, {**content, "shape": json.dumps(shape)})
    with pytest.raises(ValueError, match="do not fit its shape") as refused:
        read_policy(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_policy_from_before_there_were_digests_plays(actor: Actor, path: Path, decisions):
    save_file(load_file(path), path, {**policy_metadata(path), "shape": '{"width": 16, "blocks": 1}'})
    assert np.array_equal(LearnedPolicy(path).act(batch(decisions)), LearnedPolicy(actor).act(batch(decisions)))


def test_a_folder_is_no_policy(tmp_path: Path):
    with pytest.raises(ValueError, match="a folder"):
        read_policy(tmp_path)


def test_what_is_no_policy_is_refused(path: Path, tmp_path: Path):
    whole = path.read_bytes()
    for damaged in (b"", whole[:500], whole[:-3], b"nonsense" * 9):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="damaged"):
            read_policy(path)
    with pytest.raises(FileNotFoundError, match="no such policy"):
        read_policy(tmp_path / "none.safetensors")
