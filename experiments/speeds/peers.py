"""The peers: other card environments. Each has its own virtual environment, made here from the pinned versions in
``experiments/peers/NAME.txt``, in which ``experiments/peers/NAME_driver.py`` runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from persian_rummy_env.system.files import write_whole

from ..shared.timing import cores
from .startup import ROOT

PINS = ROOT / "experiments" / "peers"
PEERS = tuple(sorted(path.stem for path in PINS.glob("*.txt")))
MINUTES_TO_INSTALL = 20
MINUTES_TO_RUN = 20


class PeerFailed(RuntimeError):  # noqa: N818  a finding, not an error of this program
    """A peer could not be installed or run; the message is the reason."""


def default_folder() -> Path:
    """The default folder of the peers' virtual environments."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "persian-rummy" / "peers"


def _called(command: list[str], minutes: float, what: str, **options: Any) -> None:
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60 * minutes, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerFailed(f"{what}: {error}") from error
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if "ERROR" in line or "Error" in line] or lines
        raise PeerFailed(f"{what}: {errors[-1] if errors else f'exit status {done.returncode}'}")


def prepared(name: str, folder: Path) -> Path:
    """The Python of a peer's virtual environment, which is installed if it is missing or has other versions."""
    pins = (PINS / f"{name}.txt").read_text()
    home = folder / name
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    installed = home / "installed.txt"  # written last, so that an incomplete environment is made again
    if python.exists() and installed.exists() and installed.read_text() == pins:
        return python
    try:
        venv.create(home, clear=True, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise PeerFailed(f"no virtual environment: {error}") from error
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _called([*pip, "-r", str(PINS / f"{name}.txt")], MINUTES_TO_INSTALL, "not installed")
    write_whole(installed, pins)
    return python


def measured(name: str, python: Path, runs: int, seconds: float) -> dict[str, Any]:
    """Run a peer's driver on one core and return its figures."""
    with tempfile.TemporaryDirectory() as scratch, cores(1):
        out = Path(scratch) / "figures.json"
        command = [str(python), "-m", f"experiments.peers.{name}_driver"]
        options = ["--runs", str(runs), "--seconds", str(seconds), "--out", str(out)]
        _called([*command, *options], MINUTES_TO_RUN, "did not run", cwd=ROOT)
        return json.loads(out.read_text())


def peer_figures(names: tuple[str, ...], folder: Path, runs: int, seconds: float) -> dict[str, Any]:
    """The figures of the peers; for a peer that does not install or run, the reason under ``failed``."""
    found: dict[str, Any] = {}
    for name in names:
        print(f"peer {name} …", flush=True)
        try:
            found[name] = measured(name, prepared(name, folder), runs, seconds)
        except PeerFailed as error:
            print(f"peer {name}: {error}", flush=True)
            found[name] = {"failed": str(error)}
    return found
