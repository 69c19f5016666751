"""The ablation of training: every way is what its name says, and a run is made once."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from experiments import ablation
from experiments.ablation import VARIANTS, command_of, main, table
from train.config.base import RunConfig, flat, with_settings
from train.config.presets import PRESETS
from train.run.command import parse
from train.run.log import EVALUATION_BOTS

CHANGED = {
    "no teacher": {"bc.fraction": 0.0, "bc.logit_scale": 1.0},
    "not sharpened": {"bc.logit_scale": 1.0},
    "no bots as opponents": {"bots.names": (), "bots.share": 0.0},
    "no earlier copies as opponents": {"pool.share": 0.0},
    "critic without the hidden hands": {"ppo.privileged_critic": False},
}
"""Settings of self-play that differ from the recipe's."""
GIVEN = ("minutes", "seed", "threads", "eval.final_pairs", "eval.every")
"""What every command gives."""


def settings(name: str) -> RunConfig:
    variant = VARIANTS[name]
    words = command_of(variant, 3.0, 2, 1, 100, Path("x"))
    assert words[:2] == ["-m", variant.module]
    return parse(words[2:], importlib.import_module(variant.module).PRESETS)[0]


@pytest.mark.parametrize("name", VARIANTS)
def test_a_way_differs_from_the_recipe_in_what_its_name_says(name: str) -> None:
    config = settings(name)
    assert (config.minutes, config.seed, config.threads, config.eval.final_pairs) == (3.0, 2, 1, 100)
    assert config.eval.every > 60 * 3
    if name in CHANGED:
        assert config == with_settings(settings("the recipe"), CHANGED[name])
    if name == "the recipe":
        assert config == with_settings(PRESETS["two-cores"], {name: flat(config)[name] for name in (*GIVEN, "out")})


def test_a_run_is_made_once_and_other_minutes_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a"
    words = ["--minutes", "0.001", "--seeds", "1", "--threads", "1", "--pairs", "8", "--only", "imitation alone"]
    main([*words, "--out", str(out)])
    result = json.loads((out / "results.json").read_text())
    [run] = result["ways"]["imitation alone"]
    assert run["seed"] == 1
    assert run["matches"]["greedy"]["pairs"] == 8
    assert run["matches"]["greedy"]["low"] < run["matches"]["greedy"]["margin"] < run["matches"]["greedy"]["high"]
    made = (out / "runs" / "imitation_alone-1" / "results.json").stat().st_mtime_ns
    capsys.readouterr()
    main([*words, "--out", str(out)])
    assert (out / "runs" / "imitation_alone-1" / "results.json").stat().st_mtime_ns == made
    assert "| imitation alone |" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--minutes", "2", *words[2:], "--out", str(out)])
    assert "0.001 minutes" in capsys.readouterr().err


def test_a_run_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ablation, "command_of", lambda *_: ["-c", "raise SystemExit(3)"])
    with pytest.raises(SystemExit) as left:
        main(["--only", "the recipe", "--out", str(tmp_path)])
    assert left.value.code == 2
    assert not (tmp_path / "results.json").exists()


def test_the_table_shows_each_seed_and_the_wider_interval() -> None:
    def run(margin: float, half: float) -> dict:
        match = {"margin": margin, "low": margin - half, "high": margin + half, "pairs": 9}
        return {"seed": 1, "decisions": 1_200_000, "matches": dict.fromkeys(EVALUATION_BOTS, match)}

    lines = table({"a": [run(3.0, 1.0), run(-2.0, 1.5)]}).splitlines()
    assert lines[2].startswith("| a | 1.2, 1.2 | +3.0, -2.0 ± 1.5 |")
