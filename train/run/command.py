"""The command line of a training script: a preset or a saved run, and what is changed of it."""

from __future__ import annotations

import argparse
import errno
import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import tyro
from rich.console import Console

from persian_rummy_env.players.tensor_file import NotFiniteError, one_line
from persian_rummy_env.system.escaping import visible
from persian_rummy_env.system.files import explained
from persian_rummy_env.system.run_folder import FolderError

from ..config.base import C, module_of, resumed
from ..config.presets import preset_table
from .checkpoint import Checkpoint, CheckpointError
from .log import LogError

S = TypeVar("S")
OF_WRITING = (errno.ENOSPC, errno.EIO, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Errors of the operating system that come from writing, whatever is written."""


def fail(message: str, status: int = 1) -> NoReturn:
    """Say what is wrong on standard error and leave."""
    with suppress(OSError):  # nobody reads it
        sys.stderr.write(f"error: {visible(one_line(message))}\n")
    raise SystemExit(status)


@contextmanager
def failing() -> Iterator[None]:
    """What files, folders and diverging networks raise within it ends the command, on one line. An error of the
    operating system that is of no file and of no writing is none of these."""
    try:
        yield
    except (CheckpointError, FolderError, LogError, NotFiniteError) as error:
        fail(str(error))
    except OSError as error:
        if error.filename is None and error.errno not in OF_WRITING:
            raise
        fail(explained(error))


def settings_of(config_type: type[S], argv: Sequence[str] | None, prog: str, **options: Any) -> S:
    """The settings that a command line gives, by tyro. What it or they refuse ends the command with one line, in place
    of the box of several lines that tyro draws.

    Args:
        options: of ``tyro.cli``.
    """
    drawn = io.StringIO()
    try:
        with redirect_stderr(drawn):
            return tyro.cli(config_type, args=argv, prog=prog, **options)
    except SystemExit as end:
        if not end.code:  # the help
            sys.stderr.write(drawn.getvalue())
            raise
        fail(f"{_in_a_box(drawn.getvalue())} (see {prog} --help)", status=2)
    except ValueError as error:
        fail(str(error), status=2)


def _in_a_box(drawn: str) -> str:
    """The first paragraph under the title of what tyro draws, with or without a frame."""
    lines = [line.strip(" │|+-─╭╮╰╯") for line in drawn.strip().splitlines()[1:]]
    text = " ".join("\n".join(lines).strip().partition("\n\n")[0].split())
    return re.sub(r"^Error parsing \w+: ", "", text) or drawn


def parse(argv: Sequence[str] | None, presets: Mapping[str, C]) -> tuple[C, Checkpoint | None]:
    """The settings of a run, of the type that the presets have, and the checkpoint that it continues from.

    Args:
        argv: words of the command line; None: those of the process.
        presets: settings by name; the first is the default.
    """
    config_type = type(next(iter(presets.values())))
    prog = f"python -m {module_of(config_type.algorithm)}"
    argv = list(sys.argv[1:] if argv is None else argv)
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--preset", choices=tuple(presets), default=next(iter(presets)))
    first.add_argument("--resume", type=Path)
    first.add_argument("--minutes")
    first.add_argument("--updates")
    known, _ = first.parse_known_args(argv)
    if "--presets" in argv:
        Console().print(preset_table(presets))
        raise SystemExit(0)
    saved = None
    try:
        if known.resume is not None and not {"-h", "--help"} & set(argv):
            saved = Checkpoint.read(known.resume, config_type)
        default = presets[known.preset]
        if saved is not None:
            assert isinstance(saved.config, config_type)
            default = replace(saved.config.completed(), resume=known.resume, out=known.resume, pause_after=None)
        default = _with_one_budget(default, known)
        given = settings_of(config_type, argv, prog, default=default, description=described(config_type))
        return (given, None) if saved is None else (resumed(default, given), saved)
    except (CheckpointError, FileNotFoundError) as error:
        fail(str(error))
    except ValueError as error:
        fail(str(error), status=2)


def described(config_type: type[C]) -> str:
    """The first paragraph of the settings' docstring, for ``--help``."""
    first = (config_type.__doc__ or "").split("\n\n")[0]
    return f"{one_line(first)} --presets prints the presets."


def _with_one_budget(default: C, known: argparse.Namespace) -> C:
    """A budget in updates takes the place of the preset's minutes, and the other way round; both given stay both."""
    if known.updates is not None and known.minutes is None:
        return replace(default, minutes=None, updates=default.updates or 1)
    if known.minutes is not None and known.updates is None:
        return replace(default, minutes=default.minutes or 1.0, updates=None)
    return default
