"""The grader of "Write this game from its rules": what it gives the twin, wrong rules, and programs of any kind."""

import copy
import json
import re
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from experiments.text import planted_rules
from experiments.text.planted_rules import TWIN, WRONG_RULES, Wrong, planted
from experiments.write_the_game import __main__ as command
from experiments.write_the_game import runner
from experiments.write_the_game.games import Decision, Start, game, traces
from experiments.write_the_game.grade import Grade, as_json, as_text, count, grade, share
from experiments.write_the_game.situations import (
    COMPARED,
    SITUATIONS,
    legal_checks,
    situation_of,
    start_check,
    state_check,
    step_checks,
)
from experiments.write_the_game.solution import Limits
from tests import oracle
from tests.env.play import scaled

ROOT = Path(__file__).parents[2]
FOUND_IN = {"chain": 1, "score": 1, "stock out": 4, "four at once": 17}
"""The first game in which a wrong rule is found, by its situation; 0 where none stands here."""
QUICK = Limits(seconds=60, minutes=10)
PAGE = (ROOT / "docs" / "write_the_game.md").read_text(encoding="utf-8")


def answers(solution: Any, one: Start | Decision) -> Mapping[str, Any]:
    """What a solution in this process answers; the grader itself runs it in another one."""

    def returned(name: str, *given: Any) -> dict[str, Any]:
        try:
            return {"returned": json.loads(json.dumps(getattr(solution, name)(*copy.deepcopy(given))))}
        except Exception as error:  # noqa: BLE001 (a solution may raise anything)
            return {"raised": repr(error)}

    if isinstance(one, Start):
        return {"initial": returned("initial", one.rules, one.dealer, one.decks)}
    return {"legal": returned("legal", one.state), "step": returned("step", one.state, one.action)}


def graded(solution: Any, *numbers: int) -> Grade:
    """The grade of whole games."""
    asked = [one for number in numbers for one in game(1, number)]
    result = Grade(sum(isinstance(one, Decision) for one in asked))
    for one in asked:
        count(one, answers(solution, one), result)
    return result


# The twin, and wrong rules --------------------------------------------------------------------------------------------


def test_the_twin_is_right_at_every_decision(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    out = tmp_path / "grade.json"
    decisions = scaled(300, least=120)
    assert command.main([str(TWIN), "--decisions", str(decisions), "--seconds", "60", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert f"oracle.py: {decisions} of {decisions} decisions right (100.00%), mean over situations 100.00%" in printed
    result = json.loads(out.read_text())
    assert (result["right"], result["asked"], result["score"], result["balanced"]) == (decisions, decisions, 1, 1)
    assert result["ended"] is None
    assert result["errors"] == {}
    assert list(result["situations"]) == list(SITUATIONS)
    assert all(one["checks"] == one["right"] and one["example"] is None for one in result["situations"].values())
    assert sum(bool(one["checks"]) for one in result["situations"].values()) > len(SITUATIONS) // 2


@pytest.mark.parametrize("wrong", WRONG_RULES, ids=[wrong.rule for wrong in WRONG_RULES])
def test_a_wrong_rule_is_found_in_its_situation(wrong: Wrong):
    solution = types.ModuleType("solution")
    exec(compile(planted(TWIN.read_text(), wrong), "solution.py", "exec"), vars(solution))
    result = graded(solution, FOUND_IN.get(wrong.situation, 0))
    assert result.right < result.decisions
    assert wrong.situation in result.failing()
    example = result.kinds[wrong.situation].example
    assert example is not None
    assert example["expected"] != example["found"]
    assert f"{wrong.situation}, for example:" in as_text(result, "a") or len(result.failing()) > 3


def test_a_rule_that_cannot_be_planted_is_reported():
    with pytest.raises(ValueError, match="stands 0 times"):
        planted("", WRONG_RULES[0])
    assert len({wrong.rule for wrong in WRONG_RULES}) == 10


def test_the_claim_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(planted_rules, "WRONG_RULES", WRONG_RULES[4:6])
    monkeypatch.setattr(planted_rules, "SEED", 1)
    out = tmp_path / "result.json"
    few = ["--decisions", "60", "--planted", "120"]
    status = planted_rules.main([*few, "--out", str(out)])
    result = json.loads(out.read_text())
    assert result["twin"]["right"] == 60
    assert [row["rule"] for row in result["wrong rules"]] == [wrong.rule for wrong in WRONG_RULES[4:6]]
    assert status == bool(result["missed"])


# Any program ----------------------------------------------------------------------------------------------------------

WHOLE = "def initial(r, d, k): return {}\ndef legal(s): return []\ndef step(s, a): return {}\n"
NOT_LOADED = {
    "syntax": ("def initial(:", "it cannot be loaded: line 1: SyntaxError"),
    "no text": ("\0", "it cannot be loaded: .*(SyntaxError|ValueError).*null bytes"),
    "nothing": (
        "",
        "it cannot be loaded: NameError: .* no function initial and no function legal and no function step",
    ),
    "raises": ("1 / 0", "it cannot be loaded: ZeroDivisionError: division by zero"),
    "exits": ("raise SystemExit(3)", "it cannot be loaded: SystemExit: 3"),
    "ends": ("import os\nos._exit(4)", "the process ended while it was loaded with status 4"),
    "imports the answers": ("import persian_rummy_env", "ModuleNotFoundError: No module named 'persian_rummy_env'"),
    "reads": (f"open({str(TWIN)!r})", "PermissionError: a solution may not open files outside its folder"),
    "starts": ("import subprocess\nsubprocess.run(['true'])", "PermissionError: subprocess.Popen"),
    "calls": ("import socket\nsocket.socket()", "PermissionError: socket.__new__"),
}
ANSWERS_BADLY = {
    "raises": ("def legal(s): raise KeyError(s['seat'], 'line\\nline')", "KeyError: .*line"),
    "raises what cannot be shown": ("class E(Exception):\n __str__ = None\ndef legal(s): raise E", "times: E"),
    "exits": ("def legal(s): raise SystemExit", "SystemExit"),
    "types": ("def legal(s): return ['draw', None]", "legal\\(\\) did not return a list of texts"),
    "a set": ("def legal(s): return {'draw'}", "TypeError: Object of type set is not JSON serializable"),
    "no state": ("def step(s, a): return 7", "a state is no int: expected a dict"),
    "no number": ("def step(s, a): return {'seat': float('nan')}", "ValueError: Out of range float"),
    "odd state": ("def step(s, a): return {'hands': 3, 'sets': [[1]], 'runs': {'a': 1}, 5: []}", "0 of 40"),
    "deep": ("def step(s, a):\n x = []\n for _ in range(10**5): x = [x]\n return x", "RecursionError"),
    "asks": ("def legal(s): return [input()]", "EOFError"),
    "prints": ("def legal(s): print('{\"legal\": 1}' * 10**5); return []", "0 of 40 decisions right"),
    "changes its arguments": ("def legal(s): s.clear(); return []", "0 of 40 decisions right"),
}
if sys.platform == "linux":  # other systems may refuse the limit; these bytes are more than it, and never written
    NOT_LOADED["hogs"] = ("x = bytearray(1200 << 20)", "it cannot be loaded: MemoryError")
    ANSWERS_BADLY["hogs"] = ("def legal(s): return [bytearray(1200 << 20)]", "MemoryError")
FAULTS = {
    "ends": (
        "import os\ndef legal(s): os._exit(5)",
        "stopped after 3 faults.* the process ended at a question with status",
    ),
    "is killed": (
        "import os\ndef legal(s): os.kill(os.getpid(), 9)",
        "stopped after 3 faults.* (by SIGKILL|with status 9)",
    ),
    "floods": ("def legal(s): return ['x' * (1 << 21)]", "more than 1,048,576 characters"),
}


def text_of_grade(source: str, tmp_path: Path, limits: Limits, decisions: int = 40) -> tuple[Grade, str]:
    path = tmp_path / "solution.py"
    path.write_text(source, encoding="utf-8")
    result = grade(path, decisions, 1, limits)
    json.loads(json.dumps(as_json(result, path, 1, limits), allow_nan=False))
    text = as_text(result, path.name)
    assert "Traceback" not in text
    assert re.search(r"^solution\.py: [\d,]+ of [\d,]+ decisions right \(\d+\.\d\d%\)", text.splitlines()[-1])
    return result, text


@pytest.mark.parametrize("name", NOT_LOADED)
def test_a_program_that_cannot_be_loaded_scores_nothing_and_one_line_says_why(name: str, tmp_path: Path):
    source, why = NOT_LOADED[name]
    result, text = text_of_grade(source, tmp_path, QUICK)
    assert (result.right, result.asked) == (0, 0)
    assert result.ended is not None
    assert re.search(why, result.ended)
    assert f"solution.py: {result.ended}" in text.splitlines()


@pytest.mark.parametrize("name", ANSWERS_BADLY)
def test_a_program_that_answers_badly_is_asked_to_the_end(name: str, tmp_path: Path):
    source, why = ANSWERS_BADLY[name]
    result, text = text_of_grade(WHOLE + source, tmp_path, QUICK)
    assert (result.right, result.asked, result.ended) == (0, 40, None)
    assert re.search(why, text)


@pytest.mark.parametrize("name", FAULTS)
def test_a_program_whose_process_ends_is_started_again_three_times(name: str, tmp_path: Path):
    source, why = FAULTS[name]
    result, text = text_of_grade(WHOLE + source, tmp_path, QUICK)
    assert (result.right, result.faults) == (0, 3)
    assert re.search(why, text)


@pytest.mark.parametrize("place", ["", "def legal(s):\n "])
def test_a_program_that_never_answers_is_ended(place: str, tmp_path: Path):
    result, text = text_of_grade(f"{WHOLE}{place}while True: pass", tmp_path, Limits(seconds=1.5, minutes=1))
    assert result.right == 0
    assert "no answer within 1.5 s" in text


def test_one_fault_costs_one_decision(tmp_path: Path):
    """The twin in which one question ends the process: the questions after it are asked all the same."""
    [_, first, *_] = game(1, 0)
    assert isinstance(first, Decision)
    source = f"{TWIN.read_text()}\nright = step\ndef step(s, a):\n    if s == {first.state!r}: import os; os._exit(1)\n"
    result, _ = text_of_grade(f"{source}    return right(s, a)\n", tmp_path, QUICK)
    assert (result.asked, result.right, result.faults, result.ended) == (40, 39, 1, None)


def test_a_system_without_limits_of_memory_is_noticed(monkeypatch: pytest.MonkeyPatch):
    def refused(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(runner, "resource", types.SimpleNamespace(setrlimit=refused, RLIMIT_AS=9))
    assert not runner.limit(64, 1)
    monkeypatch.setattr(runner, "resource", None)
    assert not runner.limit(64, 1)
    result = Grade(10)
    assert as_json(result, TWIN, 1, QUICK)["limits"]["memory_mb"] is None
    result.memory_limited = True
    assert as_json(result, TWIN, 1, QUICK)["limits"]["memory_mb"] == QUICK.memory_mb


def test_minutes_are_a_limit(tmp_path: Path):
    result, text = text_of_grade(WHOLE, tmp_path, Limits(seconds=60, minutes=1e-4), decisions=2000)
    assert result.asked < 2000
    assert result.balanced <= result.asked / 2000
    assert "stopped after 0.0001 minutes" in text


# Comparison -----------------------------------------------------------------------------------------------------------


def decisions(*numbers: int) -> list[Decision]:
    return [one for number in numbers for one in game(1, number) if isinstance(one, Decision)]


def test_the_same_seed_gives_the_same_games_and_traces_give_others():
    start, *_ = game(1, 0)
    assert start == next(game(1, 0))
    assert start != next(game(2, 0))
    assert next(traces(1, 1))["decks"] != start.decks


def test_traces_are_games_of_the_rules():
    lines = json.loads(json.dumps(list(traces(0, 2))))
    states: dict[int, Any] = {}
    for line in lines:
        if "rules" in line:
            states[line["game"]] = oracle.initial(line["rules"], line["dealer"], line["decks"])
            assert start_check(line["state"], states[line["game"]]).right
        else:
            assert line["legal"] == oracle.legal(line["state"])
            checks = list(step_checks(line["state"], line["action"], line["after"], states[line["game"]]))
            assert not all(check.right for check in checks), "the state did not change"
            states[line["game"]] = oracle.step(states[line["game"]], line["action"])
            checks = list(step_checks(line["state"], line["action"], line["after"], states[line["game"]]))
            assert all(check.right for check in checks)
    assert [state["phase"] for state in states.values()] == ["over", "over"]
    assert {name for line in lines for name in line} == {*Start._fields, *Decision._fields, "game"}


def changed(state: dict[str, Any], name: str) -> dict[str, Any]:
    """A state with another value in one field."""
    value = state[name]
    if isinstance(value, list):
        return {**state, name: [*value, ["2C"]] if name in ("hands", "sets", "runs") else [*value, 1]}
    return {**state, name: f"{value}?"}


@pytest.mark.parametrize("name", COMPARED)
def test_every_field_of_a_state_is_compared(name: str):
    one = decisions(0)[3]
    assert all(check.right for check in step_checks(one.state, one.action, one.after, one.after))
    for found in (changed(one.after, name), {field: one.after[field] for field in one.after if field != name}):
        [check] = step_checks(one.state, one.action, one.after, found)
        assert not check.right
        assert list(check.expected) == [name]


def test_orders_that_mean_nothing_are_not_compared():
    state = {"hands": [["2C", "3C"], [], [], []], "sets": [["4C", "4D", "4H"]], "runs": [["3S", "4S", "5S", "6S"]]}
    other = {"hands": [["3C", "2C"], [], [], []], "sets": [["4H", "4D", "4C"]], "runs": [["6S"], ["5S", "3S", "4S"]]}
    assert state_check("deal", list(state), state, other).right
    assert not state_check("deal", list(state), state, {**other, "hands": [[], ["3C", "2C"], [], []]}).right


def test_legal_actions_are_compared_kind_by_kind():
    one = next(one for one in decisions(0) if one.state["phase"] == "meld" and len(one.legal) > 5)
    assert all(check.right for check in legal_checks(one.state, one.legal, one.legal[::-1]))
    extra = [check for check in legal_checks(one.state, one.legal, [*one.legal, "meld 2C 3C 4C"]) if not check.right]
    assert [(check.situation, check.found) for check in extra] == [("run", {"not legal": ["meld 2C 3C 4C"]})]
    [missing] = [check for check in legal_checks(one.state, one.legal, one.legal[1:]) if not check.right]
    assert missing.expected == {"also legal": one.legal[:1]}
    [twice] = [check for check in legal_checks(one.state, one.legal, one.legal + one.legal[:1]) if not check.right]
    assert twice.found == {"not legal": one.legal[:1]}
    for odd in ("", " ", "\0", "meld", "take", "layoff", "draw draw"):
        assert not all(check.right for check in legal_checks(one.state, one.legal, [*one.legal, odd]))


BASE = {"phase": "meld", "seat": 0, "owed": None, "stock": ["2C"], "pile": [], "sets": [], "runs": []}
KINDS = [
    ("discard", "discard 3C", {"hands": [["3C", "4C"]]}),
    ("empty hand", "discard 3C", {"hands": [["3C"]]}),
    ("empty hand", "draw", {"hands": [[]], "phase": "draw"}),
    ("draw", "draw", {"hands": [["3C"]], "phase": "draw"}),
    ("stock out", "pass", {"hands": [["3C"]], "phase": "draw", "stock": []}),
    ("jokers", "discard JK", {"hands": [["3C", "JK"]]}),
    ("jokers", "take JK2", {"hands": [["3C"]], "phase": "draw", "pile": ["JK", "JK"]}),
    ("set", "meld JC JD JH", {"hands": [["JC", "JD", "JH"]]}),
    ("run", "meld JC QC KC", {"hands": [["JC", "QC", "KC"]]}),
    ("owed", "meld JC QC KC", {"hands": [["JC", "QC", "KC"]], "owed": "JC"}),
    ("lay off on a set", "layoff 3C set", {"hands": [["3C"]]}),
    ("lay off on a run", "layoff 3C run", {"hands": [["3C"]]}),
    ("take", "take 3C", {"hands": [["4C"]], "phase": "draw", "pile": ["3C", "5C"]}),
    ("take", "take 3C", {"hands": [["3D", "3H"]], "phase": "draw", "pile": ["3C"]}),
    ("take", "take 3C", {"hands": [["KD"]], "phase": "draw", "pile": ["3C"], "sets": [["3D", "3H", "3S"]]}),
    ("take", "take 3C", {"hands": [["KD"]], "phase": "draw", "pile": ["3C"], "runs": [["4C", "5C", "6C"]]}),
    ("chain", "take 3C", {"hands": [["4C"]], "phase": "draw", "pile": ["3C"], "runs": [["5C", "6C", "7C"]]}),
    ("chain", "take AC", {"hands": [["KC"]], "phase": "draw", "pile": ["AC"], "runs": [["TC", "JC", "QC"]]}),
]


@pytest.mark.parametrize(("kind", "action", "change"), KINDS)
def test_the_kind_of_a_situation(kind: str, action: str, change: dict[str, Any]):
    assert situation_of({**BASE, **change}, action) == kind


def test_a_share_is_whole_only_if_nothing_is_wrong():
    assert (share(99_999, 100_000), share(5, 5), share(0, 3), share(0, 0)) == ("99.99%", "100.00%", "0.00%", "-")


# Page and command -----------------------------------------------------------------------------------------------------


def test_the_page_names_every_field_and_situation():
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", PAGE, re.MULTILINE)
    shown = {name.strip("`"): meaning for name, meaning in rows}
    assert {name: shown.get(name) for name in SITUATIONS} == SITUATIONS
    fields = {name for names, _ in rows for name in re.findall(r"`(\w+)`", names)}
    assert fields >= {"rules", "decks", *COMPARED}


def test_the_command_refuses_what_it_cannot_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for arguments in ([], ["a.py", "--traces", "b"], ["a.py", "--decisions", "0"], ["a.py", "--seconds", "nan"]):
        with pytest.raises(SystemExit) as refused:
            command.main(arguments)
        assert refused.value.code == 2
        assert "expected" in capsys.readouterr().err
    with pytest.raises(FileNotFoundError):
        command.main([str(tmp_path / "none.py")])


def test_the_command_writes_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "traces.jsonl"
    assert command.main(["--traces", str(out), "--games", "1", "--seed", "3"]) == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert lines == json.loads(json.dumps(list(traces(3, 1))))
    assert f"{out}: {len(lines) - 1:,} decisions" in capsys.readouterr().out
