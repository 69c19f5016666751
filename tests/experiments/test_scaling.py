"""The page on scaling: its tables are made from the results, and its arithmetic holds."""

from __future__ import annotations

from typing import Any

import pytest

from experiments import scaling
from experiments.shared.timing import figure
from experiments.tables import scaling as tables


def made_up() -> dict[str, Any]:
    def one(value: float) -> dict[str, Any]:
        return figure([value], "decisions/s")

    def ranks(value: float) -> dict[str, Any]:
        return {name: one(value) for name in ("collect", "learn", "both")}

    return {
        "command": "python -m experiments.scaling",
        "date": "2026-01-02",
        "commit": "abc",
        "machine": {"cpu": "a processor", "cores": 2, "load_before": 0.1},
        "versions": {"numpy": "2.0"},
        "collecting": {"threads:1": one(50e3), "threads:2": one(95e3), "ray:1": one(48e3), "ray:2": one(90e3)},
        "learning": {"ranks:1": ranks(12e3), "ranks:2": ranks(21e3)},
        "costs": {
            "kept share": 0.6,
            "packed bytes": 200.0,
            "plain bytes": 1300.0,
            "weight bytes": {"actor": 2_000_000, "critic": 1_000_000},
            "minibatches": 20,
            "kept of an update": 10_000,
            "microseconds": {
                name: one(us) for name, us in zip(("collect", "pack", "unpack", "learn"), (18, 2, 1, 100), strict=True)
            },
        },
    }


def test_ratios_and_limits_by_hand() -> None:
    """A worker: 20 µs a decision, 50,000/s. Learning 100 µs: 10,000/s, a fifth of a worker. Unpacking 1 µs: 1 M/s, 20
    workers. 10 Gbit/s are 1.25 GB/s, of 200 bytes 6.25 M/s, 125 workers. A minibatch: 100 µs times 10,000 by 20, 50 ms.
    Gradients: 6 MB there and back, 4.8 ms, so 10 ranks."""
    made = tables.tables(made_up())
    assert "| 2 | 95.0 k (95.0 k–95.0 k) | 1.90 × | 90.0 k (90.0 k–90.0 k) | 1.88 × |" in made["scaling: collecting"]
    assert "| 2 | 21.0 k (21.0 k–21.0 k) |" in made["scaling: learning"]
    assert "1.75 ×" in made["scaling: learning"]
    for line in (
        "| one worker | 50.0 k/s | 1.00 |",
        "| a learner of one core, as it learns | 10.0 k/s | 0.20 |",
        "| a learner of one core, as it unpacks | 1.00 M/s | 20.0 |",
        "| 10 Gbit/s into the learner | 6.25 M/s | 125 |",
        "a minibatch is 50 ms of one core, and 6.0 MB",
        "4.8 ms at 10 Gbit/s",
        "at 10 ranks of one core",
    ):
        assert line in made["scaling: limits"], line
    assert "| weights of actor and critic | 3.0 MB |" in made["scaling: costs"]


@pytest.mark.parametrize("words", [["--workers", "0"], ["--workers", "100000"], ["--runs", "0"], ["--deals", "1"]])
def test_nonsense_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        scaling.main(["--workers", "1", *words])
    assert refused.value.code == 2
    assert f"{words[0]} {words[1]}" in capsys.readouterr().err.replace("[", "").replace("]", "")
