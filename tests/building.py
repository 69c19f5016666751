"""Building what is published, and environments that hold it and its dependencies alone, without a network."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]


def project() -> dict[str, Any]:
    """The table ``project`` of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def build(kind: str, folder: Path, source: Path = ROOT) -> Path:
    """The ``wheel`` or ``sdist`` of a source tree, built into a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder]
    subprocess.run(command, cwd=source, check=True, timeout=300, capture_output=True)
    [built] = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


def required(names: list[str]) -> Iterator[metadata.Distribution]:
    """Each distribution that requirements bring along, once."""
    seen: set[str] = set()
    while names:
        requirement = Requirement(names.pop())
        if requirement.name.lower() in seen or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        seen.add(requirement.name.lower())
        distribution = metadata.distribution(requirement.name)
        names += distribution.requires or []
        yield distribution


def environment_with(wheel: Path, folder: Path) -> Path:
    """The interpreter of a new environment with the wheel installed. Of what the tests run with, it has links to the
    dependencies that the wheel declares, and to nothing else."""
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-index", "--no-deps", wheel], check=True, timeout=300)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.run([python, "-c", where], check=True, capture_output=True, text=True).stdout.strip())
    for distribution in required(list(project()["dependencies"])):
        tops = {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}
        for top in sorted(tops):
            (site / top).symlink_to(Path(str(distribution.locate_file(top))).resolve())
    return python
