"""TRL: GRPO with a tiny model, whose answers policies write from the text of the conversation alone."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="TRL is not installed: nox -s trl")

import torch

from examples.trl_grpo import make_trainer
from persian_rummy_env.adapters.trl import PersianRummyTools
from tests.adapters.text_games import SECRET, TOOLS, aec_margin

pytestmark = pytest.mark.filterwarnings("ignore")  # the library's own


def trained(names: list[str], seeds: list[int], folder: Path, **settings: Any) -> tuple[Any, list[list[float]], Any]:
    """A trainer after its steps, the rewards of its rollouts step by step, and its weights before."""
    rewards: list[float] = []

    class Kept(PersianRummyTools):
        def get_reward(self) -> float:
            rewards.append(super().get_reward())
            return rewards[-1]

    trainer = make_trainer(names, seeds, str(folder), functools.partial(Kept, **settings))
    before = trainer.model.lm_head.weight.detach().clone()
    trainer.train()
    return trainer, [rewards[at : at + len(names)] for at in range(0, len(rewards), len(names))], before


def test_a_step_learns_from_deals_that_pay_what_the_aec_environment_pays(tmp_path: Path) -> None:
    trainer, [paid], before = trained(["champion", "greedy"], [2], tmp_path)
    expected = [aec_margin([name, "expert", "expert", "expert"], 2) / 100 for name in ("champion", "greedy")]
    assert paid == expected
    assert expected[0] != expected[1]  # else nothing is learned
    log = next(log for log in trainer.state.log_history if "reward" in log)
    assert log["reward"] == pytest.approx(sum(expected) / 2)
    assert log["tools/failure_frequency"] == 0
    assert log["tools/call_frequency"] > 5
    assert set(trainer._sync_tool_dicts[0]) == TOOLS
    assert torch.isfinite(trainer.model.lm_head.weight).all()
    assert not torch.equal(trainer.model.lm_head.weight, before)


def test_rollouts_of_a_group_play_one_deal_and_its_seed_is_in_no_text(tmp_path: Path) -> None:
    trainer, groups, _ = trained(["greedy", "greedy"], [SECRET % 2**62, 5], tmp_path, partner="greedy")
    assert all(one == other for one, other in groups)
    assert groups[0] != groups[1]
    texts = [str(text) for column in ("prompt", "completion") for text in trainer._logs[column]]
    assert texts
    assert not any(str(SECRET % 2**62) in text for text in texts)
