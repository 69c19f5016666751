"""The calibration of values: groups by value, their means, and the result that the card prints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from experiments.networks import calibration
from experiments.shared.result_file import read_result
from experiments.tables import networks
from persian_rummy_env.players.bundled import BUNDLED
from persian_rummy_env.players.critic_file import critic_path, sha256_of


def test_groups_find_values_that_are_shifted_or_too_far_apart() -> None:
    rng = np.random.default_rng(1)
    value = rng.normal(0, 50, 40_000)
    margin = value + rng.normal(0, 60, len(value))
    found = calibration.quality(value, margin)
    assert found["largest difference"] < 4
    assert abs(found["explained"] - 50**2 / (50**2 + 60**2)) < 0.02
    assert [row["value"] for row in found["groups"]] == sorted(row["value"] for row in found["groups"])
    shifted = calibration.quality(value + 8, margin)["groups"]
    assert all(4 < row["value"] - row["margin"] < 12 for row in shifted)
    wide = calibration.quality(1.5 * value, margin)["groups"]
    assert wide[0]["value"] < wide[0]["low"] - 10
    assert wide[-1]["value"] > wide[-1]["high"] + 10


def test_the_command_writes_what_the_card_prints(tmp_path: Path) -> None:
    out = tmp_path / "calibration.json"
    assert calibration.main(["--positions", "40", "--worlds", "2", "--out", str(out)]) == 0
    result = json.loads(out.read_text())
    assert [len(result[name]["groups"]) for name in ("full record", "what the seat sees")] == [10, 10]
    assert result["full record"]["groups"] != result["what the seat sees"]["groups"]
    tables = networks.calibration_tables(result)
    assert len(tables["bundled: calibration"].splitlines()) == 12
    assert "40 positions, 2 worlds" in tables["bundled: calibration run"]


def test_the_result_is_of_the_critic_that_is_bundled() -> None:
    result = read_result(calibration.RESULT)
    assert result["critic"] == sha256_of(critic_path(BUNDLED[result["policy"]]))


@pytest.mark.parametrize("words", [["--policy", "expert"], ["--positions", "19"], ["--worlds", "0"]])
def test_wrong_arguments_are_refused(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        calibration.main([*words, "--out", str(tmp_path / "a.json")])
    assert words[1] in capsys.readouterr().err
