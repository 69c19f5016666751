"""What the tests of faults in training share: a tiny run, and what a refusal has to be."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

TINY = [
    *(
        "--preset",
        "scratch",
        "--deals",
        "4",
        "--network.width",
        "8",
        "--network.blocks",
        "1",
        "--optim.minibatch",
        "64",
        "--threads",
        "1",
    ),
    *("--eval.pairs", "2", "--eval.final-pairs", "2", "--eval.every", "1", "--save-every", "1", "--seed", "3"),
]


def one_line_of(call: Callable[[], object], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says as it refuses: one line, and an exit status other than 0."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        call()
    assert left.value.code not in (0, None)
    printed = capsys.readouterr().err
    lines = [line for line in printed.splitlines() if not line.startswith("persian_rummy_env: compil")]
    assert len(lines) == 1, printed
    assert lines[0].startswith("error: ")
    assert "Traceback" not in printed
    assert len(lines[0]) < 1000
    assert not re.search(r"[\x00-\x1f\x7f]", lines[0])
    return lines[0]


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a folder, those of TensorBoard not among them."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
