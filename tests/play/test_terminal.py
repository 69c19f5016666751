"""Playing in the terminal, through a pseudo-terminal as a person does."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from persian_rummy_env.records.replay import verify

pexpect = pytest.importorskip("pexpect", reason="the terminal game is not tested: pexpect missing")

ROOT = Path(__file__).resolve().parents[2]
PROMPT = r"\n> "
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def start(*arguments: str, columns: int = 100) -> pexpect.spawn:
    environment = {
        **os.environ,
        "TERM": "xterm-256color",
        "COLUMNS": str(columns),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return pexpect.spawn(
        sys.executable, ["-m", "persian_rummy_env.apps.terminal", *arguments],
        cwd=str(ROOT), env=environment, encoding="utf-8", timeout=60,
        dimensions=(50, columns),
    )  # fmt: skip


def text_of(child: pexpect.spawn) -> str:
    return COLOUR.sub("", child.before)


def test_a_game_of_two_deals_to_its_record(tmp_path: Path) -> None:
    out = tmp_path / "game.jsonl"
    child = start("--seed", "3", "--seats", "human,greedy,greedy,greedy", "--out", str(out))
    child.expect("The draw for partners")
    asked = 0
    while child.expect([PROMPT, pexpect.EOF]) == 0:
        shown = text_of(child)
        assert "your hand" in shown or asked == 0
        child.sendline(str(1))  # the first of the list: melds come before discards
        asked += 1
        assert asked < 800
    child.close()
    assert child.exitstatus == 0
    assert asked > 20
    assert "The game is over" in text_of(child)
    record = json.loads(out.read_text())
    assert verify(record) is None
    assert sorted(record["players"]) == ["greedy", "greedy", "greedy", "you"]


def test_hints_mistakes_and_taking_back(tmp_path: Path) -> None:
    child = start("--seed", "7", "--out", str(tmp_path / "x.jsonl"))  # the person may meld after the first draw
    child.expect(PROMPT)
    child.sendline("hint")
    child.expect("expert would play: ")
    child.expect(PROMPT)
    child.sendline("hint nobody")
    child.expect("unknown policy")
    child.expect(PROMPT)
    child.sendline("discard 2c")
    child.expect("not legal now")
    child.expect(PROMPT)
    child.sendline("undo")
    child.expect("nothing to take back")
    child.expect(PROMPT)
    child.sendline("d")
    child.expect(PROMPT)
    child.sendline("m 3s 3c 3d")
    child.expect(PROMPT)
    assert "set  3C 3D 3S" in text_of(child)
    child.sendline("undo")
    child.expect("taken back: ")
    child.expect(PROMPT)
    assert "nothing on the table" in text_of(child)
    child.sendline("quit")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@pytest.mark.parametrize("leave", ["interrupt", "end of input"])
def test_leaving_saves_the_game_and_it_goes_on(tmp_path: Path, leave: str) -> None:
    child = start("--seed", "7", "--seats", "human,greedy,greedy,greedy", "--out", str(tmp_path / "game.jsonl"))
    child.expect(PROMPT)
    child.sendline("draw")
    child.expect(PROMPT)
    hand = next(line for line in text_of(child).splitlines() if "your hand" in line)
    child.sendintr() if leave == "interrupt" else child.sendeof()
    child.expect("left before the end")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "Traceback" not in text_of(child)
    unfinished = tmp_path / "game.unfinished.json"
    child = start("--resume", str(unfinished))
    child.expect(PROMPT)
    assert hand.strip() in text_of(child)
    child.sendline("1")
    while child.expect([PROMPT, pexpect.EOF]) == 0:
        child.sendline("1")
    child.close()
    assert verify(json.loads((tmp_path / "game.jsonl").read_text())) is None
    assert not unfinished.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--seats", "human,expert"), "expected 4"),
        (("--seats", "human,expert,nobody,expert"), "unknown policy 'nobody'"),
        (("--seats", "human,file:/no/such,expert,expert"), "no such policy file"),
        (("--rules", "deals=9"), "deals=9"),
        (("--resume", "/no/such/file"), "/no/such/file"),
    ],
)
def test_wrong_arguments_are_told(arguments: tuple[str, ...], words: str) -> None:
    child = start(*arguments)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 2
    assert words in " ".join(text_of(child).split())
    assert "Traceback" not in text_of(child)


def test_eighty_columns_are_enough(tmp_path: Path) -> None:
    child = start("--seed", "7", "--out", str(tmp_path / "x.jsonl"), columns=80)
    child.expect(PROMPT)
    assert max(len(line.rstrip()) for line in text_of(child).splitlines()) <= 80
    child.sendline("quit")
    child.expect(pexpect.EOF)
    child.close()
