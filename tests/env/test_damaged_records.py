"""Damaged files of records, plain and compressed: the right value, or lines that name file, place and fault."""

import gzip
import io
import re
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from persian_rummy_env.cli import program
from persian_rummy_env.cli.command import Faults
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled
from persian_rummy_env.records.record import dumps, read
from persian_rummy_env.records.recorder import simulate
from persian_rummy_env.records.replay import verify
from tests.damage import BYTES, JSON, Damage, damages

KINDS = BYTES | JSON


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """So that no notice of compiling comes between."""
    ensure_compiled("game records")


@pytest.fixture(scope="module")
def plain() -> bytes:
    """Three short games, with the legal actions and without."""
    games = [*simulate(2, 7, "greedy,random", legal=True), *simulate(1, 8, "expert")]
    return "".join(dumps(game) + "\n" for game in games).encode()


def peak_megabytes() -> float:
    """The most memory that this process has had; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(*argv: str) -> tuple[int, str, str]:
    """Exit status, output and errors of a command; an exception that it lets through fails the test."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        status = program.main(argv)
    return status, out.getvalue(), err.getvalue()


def check_damaged(path: Path, damage: Damage) -> int:
    """Let every command read a damaged file; returns the exit status of ``verify``."""
    path.write_bytes(damage.content)
    before, start = peak_megabytes(), time.monotonic()
    status, out, err = run("verify", str(path))
    report = (out + err).splitlines()
    assert report, damage.name
    assert all(str(path) in line for line in report), damage.name
    assert len(report) <= Faults.MOST + 2, damage.name
    assert all(len(line) < 6000 and line.isprintable() for line in report), damage.name
    if status == 0:  # a game that can be played so, every one of them
        assert [verify(record) for record in read(path)] == [None] * out.count("\n") * int(
            out.split(": ")[1].split()[0]
        )
    else:
        assert status in (1, 2), damage.name
        faults = [
            line for line in report if re.search(r"line \d+|no record in it|is UTF-16|: is |ends too early", line)
        ]
        assert faults, (damage.name, report)
    for command in ("stats", "show"):
        other, _, err = run(command, str(path))
        assert other == status or (command == "show" and status == 1), (damage.name, command)
        assert all(line.startswith(f"persian-rummy {command}: ") for line in err.splitlines()), damage.name
        assert bool(err) == bool(other), damage.name
    assert peak_megabytes() - before < 300, damage.name
    assert time.monotonic() - start < 60, damage.name
    return status


def test_damaged_records(tmp_path: Path, plain: bytes) -> None:
    found = [check_damaged(tmp_path / "games.jsonl", damage) for damage in damages(plain, 40, kinds=KINDS)]
    assert {1, 2} <= set(found) <= {0, 1, 2}


def test_damaged_compressed_records(tmp_path: Path, plain: bytes) -> None:
    packed = gzip.compress(plain, mtime=0)
    found = [check_damaged(tmp_path / "games.jsonl.gz", damage) for damage in damages(packed, 30)]
    assert found.count(2) > 20


def test_compressed_records_that_were_damaged_before(tmp_path: Path, plain: bytes) -> None:
    for damage in damages(plain, 10, seed=1, kinds=JSON):
        check_damaged(tmp_path / "games.jsonl.gz", Damage(damage.name, gzip.compress(damage.content)))


@pytest.mark.slow
@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "compressed"])
def test_two_hundred_damaged_files(tmp_path: Path, plain: bytes, compressed: bool) -> None:
    content, kinds = (gzip.compress(plain, mtime=0), BYTES) if compressed else (plain, KINDS)
    for damage in damages(content, 200, seed=2, kinds=kinds):
        check_damaged(tmp_path / "games.jsonl", damage)
