"""What needs environments of its own: the wheel on each Python, the suite from the sdist, and the learning libraries.

``nox -s wheel`` installs the wheel in an empty environment on each Python and runs tests/test_installed.py against it.
``nox -s suite`` runs the tests of the environment on each Python, ``nox -s sdist`` from the unpacked sdist. A Python
that this machine lacks is skipped; ``nox -s wheel-3.13`` asks for one. Arguments after ``--`` go to pytest.

Each learning library has an environment, since their pins conflict: ``nox -s pipelines`` runs all of them. A session
installs its pinned versions (``requirements/NAME-END.txt``), runs the tests of its adapter
(``tests/adapters/test_NAME*.py``) and then its examples (``examples/NAME_*.py``), which are the real run, and notes the
outcome. ``pipelines`` prints the notes as a table and writes it to docs/pipelines.md. To add a library, add a row to
``PIPELINES`` and these files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nox

nox.options.sessions = ["pipelines"]
nox.options.default_venv_backend = "venv"
ROOT = Path(__file__).resolve().parent
NOTES = ROOT / ".nox" / "notes"
DEVELOPING = ROOT / ".venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
"""The interpreter that ``make env`` makes, with the tests' own libraries."""
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
TORCH = "torch==2.13.0"
PAGE = ROOT / "docs" / "pipelines.md"
START, STOP = "<!-- pipelines: table -->", "<!-- end pipelines: table -->"
ENDS = ("newest", "lowest")
ENV_TESTS = ("-m", "not slow and not perf", "-n", "logical", "--maxprocesses", "8", "tests/env")
OFFLINE = re.compile(
    r"urlopen error|Name or service not known|name resolution|getaddrinfo|NewConnectionError|ConnectTimeout|"
    r"ReadTimeout|Connection(?: was)? (?:refused|reset|aborted)|Network is unreachable",
    re.IGNORECASE,
)
"""What a log has when this machine could not reach another."""


class Pipeline(NamedTuple):
    """What a session installs and runs.

    Attributes:
        title: the library; shown: the distributions whose versions are in the table.
        torch: install torch first and alone, so that no other package chooses its build.
        built: built from source and installed without what it asks for, after the requirements.
    """

    title: str
    shown: tuple[str, ...]
    torch: bool = True
    built: str = ""


PIPELINES = {
    "gymnasium": Pipeline("Gymnasium", ("gymnasium",), torch=False),
    "video": Pipeline("Video (moviepy)", ("moviepy", "gymnasium"), torch=False),
    "sb3": Pipeline("SB3-contrib", ("sb3-contrib", "torch")),
    "torchrl": Pipeline("TorchRL", ("torchrl", "tensordict", "torch")),
    "rllib": Pipeline("RLlib", ("ray", "gymnasium", "torch")),
    "openspiel": Pipeline("OpenSpiel", ("open-spiel",), torch=False),
    "tianshou": Pipeline("Tianshou", ("tianshou", "torch")),
    "agilerl": Pipeline("AgileRL", ("agilerl", "pettingzoo", "tensordict", "torch")),
    "mcp": Pipeline("MCP", ("mcp",), torch=False),
    "openenv": Pipeline("OpenEnv", ("openenv-core",), torch=False),
    "verifiers": Pipeline("verifiers", ("verifiers",), torch=False),
    "supersuit": Pipeline("SuperSuit", ("supersuit", "pettingzoo"), torch=False),
    "inspect": Pipeline("Inspect AI", ("inspect-ai",), torch=False),
    "trl": Pipeline("TRL", ("trl", "transformers", "torch")),
    "pufferlib": Pipeline("PufferLib", ("pufferlib", "torch"), built="pufferlib==3.0.0"),
}


def requirements(name: str, end: str) -> Path:
    return ROOT / "requirements" / f"{name}-{end}.txt"


def tests(name: str) -> list[str]:
    """The tests of an adapter, and the code of the pages, of which each block runs where its library is."""
    own = sorted(ROOT.glob(f"tests/adapters/test_{name}*.py"))
    return [*(str(path.relative_to(ROOT)) for path in own), "tests/adapters/test_pages.py"]


def examples(name: str) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob(f"examples/{name}_*.py"))]


def ends_of(name: str) -> list[str]:
    return [end for end in ENDS if requirements(name, end).exists()]


def run(session: nox.Session, name: str, end: str) -> None:
    """Install, test and run one pipeline, and write a note of the outcome, also of a failure."""
    pipeline = PIPELINES[name]
    NOTES.mkdir(parents=True, exist_ok=True)
    log = NOTES / f"{name}-{end}.log"
    stage, versions, status = "cannot be installed", "", "passes"
    ran: list[str] = []
    try:
        if pipeline.torch:
            session.install(TORCH, "setuptools", "wheel")
        # editables: pip adds it to an editable install, and uv does not.
        tools = ["pytest", "hypothesis", "editables"]
        logged(log, session.install, *tools, "-r", str(requirements(name, end)), "-e", ".")
        if pipeline.built:
            build(session, pipeline.built, log)
        versions = ", ".join(f"{what} {version(session, what)}" for what in pipeline.shown)
        stage = "fails its tests"
        logged(log, session.run, "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests(name))
        for example in examples(name):
            stage = f"fails its real run {example}"
            logged(log, session.run, "python", example, env={"PYTHONPATH": str(ROOT)})
            if not example.endswith("_speed.py"):  # what moves with the machine is no result
                ran.append(f"`{example}`: {log.read_text().strip().splitlines()[-1]}")
    except nox.command.CommandFailed:
        status = f"{stage}: {complaint(log)}"
        raise
    finally:
        row = [f"{pipeline.title} ({end})", versions, "<br>".join(ran), status]
        (NOTES / f"{name}-{end}.json").write_text(json.dumps(row))


def build(session: nox.Session, requirement: str, log: Path) -> None:
    """Build and install PufferLib without its games and its pins (docs/pufferlib.md).

    Its setup.py takes an nvcc on the path for a torch with CUDA, so the path has none.
    """
    folders = os.environ["PATH"].split(os.pathsep)
    path = os.pathsep.join(folder for folder in folders if shutil.which("nvcc", path=folder) is None)
    env = {"NO_OCEAN": "1", "PYTHONPATH": str(ROOT / "requirements" / "pufferlib"), "PATH": path}
    logged(log, session.install, "--no-deps", "--no-build-isolation", requirement, env=env)


def logged(log: Path, do: object, *args: str, **options: object) -> None:
    """Call ``session.run`` or ``session.install``; its output goes to ``log``, and then to the screen."""
    with log.open("w") as file:
        try:
            do(*args, stdout=file, stderr=file, silent=False, **options)  # type: ignore[operator]
        finally:
            file.flush()
            print(log.read_text(), flush=True)  # noqa: T201


def complaint(log: Path) -> str:
    """The line of a log that explains the failure best. A failed download is no fault of the library."""
    if log.exists() and OFFLINE.search(log.read_text()):
        return "not tried, since a download failed"
    lines = [line.strip() for line in log.read_text().splitlines() if line.strip()] if log.exists() else []
    errors = [
        line for line in lines if re.match(r"(ERROR|FAILED|error: (?!subprocess|metadata)|\w+(\.\w+)*Error\b)", line)
    ]
    return (errors or lines or ["see the output of its session"])[-1].replace("|", "/")[:200]


def version(session: nox.Session, distribution: str) -> str:
    code = f"from importlib.metadata import version; print(version({distribution!r}))"
    return str(session.run("python", "-c", code, silent=True)).strip().splitlines()[-1]  # warnings come before it


def add_session(name: str) -> None:
    """Add a session ``NAME(END)`` for each file of requirements."""

    @nox.session(name=name)
    @nox.parametrize("end", [nox.param(end, id=end) for end in ends_of(name)])
    def session(session: nox.Session, end: str) -> None:
        run(session, name, end)

    session.__doc__ = f"{PIPELINES[name].title}: its adapter's tests and examples."


for one in PIPELINES:
    if ends_of(one):
        add_session(one)


@nox.session(python=PYTHONS)
def wheel(session: nox.Session) -> None:
    """Install the wheel in an empty environment, and run what its users run; pytest runs outside it."""
    folder = Path(session.create_tmp())
    built = built_by("wheel", folder)
    session.log(f"{built.name}: {built.stat().st_size / 1e6:.1f} MB")
    session.install(str(built))
    inside = session.run("python", "-c", "import sys; print(sys.executable)", silent=True).strip()
    command = [str(DEVELOPING), "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_installed.py"]
    session.run(*command, *session.posargs, external=True, env={"PERSIAN_RUMMY_INSTALLED": inside})


@nox.session(python=PYTHONS)
def suite(session: nox.Session) -> None:
    """The tests of the environment, without PyTorch."""
    test_environment(session)


@nox.session
def sdist(session: nox.Session) -> None:
    """``suite``, from an unpacked sdist and on one Python."""
    folder = Path(session.create_tmp())
    archive = built_by("sdist", folder)
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    session.chdir(folder / archive.name.removesuffix(".tar.gz"))
    test_environment(session)


def test_environment(session: nox.Session) -> None:
    """Install the current folder for development, and run the tests of the environment there."""
    session.install(*group("test"), "-e", ".")
    session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *(session.posargs or ENV_TESTS))


def built_by(kind: str, folder: Path) -> Path:
    """The wheel or the sdist of this checkout."""
    for old in folder.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    subprocess.run([DEVELOPING, "-m", "hatchling", "build", "-t", kind, "-d", folder], cwd=ROOT, check=True)
    [built] = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


@nox.session
def ray(session: nox.Session) -> None:
    """Playing in a Ray cluster: two nodes that are started on this machine."""
    session.install(TORCH)
    groups = (requirement for name in ("test", "train", "ray") for requirement in group(name))
    session.install(*groups, "-c", str(ROOT / "constraints.txt"), "-e", ".")
    session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_ray.py")


def group(name: str) -> list[str]:
    """The requirements of a dependency group of pyproject.toml."""
    return nox.project.dependency_groups(nox.project.load_toml(ROOT / "pyproject.toml"), name)


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation site, in site/; every warning is an error."""
    session.install(*group("docs"))
    session.run("python", "-m", "mkdocs", "build", "--strict", *session.posargs, env={"NO_MKDOCS_2_WARNING": "1"})


@nox.session
def notebooks(session: nox.Session) -> None:
    """The notebooks, from top to bottom."""
    session.install(TORCH)
    session.install(*group("notebooks"), *group("train"), "-c", str(ROOT / "constraints.txt"), "-e", ".")
    session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_notebooks.py")


@nox.session(venv_backend="none")
def pipelines(session: nox.Session) -> None:
    """Run all pipelines one after the other, each to its end; then print the table."""
    NOTES.mkdir(parents=True, exist_ok=True)
    for name, end in every():
        (NOTES / f"{name}-{end}.json").unlink(missing_ok=True)
        session.run(
            sys.executable, "-m", "nox", "-s", f"{name}({end})", *session.posargs, external=True, success_codes=[0, 1]
        )
    write_table(session)


@nox.session(venv_backend="none")
def table(session: nox.Session) -> None:
    """Print the table alone, from the notes of the last runs here."""
    write_table(session)


def every() -> Iterator[tuple[str, str]]:
    return ((name, end) for name in PIPELINES for end in ends_of(name))


def write_table(session: nox.Session) -> None:
    """Print the notes and write them to the page. A session without a note keeps its row; one that does not pass is an
    error."""
    page = PAGE.read_text()
    rows = dict(re.findall(r"^\| ([^|]+) \| (.*) \|$", page, re.MULTILINE))
    table = {"pipeline": "versions | real run | status", "---": "--- | --- | ---"}
    for name, end in every():
        note, title = NOTES / f"{name}-{end}.json", f"{PIPELINES[name].title} ({end})"
        noted = json.loads(note.read_text())[1:] if note.exists() else None
        table[title] = " | ".join(noted) if noted else rows.get(title, " |  | was not run")
    lines = [f"| {title} | {row} |" for title, row in table.items()]
    print("\n".join(lines))  # noqa: T201
    pattern = re.compile(f"{re.escape(START)}.*?{re.escape(STOP)}", re.DOTALL)
    written = PAGE.with_suffix(".new")
    written.write_text(pattern.sub(lambda _: "\n".join([START, *lines, STOP]), page))
    written.replace(PAGE)
    failed = [title for title, row in list(table.items())[2:] if not row.endswith("passes")]
    if failed:
        session.error(f"not all pass: {', '.join(failed)}")
