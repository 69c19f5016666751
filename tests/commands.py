"""Commands that the pages show: each is parsed by its own program, and nothing is run.

A parser that has read its arguments raises ``Parsed``, so a command ends where its work would begin.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import io
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
NOXFILE = (ROOT / "noxfile.py").read_text(encoding="utf-8")
SESSIONS = re.findall(r"^@nox\.session.*\ndef (\w+)\(", NOXFILE, re.MULTILINE)
READERS = re.compile(r"parse_args\(|\bparse\(|settings_of\(|\bcommand\(")
"""How a command reads its arguments."""
OTHERS = {
    "cd": "of the shell",
    "docker": "its image is built where there is a docker",
    "git": "of no project",
    "jupyter": "opens a notebook",
    "pre-commit": "its settings have a test of their own",
    "python3": "makes a virtual environment",
    "ray": "starts a cluster",
    "source": "of the shell",
}
"""Programs that are not ours, and why their arguments are not checked."""


class Parsed(BaseException):
    """The arguments of a command were read; no handler of ordinary errors catches it."""


class CommandError(AssertionError):
    """A command that its program refuses."""


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every parser stops after it has read its arguments."""
    parse_args = argparse.ArgumentParser.parse_args

    def read(self: Any, args: Any = None, namespace: Any = None) -> None:
        parse_args(self, args, namespace)
        raise Parsed

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", read)
    command = importlib.import_module("train.run.command") if has_torch() else None
    if command is None:
        return
    settings_of = command.settings_of

    def settings(*args: Any, **options: Any) -> None:
        settings_of(*args, **options)
        raise Parsed

    monkeypatch.setattr(command, "settings_of", settings)
    kept = SimpleNamespace(read=lambda path, config_type: SimpleNamespace(config=config_type()))  # noqa: ARG005
    monkeypatch.setattr(command, "Checkpoint", kept)


def has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None


def lines_of(code: str) -> Iterator[list[str]]:
    """The commands of a block: its words, without comments, redirections and the values of variables before it."""
    for line in code.replace("\\\n", " ").splitlines():
        for part in re.split(r"\s(?:\||&&)\s", line):
            words = shlex.split(part, comments=True)
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                words.pop(0)
            if ">" in words:
                words = words[: words.index(">")]
            if words:
                yield words


def check(words: Sequence[str]) -> None:
    """Check a command.

    Raises:
        CommandError: its program, or an argument, is not known.
    """
    program, *args = words[0].removeprefix(".venv/bin/"), *words[1:]
    checks: dict[str, Callable[[list[str]], None]] = {
        "make": check_make,
        "nox": check_nox,
        "persian-rummy": lambda args: check_module("persian_rummy_env.cli.program", args),
        "pip": check_pip,
        "pytest": check_pytest,
        "python": check_python,
        "sbatch": lambda args: need_file(args[0]),
        "torchrun": lambda args: check_python(args[args.index("-m") :]),
    }
    if program in checks:
        checks[program](args)
    elif program not in OTHERS:
        raise CommandError(f"{program}: an unknown program; known are {', '.join((*checks, *OTHERS))}")


def need(known: bool, fault: str) -> None:
    if not known:
        raise CommandError(fault)


def need_file(name: str) -> None:
    need((ROOT / name).exists(), f"{name}: no such file")


def check_make(args: Sequence[str]) -> None:
    for arg in args:
        name, equals, _ = arg.partition("=")
        pattern = rf"^{name} \?=" if equals else rf"^{name}:.* ##"
        need(re.search(pattern, MAKEFILE, re.MULTILINE) is not None, f"make {arg}: not in the Makefile")


def check_nox(args: Sequence[str]) -> None:
    sessions = {*SESSIONS}
    sessions |= {*re.findall(r'^    "(\w+)": Pipeline\(', NOXFILE, re.MULTILINE)}
    need(args[0] in ("-s", "--list"), f"nox {args[0]}: expected -s SESSION")
    for arg in args[1:]:
        need(re.sub(r"\(\w+\)$", "", arg) in sessions, f"nox -s {arg}: no such session")


def check_pip(args: Sequence[str]) -> None:
    """The extras and the groups of this project that an installation names."""
    for number, arg in enumerate(args):
        extras = re.fullmatch(r"(?:\.|persian-rummy-rl|dist/\S+)\[([\w,]+)\]", arg)
        for extra in extras[1].split(",") if extras else ():
            need(extra in PROJECT["project"]["optional-dependencies"], f"pip: no extra {extra}")
        if arg == "--group":
            need(args[number + 1] in PROJECT.get("dependency-groups", {}), f"pip: no group {args[number + 1]}")


def check_pytest(args: Sequence[str]) -> None:
    for arg in args:
        if arg.startswith("tests"):
            need_file(arg.partition("::")[0])


def check_python(args: Sequence[str]) -> None:
    if args[0] != "-m":
        need_file(args[0])
        return
    module, rest = args[1], list(args[2:])
    own = {"persian_rummy_env", "agents", "train", "experiments", "tools", "tests"}
    if module == "pytest":
        check_pytest(rest)
    elif module == "pip":
        check_pip(rest)
    elif module.partition(".")[0] in own:
        check_module(module, rest)
    else:
        need(module in ("build", "http.server", "venv"), f"python -m {module}: an unknown module")


def check_module(module: str, args: Sequence[str]) -> None:
    """A command of this project reads these arguments."""
    if module.startswith(("train", "agents", "experiments")) and not has_torch():
        pytest.skip("torch is not installed")
    need_module = ROOT / Path(*module.split("."))
    need(need_module.is_dir() or need_module.with_suffix(".py").exists(), f"python -m {module}: no such module")
    found = importlib.import_module(f"{module}.__main__" if (need_module / "__main__.py").exists() else module)
    if not inspect.signature(found.main).parameters:
        need(not args, f"{module} takes no arguments, and is given {list(args)}")
        return
    need(module.endswith("cli.program") or READERS.search(inspect.getsource(found)) is not None, f"{module}: no parser")
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            found.main(list(args))
    except Parsed:
        return
    except SystemExit as end:
        raise CommandError(f"{module} {shlex.join(args)}: {said.getvalue().strip()}") from end
    raise CommandError(f"{module} {shlex.join(args)}: it ran")
