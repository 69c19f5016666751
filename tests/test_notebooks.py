"""The notebooks: stored without outputs, and run from top to bottom where nbclient is (``nox -s notebooks``)."""

from __future__ import annotations

import ast
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def cells_of(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in cells_of(path) if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_small_and_without_outputs(path: Path) -> None:
    cells = cells_of(path)
    assert cells[0]["cell_type"] == "markdown"
    assert len(cells) <= 16
    for cell in cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_imports_names_of_today(path: Path) -> None:
    for source in sources(path):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("persian_rummy_env"):
                module = importlib.import_module(node.module or "")
                for alias in node.names:
                    assert hasattr(module, alias.name) or importlib.import_module(f"{node.module}.{alias.name}")


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
@pytest.mark.filterwarnings("default")
def test_a_notebook_runs(path: Path) -> None:
    """Every cell that prints or draws shows something."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=900, resources={"metadata": {"path": str(path.parent)}}).execute()
    for cell in book.cells:
        last = cell.source.rstrip().splitlines()[-1]
        if cell.cell_type == "code" and ("print(" in cell.source or last.startswith("SVG(")):
            assert cell.outputs, cell.source
