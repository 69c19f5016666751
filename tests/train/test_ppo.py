"""One update: what it changes, when the actor rests, and that parts add up to the whole."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import train.algorithms.ppo
import train.data.rollout
from agents.inputs import DenseInputs, inputs_on
from agents.learned import policy_bytes
from agents.network import Actor
from persian_rummy_env.players.inputs import SparseInputs
from tests.train.playing import played
from train.algorithms.ppo import Learner
from train.config.base import with_settings
from train.config.ppo import Config
from train.data.rollout import Rollout
from train.scale.shards import Shards

CPU = torch.device("cpu")
CONFIG = with_settings(Config(), {"deals": 24, "threads": 2, "network.width": 32, "optim.minibatch": 256, "seed": 3})


def learner_and_rollout(config: Config) -> tuple[Learner, Rollout]:
    learner = Learner(config, CPU, Shards(config.threads))
    torch.nn.init.normal_(learner.actor.last.weight, std=0.1)
    return learner, played(config, learner.players)


def weights(learner: Learner, name: str) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in getattr(learner, name).parameters()]).clone()


@pytest.mark.parametrize("suits", ["none", "per_seat"])
def test_the_first_ratios_are_one(suits: str):
    learner, rollout = learner_and_rollout(with_settings(CONFIG, {"suit_permutation": suits}))
    assert learner.update(rollout, 0.0)["ratio_error"] < 1e-5


def test_a_log_probability_without_its_mask_would_show():
    learner, rollout = learner_and_rollout(CONFIG)
    rows = inputs_on(CPU, rollout.view, rollout.legal)
    everything = np.full_like(rollout.legal, np.uint64(2**64 - 1))
    everything[:, -1] = np.uint64(2**35 - 1)
    unmasked = inputs_on(CPU, rollout.view, everything)
    ratios = [
        torch.exp(learner.actor.evaluate(given, rollout.action)[0].detach() - torch.from_numpy(rollout.log_p))
        for given in (rows, unmasked)
    ]
    assert (ratios[0] - 1).abs().max() < 1e-5
    assert (ratios[1] - 1).abs().min() > 0.5


def test_what_was_good_becomes_likelier():
    learner, rollout = learner_and_rollout(CONFIG)
    good = np.random.default_rng(1).random(len(rollout)) < 0.5
    rollout.advantage = np.where(good, 1.0, -1.0).astype(np.float32)
    for _ in range(3):
        learner.update(rollout, 0.0)
    after = learner.actor.evaluate(inputs_on(CPU, rollout.view, rollout.legal), rollout.action)[0].detach().numpy()
    change = after - rollout.log_p
    assert change[good].mean() > 0.01 > -0.01 > change[~good].mean()


def test_the_critic_learns_its_target():
    learner, rollout = learner_and_rollout(with_settings(CONFIG, {"optim.lr": (3e-3, 3e-3)}))
    losses = [learner.update(rollout, 0.0)["value_loss"] for _ in range(8)]
    assert losses[-1] < 0.7 * losses[0]


def test_the_critic_has_a_width_of_its_own():
    learner, rollout = learner_and_rollout(with_settings(CONFIG, {"ppo.critic_width": 16}))
    learner.update(rollout, 0.0)
    assert (learner.actor.shape.width, learner.critic.last.in_features) == (32, 16)
    other = Learner(learner.config, CPU, Shards(1))
    assert not torch.equal(weights(other, "critic"), weights(learner, "critic"))
    other.restore(*learner.state())
    assert torch.equal(weights(other, "critic"), weights(learner, "critic"))


def test_a_rule_that_pays_is_found():
    """A bandit on the views of one batch: the legal action of the lowest id pays. Drawn and learnt anew each update."""
    learner, rollout = learner_and_rollout(with_settings(CONFIG, {"ppo.entropy": (0.0, 0.0), "optim.lr": (3e-3, 3e-3)}))
    rows = inputs_on(CPU, rollout.view, rollout.legal)
    assert isinstance(rows, SparseInputs)
    lowest, rng = rows.actions[:, 0], np.random.default_rng(2)
    before = (rollout.action == lowest).mean()
    for _ in range(12):
        rollout.action, rollout.log_p = learner.actor.choose(rows, rng.random(len(rollout)))
        rollout.advantage = (rollout.action == lowest).astype(np.float32)
        learner.update(rollout, 0.0)
    assert before < 0.5
    assert (learner.actor.choose(rows, None)[0] == lowest).mean() > 0.9


def test_the_actor_rests_once_it_has_drifted():
    learner, rollout = learner_and_rollout(with_settings(CONFIG, {"ppo.target_kl": 1e-9}))
    before = weights(learner, "actor"), weights(learner, "critic")
    logged = learner.update(rollout, 0.0)
    assert logged["rested"] == 1
    state = learner.optimizers["actor"].state_dict()["state"][0]
    whole = learner.optimizers["critic"].state_dict()["state"][0]
    assert state["step"] < whole["step"]
    assert not torch.equal(before[0], weights(learner, "actor"))
    assert learner_and_rollout(with_settings(CONFIG, {"ppo.target_kl": 0.0}))[0].update(rollout, 0.0)["rested"] == 0


def test_schedules_run_from_start_to_end():
    learner, rollout = learner_and_rollout(
        with_settings(CONFIG, {"optim.lr": (1e-3, 1e-4), "ppo.entropy": (0.02, 0.0)})
    )
    start, middle, end = (learner.update(rollout, progress) for progress in (0.0, 0.5, 1.0))
    assert (start["lr"], start["entropy_weight"]) == (1e-3, 0.02)
    assert middle["lr"] == pytest.approx(5.5e-4)
    assert (end["lr"], end["entropy_weight"]) == (pytest.approx(1e-4), 0.0)
    assert learner.optimizers["actor"].param_groups[0]["lr"] == end["lr"]


def test_parts_add_up_to_the_whole():
    """The same rollout learnt by one thread and by three: the same step, but for rounding."""
    _, rollout = learner_and_rollout(CONFIG)
    learners = [
        Learner(with_settings(CONFIG, {"threads": threads, "optim.epochs": 1}), CPU, Shards(threads))
        for threads in (1, 3)
    ]
    logs = [learner.update(rollout, 0.0) for learner in learners]
    for name in ("actor", "critic"):
        one, three = (weights(learner, name) for learner in learners)
        assert (one - three).abs().max() < 2e-4 < (one - weights(Learner(CONFIG, CPU, Shards(1)), name)).abs().max()
    for name in ("policy_loss", "kl", "entropy", "value_loss", "clipped"):
        assert logs[0][name] == pytest.approx(logs[1][name], abs=2e-3)


def test_the_dense_form_plays_and_learns_alike(monkeypatch: pytest.MonkeyPatch):
    """What a GPU does, here: tensors in place of lists, the same decisions and the same step but for rounding."""
    results = []
    for form in (SparseInputs, DenseInputs):
        for module in (train.data.rollout, train.algorithms.ppo):
            monkeypatch.setattr(module, "inputs_on", lambda _, view, legal, *__, form=form: form.of(view, legal))
        learner, rollout = learner_and_rollout(with_settings(CONFIG, {"optim.epochs": 1}))
        results.append((rollout, learner.update(rollout, 0.0), weights(learner, "actor"), weights(learner, "critic")))
    (sparse, *own), (dense, *other) = results
    assert np.array_equal(sparse.action, dense.action)
    assert np.allclose(sparse.advantage, dense.advantage, atol=1e-4)
    assert own[0] == pytest.approx(other[0], abs=2e-3)
    assert (own[1] - other[1]).abs().max() < 2e-4
    assert (own[2] - other[2]).abs().max() < 2e-4


@pytest.mark.gpu
def test_a_gpu_plays_and_learns():
    device = torch.device("cuda")
    learner = Learner(replace(CONFIG, device="cuda", precision="bf16"), device, Shards(1))
    logged = [learner.update(played(CONFIG, learner.players, device="cuda"), 0.0) for _ in range(2)]
    assert all(np.isfinite(value) for row in logged for value in row.values())


def test_bf16_learns_too():
    learner, rollout = learner_and_rollout(replace(CONFIG, precision="bf16"))
    logged = learner.update(rollout, 0.0)
    assert all(np.isfinite(value) for value in logged.values())
    assert logged["ratio_error"] < 0.05


def test_logits_of_a_start_are_scaled(tmp_path: Path):
    """The order of the choices stays, and the odds of two of them are raised to that power."""
    given = tmp_path / "policy.safetensors"
    torch.manual_seed(5)
    start = Actor(CONFIG.shape)
    torch.nn.init.normal_(start.last.weight, std=0.3)
    given.write_bytes(policy_bytes(start, {}))
    learner = Learner(
        with_settings(CONFIG, {"init_from": given, "bc.logit_scale": 3.0}), torch.device("cpu"), Shards(1)
    )
    learner.begin_as(given)
    plain, sharp = (actor.last(torch.ones(1, CONFIG.network.width)).detach()[0] for actor in (start, learner.actor))
    assert torch.allclose(sharp - sharp[0], 3 * (plain - plain[0]), atol=1e-4)
