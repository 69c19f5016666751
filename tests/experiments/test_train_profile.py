"""Where training's time goes: every part is counted once, and nothing stays patched."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from agents.network import Actor
from experiments.train_profile import PARTS, Watch, main
from persian_rummy_env import PersianRummyVecEnv


def busy(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


@pytest.mark.perf
def test_time_goes_to_the_innermost_part() -> None:
    inner_part, outer_part = list(PARTS)[:2]
    watch = Watch()
    inner = watch.timed(inner_part, lambda: busy(0.02))

    def outer() -> None:
        busy(0.01)
        inner()
        busy(0.01)

    watch.timed(outer_part, outer)()
    assert 0.02 <= watch.seconds[inner_part] < 0.03
    assert 0.02 <= watch.seconds[outer_part] < 0.03
    assert sum(watch.seconds.values()) < 0.06


def test_the_parts_are_all_there_and_nothing_stays_patched(tmp_path: Path) -> None:
    before = PersianRummyVecEnv.step, Actor.choose
    main(["--updates", "1", "--deals", "8", "--preset", "scratch", "--out", str(tmp_path / "a.json")])
    assert (PersianRummyVecEnv.step, Actor.choose) == before
    result = json.loads((tmp_path / "a.json").read_text())
    for precision in ("fp32", "bf16"):
        assert set(result[precision]["microseconds"]) == set(PARTS)
        assert all(us > 0 for us in result[precision]["microseconds"].values())
