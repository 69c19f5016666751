"""Blocks of the pages that need a library of their own run in the session that has it (``nox -s pipelines``)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.documents import ROOT, Block, all_blocks

OWN = {"rllib": "tests/adapters/test_rllib.py"}
"""Pages that the test of the library runs, since it starts a cluster first."""
BLOCKS = [block for block in all_blocks() if block.needs and block.needs not in OWN]
MODULES = {
    "sb3": "sb3_contrib",
    "rllib": "ray.rllib",
    "openspiel": "pyspiel",
    "video": "moviepy",
    "inspect": "inspect_ai",
}
"""By the name of a pipeline: the module, where its name is another."""


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_a_block_runs_as_it_stands(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(MODULES.get(block.needs, block.needs), exc_type=ImportError)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    exec(compile(block.code, block.name, "exec"), {"__name__": "__main__"})


def test_the_other_pages_run_elsewhere() -> None:
    for needs, file in OWN.items():
        assert f'run_page("{needs}.md")' in (ROOT / file).read_text(encoding="utf-8")
