"""Writes and reads the result files of experiments.

A result holds its command, seeds, date, seconds, machine and commit. A strength result also holds the behaviour of game
and players (``experiments.shared.behaviour``). Only ``write_result`` writes a result. It ends with a digest of its
content, so a result that was damaged or changed by hand raises on reading. ``python -m experiments.check`` lists
results that are out of date.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn

from persian_rummy_env.system.escaping import visible_lines
from persian_rummy_env.system.files import write_whole

from .behaviour import BehaviourError, behaviour
from .timing import commit, machine, today, versions

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "experiments" / "results"
STRENGTH, TIMING = "strength", "timing"
Kind = Literal["strength", "timing"]
"""``strength``: the strength of players, out of date as soon as a player or the game changes. ``timing``: times or
sizes on some machine."""
VERSIONS = ("persian-rummy-rl", "numpy", "numba")
MOST_BYTES = 4 << 20
HEAD: dict[str, type | tuple[type, ...]] = {
    "command": str,
    "date": str,
    "commit": (str, type(None)),
    "machine": dict,
    "versions": dict,
    "kind": str,
    "seeds": list,
    "seconds": (int, float, type(None)),
    "sha256": str,
}
"""The fields of every result, with their types."""

Result = dict[str, Any]


class ResultError(RuntimeError):
    """A result file is invalid; the text names the file, the place and the fault."""


def fail(message: str) -> NoReturn:
    sys.stderr.write(f"error: {visible_lines(message)}\n")
    raise SystemExit(2)


def add_result_options(parser: argparse.ArgumentParser) -> None:
    """Add the option of all commands that write results."""
    parser.add_argument(
        "--allow-dirty",
        action="store_true",
        help="write a result under experiments/results although the code differs from its commit; the file says so",
    )


def about(prog: str, argv: Sequence[str], out: Path | None = None, allow_dirty: bool = False) -> dict[str, Any]:
    """The provenance of a result; call it before anything is measured.

    Args:
        prog: name of the command.
        argv: its arguments.
        out: path of the result. Pages quote results under ``experiments/results``, so these must come from a commit:
            the command ends here if the code differs from it.
        allow_dirty: continue all the same; the commit then ends in ``+``, and ``experiments.check`` lists the result.
    """
    words = [f'"{word}"' if any(letter in word for letter in " (),*") else word for word in argv]
    facts = {
        "command": " ".join([f"python -m {prog}", *words]),
        "date": today(),
        "commit": commit(),
        "machine": machine(),
        "versions": versions(*VERSIONS),
    }
    if out is not None and RESULTS in out.resolve().parents and not allow_dirty and not is_clean(facts["commit"]):
        fail(
            f"{out}: the code differs from its commit ({facts['commit'] or 'no git checkout'}), and a result that "
            "pages quote is of a commit: commit first, give another --out, or --allow-dirty"
        )
    return facts | {"started": time.perf_counter()}


def is_clean(commit_text: object) -> bool:
    """Whether the commit of a result is a clean commit."""
    return isinstance(commit_text, str) and 7 <= len(commit_text) <= 40 and set(commit_text) <= set("0123456789abcdef")


def write_result(
    path: Path,
    facts: Mapping[str, Any],
    figures: Mapping[str, Any],
    *,
    kind: Kind,
    seeds: Sequence[int] = (),
    players: Sequence[str] = (),
) -> Result:
    """Write a result atomically and return its content.

    Args:
        facts: the provenance, from ``about``, taken before anything was measured.
        figures: the measurements.
        seeds: all seeds that it depends on.
        players: names of the policies whose strength it measures, as for ``persian_rummy_env.load``.
    """
    facts = dict(facts)
    seconds = time.perf_counter() - facts.pop("started")
    head = {**facts, "kind": kind, "seeds": list(seeds), "seconds": round(seconds, 1)}
    clash = sorted(set(head) & set(figures))
    if clash:
        raise ValueError(f"figures {', '.join(clash)}: names of the head of a result")
    if kind == STRENGTH:
        head["behaviour"] = behaviour(list(dict.fromkeys(players)))
    result = json.loads(json.dumps({**head, **figures}, allow_nan=False))
    write_whole(path, text_of(result))
    return read_result(path)


def text_of(result: Mapping[str, Any]) -> str:
    """The text of a result file, which ends with the digest of the rest."""
    rest = {name: value for name, value in result.items() if name != "sha256"}
    return json.dumps({**rest, "sha256": sha256(rest)}, indent=1, allow_nan=False) + "\n"


def sha256(result: Mapping[str, Any]) -> str:
    """A digest of the values, independent of the layout of the file."""
    return hashlib.sha256(json.dumps(result, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_result(path: Path) -> Result:
    """Read a result.

    Raises:
        ResultError: it is missing or damaged, or was not written by ``write_result``.
    """
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise ResultError(f"{path}: {size:,} bytes: expected at most {MOST_BYTES:,}")
        text = path.read_bytes().decode("utf-8")
        found = json.loads(text, parse_constant=_refuse_constant)
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ResultError(f"{path}: byte {error.start}: not UTF-8") from error
    except json.JSONDecodeError as error:
        raise ResultError(f"{path}: line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise ResultError(f"{path}: nested too deep to be a result") from error
    except ValueError as error:
        raise ResultError(f"{path}: {error}") from error
    if not isinstance(found, dict):
        raise ResultError(f"{path}: {type(found).__name__} instead of an object")
    for name, types in HEAD.items():
        if name not in found:
            raise ResultError(f"{path}: {name}: missing; only the measuring command writes a result")
        if not isinstance(found[name], types) or isinstance(found[name], bool):
            raise ResultError(f"{path}: {name}: {type(found[name]).__name__} is of the wrong type")
    if sha256({name: value for name, value in found.items() if name != "sha256"}) != found["sha256"]:
        raise ResultError(
            f"{path}: sha256: the digest does not match: the file was damaged, or changed by hand; "
            f"measure again: {found['command']}"
        )
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


__all__ = [
    "RESULTS", "STRENGTH", "TIMING", "BehaviourError", "ResultError", "about", "add_result_options", "fail", "is_clean",
    "read_result", "text_of", "write_result",
]  # fmt: skip
