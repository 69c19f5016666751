"""Playing in the terminal, through a pseudo-terminal as a person does."""

from __future__ import annotations

import json
import os
import re
import sys
from io import StringIO
from pathlib import Path

import pytest

from persian_rummy_env import PersianRummyVecEnv, RuleSet, draw_for_partners, encode_action
from persian_rummy_env.cards import cards_in
from persian_rummy_env.records.replay import verify
from tests.env.play import PACK

pexpect = pytest.importorskip("pexpect", reason="the terminal game is not tested: pexpect missing")
Console = pytest.importorskip("rich.console", reason="the terminal game is not tested: rich missing").Console

from persian_rummy_env.apps.terminal import screen  # noqa: E402
from persian_rummy_env.apps.terminal.how_to_play import TURN, how_to_play  # noqa: E402

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
    [card] = re.findall(r"^you drew (\w+)$", text_of(child).replace("\r", ""), re.MULTILINE)
    assert card in text_of(child).partition("your hand: ")[2].splitlines()[0].split()
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


def test_rules_are_told_at_the_table(tmp_path: Path) -> None:
    child = start("--seed", "7", "--rules", "deals=1", "--out", str(tmp_path / "x.jsonl"))
    child.expect(PROMPT)
    assert "help, rules, hint, undo, quit" in text_of(child)
    child.sendline("rules")
    child.expect(PROMPT)
    report = "\n".join(line.rstrip() for line in text_of(child).splitlines())
    assert how_to_play(RuleSet(deals=1)) in report
    child.sendline("quit")
    child.expect(pexpect.EOF)
    child.close()


@pytest.mark.parametrize("rules", [RuleSet(), RuleSet(deals=1, quad_bonus="jacks", stock_out="end")])
def test_the_rules_fit_one_screen(rules: RuleSet) -> None:
    lines = how_to_play(rules).splitlines()
    assert len(lines) <= 23
    assert [line for line in lines if len(line) > 80] == []
    others = how_to_play(RuleSet(deals=3 - rules.deals, quad_bonus="any", stock_out="pass"))
    assert others != how_to_play(rules)


def test_the_worked_turn_is_played_as_it_is_told() -> None:
    """Seats 2 and 3 discard the cards of the pile, and seat 0 plays the turn."""
    mine, pile = TURN.hand.split(), TURN.pile.split()
    rest = iter([card for card in PACK if card not in {*mine, *pile, "JK"}])
    hands = {0: mine, 1: [next(rest) for _ in range(7)]}
    hands |= {seat: [pile[seat - 1], *(next(rest) for _ in range(6))] for seat in (2, 3)}
    dealt = [hands[(2 + index) % 4][index // 4] for index in range(28)]
    deck = [*dealt, pile[0], *rest, *["JK"] * 4]
    env = PersianRummyVecEnv(1, autoreset_mode="DISABLED")
    env.reset(seed=1, options={"dealer": 1, "decks": [deck]})
    for action in ("draw", f"discard {pile[1]}", "draw", f"discard {pile[2]}", *TURN.actions):
        env.step([encode_action(action)])
    game = env.get_state()[0]
    assert sorted(cards_in(game["hand"][0])) == sorted(TURN.left.split())
    assert f"{int(game['points'][0])} points for your team" in how_to_play(RuleSet())
    assert int(game["seat"]) == 1


def test_the_draw_speaks_to_the_person() -> None:
    seating = next(
        drawn
        for drawn in (draw_for_partners(["you", "Ada", "Bo", "Cy"], seed) for seed in range(50))
        if drawn.names[0] == "you"
    )
    paper = StringIO()
    Console(file=paper, width=100, color_system=None).print(screen.seating(seating))
    report = COLOUR.sub("", paper.getvalue())
    assert re.search(r"you draw \w+", report)
    assert re.search(r"Ada draws \w+", report)
    assert "; you deal first" in report


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
