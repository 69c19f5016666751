"""One environment for each learning library, since their pins conflict: ``nox -s pipelines`` runs all of them.

A session installs its pinned versions, runs the tests of its adapter and then its example, which is the real run, and
notes the outcome. ``pipelines`` prints the notes as a table and writes it to docs/pipelines.md.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import NamedTuple

import nox

nox.options.sessions = ["pipelines"]
nox.options.default_venv_backend = "venv"
ROOT = Path(__file__).resolve().parent
NOTES = ROOT / ".nox" / "notes"
TORCH = "torch==2.13.0"
PAGE = ROOT / "docs" / "pipelines.md"
START, STOP = "<!-- pipelines: table -->", "<!-- end pipelines: table -->"


class Pipeline(NamedTuple):
    """What a session installs and runs.

    Attributes:
        title: the library; shown: the distributions whose versions the table gives.
        tests, example: of its adapter; the example is the real run.
        torch: it is installed first, and alone, so that nothing else chooses its build.
    """

    title: str
    shown: tuple[str, ...]
    tests: str
    example: str
    torch: bool


PIPELINES = {
    "gymnasium": Pipeline(
        "Gymnasium", ("gymnasium",), "tests/adapters/test_gymnasium.py", "examples/gymnasium_vector.py", False
    ),
    "video": Pipeline(
        "Video (moviepy)", ("moviepy", "gymnasium"), "tests/adapters/test_video.py", "examples/record_video.py", False
    ),
    "sb3": Pipeline(
        "SB3-contrib", ("sb3-contrib", "torch"), "tests/adapters/test_sb3.py", "examples/sb3_maskable_ppo.py", True
    ),
    "torchrl": Pipeline(
        "TorchRL", ("torchrl", "tensordict", "torch"), "tests/adapters/test_torchrl.py", "examples/torchrl_ppo.py", True
    ),
}


def requirements(name: str, end: str) -> Path:
    return ROOT / "requirements" / f"{name}-{end}.txt"


ENDS = [(name, end) for name in PIPELINES for end in ("newest", "lowest") if requirements(name, end).exists()]


def run(session: nox.Session, name: str, end: str) -> None:
    """Install, test and run one pipeline, and note how it went, also where it fails."""
    pipeline = PIPELINES[name]
    note = NOTES / f"{name}-{end}.json"
    note.parent.mkdir(parents=True, exist_ok=True)
    start = time.time()
    stage, versions, status = "cannot be installed", "", "passes"
    last = ""
    try:
        if pipeline.torch:
            session.install(TORCH)
        session.install("pytest", "hypothesis", "-r", str(requirements(name, end)), "-e", ".")
        versions = ", ".join(f"{what} {version(session, what)}" for what in pipeline.shown)
        stage = "fails its tests"
        session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", pipeline.tests)
        stage = "fails its real run"
        printed = session.run("python", pipeline.example, silent=True, env={"PYTHONPATH": str(ROOT)})
        last = str(printed).strip().splitlines()[-1]
        session.log(last)
    except nox.command.CommandFailed as error:
        status = f"{stage}: {error.reason or 'see the output of its session'}"
        raise
    finally:
        row = [f"{pipeline.title} ({end})", versions, f"`{pipeline.example}`: {last}", status, time.time() - start]
        note.write_text(json.dumps(row))


def version(session: nox.Session, distribution: str) -> str:
    code = f"from importlib.metadata import version; print(version({distribution!r}))"
    return str(session.run("python", "-c", code, silent=True)).strip()


@nox.session
@nox.parametrize("end", [nox.param(end, id=end) for end in ("newest", "lowest")])
def gymnasium(session: nox.Session, end: str) -> None:
    """The Gymnasium faces."""
    run(session, "gymnasium", end)


@nox.session
@nox.parametrize("end", [nox.param("newest", id="newest")])
def video(session: nox.Session, end: str) -> None:
    """Gymnasium's and PettingZoo's recording wrappers; apart, since moviepy 2.2 wants pillow below 12."""
    run(session, "video", end)


@nox.session
@nox.parametrize("end", [nox.param("newest", id="newest")])
def sb3(session: nox.Session, end: str) -> None:
    """sb3-contrib's MaskablePPO."""
    run(session, "sb3", end)


@nox.session
@nox.parametrize("end", [nox.param("newest", id="newest")])
def torchrl(session: nox.Session, end: str) -> None:
    """TorchRL's wrapper and PPO loss."""
    run(session, "torchrl", end)


@nox.session
def ray(session: nox.Session) -> None:
    """Playing in a Ray cluster: two nodes that are started on this machine."""
    session.install(TORCH)
    session.install("pytest", "hypothesis", "-c", str(ROOT / "constraints.txt"), "-e", ".[train,ray]")
    session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_ray.py")


@nox.session(venv_backend="none")
def pipelines(session: nox.Session) -> None:
    """All of them, one after the other, each to its end; then the table."""
    NOTES.mkdir(parents=True, exist_ok=True)
    for name, end in ENDS:
        (NOTES / f"{name}-{end}.json").unlink(missing_ok=True)
        session.run(
            sys.executable, "-m", "nox", "-s", f"{name}({end})", *session.posargs, external=True, success_codes=[0, 1]
        )
    rows = [json.loads((NOTES / f"{name}-{end}.json").read_text()) for name, end in ENDS]
    lines = ["| pipeline | versions | real run | status |", "| --- | --- | --- | --- |"]
    lines += [f"| {title} | {versions} | {ran} | {status} |" for title, versions, ran, status, _ in rows]
    print("\n".join(lines))  # noqa: T201
    page = PAGE.read_text()
    pattern = re.compile(f"{re.escape(START)}.*?{re.escape(STOP)}", re.DOTALL)
    table = "\n".join([START, *lines, STOP])
    written = PAGE.with_suffix(".new")
    written.write_text(pattern.sub(lambda _: table, page))
    written.replace(PAGE)
    failed = [title for title, _, _, status, _ in rows if status != "passes"]
    if failed:
        session.error(f"not all pass: {', '.join(failed)}")
