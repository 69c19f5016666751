"""An unfinished game is taken up again, or refused in one line; what is in it does not act on the terminal."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rich", reason="the terminal game is not tested: rich missing")

from persian_rummy_env.apps.game import TableGame
from persian_rummy_env.apps.terminal.__main__ import main
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled
from tests.damage import BYTES, JSON, Damage, damages

HOSTILE = "\x1b]0;owned\x07[/b]\u202e\ud800\nforged"


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """So that no notice of compiling comes between."""
    ensure_compiled("scripted players")


def saved(names: list[str]) -> dict[str, Any]:
    table = TableGame(seed=7, dealer=3)
    for _ in range(9):
        table.play(table.legal[0])
    return table.unfinished(names, ["human", "greedy", "greedy", "greedy"])


@pytest.fixture
def take_up(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    def take_up(content: bytes) -> tuple[int, str, str]:
        path = tmp_path / "game.unfinished.json"
        path.write_bytes(content)
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        status = main(["--resume", str(path)])
        report = capsys.readouterr()
        return status, report.out, report.err

    return take_up


def check(damage: Damage, take_up) -> int:  # type: ignore[no-untyped-def]
    status, out, err = take_up(damage.content)
    if status == 0:  # it is the game as it stands, or one that can be played
        assert "left before the end" in out, damage.name
    else:
        assert (status, out) == (2, ""), damage.name
        [line] = err.splitlines()
        assert line.startswith("persian-rummy play: error: "), damage.name
        assert len(line) < 3000, damage.name
    return status


def test_damaged_files_are_refused_in_a_line(take_up) -> None:  # type: ignore[no-untyped-def]
    content = json.dumps(saved(["me", "a", "b", "c"])).encode()
    assert take_up(content)[0] == 0
    found = [check(damage, take_up) for damage in damages(content, 40, kinds=BYTES | JSON)]
    assert found.count(2) > 25


@pytest.mark.slow
def test_two_hundred_damaged_files(take_up) -> None:  # type: ignore[no-untyped-def]
    content = json.dumps(saved(["me", "a", "b", "c"])).encode()
    for damage in damages(content, 200, seed=3, kinds=BYTES | JSON):
        check(damage, take_up)


@pytest.mark.parametrize(("field", "value"), [("actions", [0]), ("dealer", True), ("dealer", 1.0), ("seats", [1] * 4)])
def test_numbers_are_not_taken_for_names_nor_names_for_numbers(field: str, value: Any, take_up) -> None:  # type: ignore[no-untyped-def]
    status, _, err = take_up(json.dumps(saved(["me", "a", "b", "c"]) | {field: value}).encode())
    assert status == 2
    assert field.rstrip("s") in err


def test_names_do_not_act_on_the_terminal(take_up) -> None:  # type: ignore[no-untyped-def]
    status, out, err = take_up(json.dumps(saved(["me", HOSTILE, "[red]", "c" * 1000])).encode())
    assert (status, err) == (0, "")
    assert not [character for character in "\x1b\x07\u202e\ud800" if character in out]
    assert r"\x1b]0;owned\x07[/b]" in out
    assert "[red]" in out


def test_a_missing_file_is_told_without_a_number(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["--resume", str(tmp_path / "none.json")]) == 2
    assert capsys.readouterr().err == f"persian-rummy play: error: {tmp_path / 'none.json'}: no such file or folder\n"


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("by", ["SIGTERM", "SIGHUP"])
def test_a_signal_saves_the_game(tmp_path: Path, by: str) -> None:
    out = tmp_path / "game.jsonl"
    words = [
        sys.executable,
        "-m",
        "persian_rummy_env.apps.terminal",
        "--seats",
        "human,greedy,greedy,greedy",
        "--seed",
        "7",
        "--no-draw",
    ]
    with subprocess.Popen([*words, "--out", str(out)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        shown = b""
        while b"> " not in shown:
            shown += os.read(program.stdout.fileno(), 10_000)
        program.send_signal(getattr(signal, by))
        program.communicate(timeout=60)
    assert program.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["game.unfinished.json"]
    json.loads((tmp_path / "game.unfinished.json").read_text())
