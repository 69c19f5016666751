"""Result files: how every experiment writes its own, and how anything reads one.

A result says its command, seeds, date, seconds, machine and commit, and, if it tells how strong somebody plays, what it
rests on (``experiments.shared.behaviour``). Only ``write_result`` writes one; it closes with a digest of all that is in
it, so a result that was damaged or changed by hand is refused by every reader. ``python -m experiments.check``
lists what is out of date.
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
"""``strength``: who plays how, out of date as soon as a player or the game is another. ``timing``: how long or how
large something is, on some machine."""
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
"""What every result has, with its types."""

Result = dict[str, Any]


class ResultError(RuntimeError):
    """A result file that cannot be believed; the text names it, the place and the fault."""


def fail(message: str) -> NoReturn:
    sys.stderr.write(f"error: {visible_lines(message)}\n")
    raise SystemExit(2)


def add_result_options(parser: argparse.ArgumentParser) -> None:
    """The option that all commands which write results have."""
    parser.add_argument(
        "--allow-dirty",
        action="store_true",
        help="write a result under experiments/results although the code differs from its commit; the file says so",
    )


def about(prog: str, argv: Sequence[str], out: Path | None = None, allow_dirty: bool = False) -> dict[str, Any]:
    """What a result says of how it came about; to be asked before anything is measured.

    Args:
        out: where the result will lie. One under ``experiments/results`` is what pages quote, so it has to be of a
            commit: from code that differs from it the command ends here, before it has cost anything.
        allow_dirty: write it all the same; the commit then ends in ``+``, and ``experiments.check`` lists it.
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
    """Whether what a result says of its commit is a commit, and nothing beside it."""
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
    """Write a result, whole or not at all; returns what is in the file.

    Args:
        facts: of ``about``, taken before anything was measured.
        figures: what was measured.
        seeds: all seeds that it depends on.
        players: names of the policies whose strength it tells, as ``persian_rummy_env.players.load.load`` takes them.
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
    """The text of a result's file, closed by the digest of the rest."""
    rest = {name: value for name, value in result.items() if name != "sha256"}
    return json.dumps({**rest, "sha256": sha256(rest)}, indent=1, allow_nan=False) + "\n"


def sha256(result: Mapping[str, Any]) -> str:
    """A digest of values, however they are laid out in the file."""
    return hashlib.sha256(json.dumps(result, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_result(path: Path) -> Result:
    """A result as its command wrote it.

    Raises:
        ResultError: there is none, or it is damaged, or was not written by ``write_result``.
    """
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise ResultError(f"{path}: {size:,} bytes, and no result has more than {MOST_BYTES:,}")
        text = path.read_bytes().decode("utf-8")
        found = json.loads(text, parse_constant=_refuse_constant)
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ResultError(f"{path}: byte {error.start}: no UTF-8") from error
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
            f"{path}: sha256: the digest is of other content: the file was damaged, or changed by hand; "
            f"measure again: {found['command']}"
        )
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


__all__ = [
    "RESULTS", "STRENGTH", "TIMING", "BehaviourError", "ResultError", "about", "add_result_options", "fail", "is_clean",
    "read_result", "text_of", "write_result",
]  # fmt: skip
