"""The gate of continuous integration: the quick preset, small, learns what it should."""

from pathlib import Path

import pytest

from train.run import log
from train.selfplay import main

UPDATES = 16
"""In place of 60 seconds, because a machine of continuous integration may be busy: some 400,000 decisions, less than
a fifth of what the quick preset makes in 60 seconds on two cores that do nothing else. The schedule is of that length.
"""


def test_a_minute_of_the_quick_preset_beats_random_and_greedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    out = tmp_path / "gate"
    words = ["--preset", "quick", "--updates", str(UPDATES), "--seed", "1", "--eval.every", str(UPDATES)]
    assert main([*words, "--eval.pairs", "300", "--eval.final-pairs", "1", "--out", str(out)]) == 0
    last = log.read(out / log.FILE)[-1]
    assert float(last["margin_random"]) > 110
    assert float(last["margin_greedy"]) > 0
