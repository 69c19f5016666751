"""The table of libraries: a download that failed is no property of a library."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def noxfile(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of noxfile.py, without nox, which is not among what the tests need."""
    nox = ModuleType("nox")
    nox.options = SimpleNamespace()  # type: ignore[attr-defined]
    nox.session = lambda function=None, **_: function or (lambda given: given)  # type: ignore[attr-defined]
    nox.parametrize = lambda *_: lambda given: given  # type: ignore[attr-defined]
    nox.param = lambda *_, **__: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nox", nox)
    return runpy.run_path(str(ROOT / "noxfile.py"))


@pytest.mark.parametrize(
    "line",
    [
        "urllib.error.URLError: <urlopen error [Errno -2] Name or service not known>",
        "ERROR: Could not find a version: NewConnectionError(…): Temporary failure in name resolution",
        "requests.exceptions.ReadTimeout: HTTPSConnectionPool(…): Read timed out.",
        "ConnectionResetError: [Errno 104] Connection reset by peer",
    ],
)
def test_a_failed_download_is_told_as_one(noxfile: dict[str, Any], tmp_path: Path, line: str) -> None:
    (tmp_path / "log").write_text(f"Collecting x\n{line}\nerror: subprocess-exited-with-error\n")
    report = noxfile["complaint"](tmp_path / "log")
    assert "download" in report
    assert not noxfile["OFFLINE"].search(report)
    (tmp_path / "log").write_text("Collecting x\nERROR: ResolutionImpossible: x wants numpy<2\n")
    assert "numpy<2" in noxfile["complaint"](tmp_path / "log")


def test_no_page_gives_a_failed_download_as_a_reason(noxfile: dict[str, Any]) -> None:
    for page in (ROOT / "docs").glob("*.md"):
        assert not noxfile["OFFLINE"].search(page.read_text()), page.name
