"""What a training command refuses, it refuses in one line that names the setting."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

REFUSED = [
    ("train.selfplay", ["--seed", "-1"], "seed=-1"),
    ("train.selfplay", ["--seed", str(2**64)], f"seed={2**64}"),
    ("train.selfplay", ["--seed", "x"], "--seed"),
    ("train.selfplay", ["--updates", "0"], "updates=0"),
    ("train.selfplay", ["--nonsense", "1"], "--nonsense"),
    ("train.selfplay", ["--episode", "match"], "match"),
    ("train.expert_iteration", ["--seed", "-1"], "seed=-1"),
    ("train.imitate", ["--seed", "-1"], "seed=-1"),
    ("train.dmc", ["--seed", "-1"], "seed=-1"),
    ("train.export", ["--format", "gguf"], "gguf"),
    ("train.fit_critic", ["champion", "--commit", "1a2b3c4", "--deals", "0"], "--deals 0"),
    ("train.fit_critic", ["nobody", "--commit", "1a2b3c4"], "nobody"),
    ("experiments.tune", ["--seed", "-1"], "seed=-1"),
    ("experiments.tune", ["--elite", "1"], "elite=1"),
]


@pytest.mark.parametrize(("command", "given", "named"), REFUSED, ids=lambda one: str(one)[:30])
def test_a_refused_setting_is_one_line(
    command: str, given: list[str], named: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [command, *given])
    main: Any = importlib.import_module(command).main
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("error: ")
    assert named in line
    assert not set(line) & set("│─╭╰")


def test_help_is_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["train.selfplay", "--help"])
    with pytest.raises(SystemExit) as left:
        importlib.import_module("train.selfplay").main()
    assert not left.value.code
    assert "--seed" in capsys.readouterr().out
