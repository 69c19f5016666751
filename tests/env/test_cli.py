"""The command line: what it prints, what it refuses, and how it ends."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import persian_rummy_env
from persian_rummy_env import RuleSet
from persian_rummy_env.cli import info, simulate
from persian_rummy_env.cli import program as cli
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled
from persian_rummy_env.core.compiler.jit import JIT
from persian_rummy_env.core.compiler.warm_up import KERNEL_GROUPS
from persian_rummy_env.players.policy_io import PolicyError
from persian_rummy_env.records.record import dumps, read
from persian_rummy_env.records.recorder import simulate as simulated
from persian_rummy_env.records.transcript import transcript
from persian_rummy_env.system.command_line import BROKEN_PIPE, INTERRUPTED
from tests.agents import strangers
from tests.env.records import some_game

GOLDEN = Path(__file__).parents[1] / "golden"
NEEDS_TRAINED = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("safetensors") is None,
    reason="trained policies are not tested: torch or safetensors missing (the group train)",
)


class Ran:
    """What a command wrote, and its exit status."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """So that no notice of compiling comes between."""
    for part in KERNEL_GROUPS:
        ensure_compiled(part)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def run(*argv: str) -> Ran:
        try:
            status = cli.main(argv)
        except SystemExit as error:
            status = int(error.code or 0)
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return run


# A program started in the background of a shell ignores interrupts, and so do those that it starts.
PROGRAM = """\
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from persian_rummy_env.cli.program import main
sys.exit(main())
"""


@contextmanager
def started(*argv: str) -> "Iterator[subprocess.Popen[str]]":
    """A command under way, its output buffered as a user's is; it does not outlive the test."""
    pipe = subprocess.PIPE
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *argv], stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment
    ) as program:
        try:
            yield program
        finally:
            program.kill()


# Help and arguments ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["", "simulate", "verify", "show", "stats", "info"])
def test_help_is_there_and_its_examples_are_arguments_that_pass(command: str, run) -> None:  # type: ignore[no-untyped-def]
    ran = run(*command.split(), "--help")
    assert ran.status == 0
    assert "usage: persian-rummy" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 120
    for line in re.findall(r"persian-rummy (.*)", ran.out.partition("examples:")[2]):
        for part in re.split(r"\s\|\s|\s>\s", line):
            if part.startswith(("simulate", "verify", "show", "stats", "info")):
                cli.parser().parse_args(part.split())


def test_help_needs_no_engine() -> None:
    program = (
        "import sys\n"
        "from persian_rummy_env.cli import program as cli\n"
        "heavy = {'numba', 'torch', 'persian_rummy_env.core', 'persian_rummy_env.records.record'}\n"
        "try:\n"
        "    cli.main(['simulate', '--help'])\n"
        "finally:\n"
        "    print(*sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == ""


@pytest.mark.parametrize(
    ("argv", "messages"),
    [
        ("", ["COMMAND"]),
        (
            "dance",
            [
                "'dance'",
                "match",
                "tournament",
                "cross-play",
                "play",
                "serve",
                "simulate",
                "verify",
                "show",
                "stats",
                "info",
            ],
        ),
        ("simulate --games 0", ["--games", "'0'", "a whole number of at least 1"]),
        ("simulate --games two", ["--games", "'two'", "a whole number of at least 1"]),
        ("simulate --seed -1", ["--seed", "'-1'", "from 0 to 18446744073709551615"]),
        ("simulate --seed 18446744073709551616", ["--seed", "from 0 to 18446744073709551615"]),
        ("simulate --players clever", ["--players", "'clever'", "random, greedy"]),
        ("simulate --players random,greedy,random", ["--players", "3 players", "one, two (by team) or four (by seat)"]),
        ("simulate --rules wild=1", ["--rules", "'wild'", "deals, quad_bonus, stock_out"]),
        ("simulate --rules quad_bonus=kings", ["--rules", "'kings'", "any, jacks"]),
        ("simulate --rules deals", ["--rules", "'deals'", "name=value"]),
        ("simulate --rules deals=9", ["--rules", "deals=9", "from 1 to 4"]),
        ("simulate --out /nowhere/at/all.jsonl", ["/nowhere: no such folder"]),
        ("simulate --out /", ["/: is a folder"]),
        ("verify", ["FILE"]),
        ("verify /nowhere/at/all.jsonl", ["/nowhere/at/all.jsonl: no such file"]),
        ("show /nowhere/at/all.jsonl", ["/nowhere/at/all.jsonl: no such file"]),
        (f"show {GOLDEN}/chain_take.jsonl --game 2", ["--game 2", "holds 1 game"]),
        (f"show {GOLDEN}/chain_take.jsonl --game 0", ["--game", "'0'", "a whole number of at least 1"]),
        (f"show {GOLDEN}/chain_take.jsonl --viewer player_0", ["--viewer", "--html FILE"]),
        (f"show {GOLDEN}/chain_take.jsonl --policy expert", ["--policy", "--html FILE"]),
        (f"show {GOLDEN}/chain_take.jsonl --four-colours", ["--four-colours", "--html FILE"]),
        (f"show {GOLDEN}/chain_take.jsonl --html - --viewer player_4", ["--viewer", "'player_4'", "player_3"]),
        (f"show {GOLDEN}/chain_take.jsonl --html - --worlds 3", ["--worlds", "--policy NAME"]),
        (
            f"show {GOLDEN}/chain_take.jsonl --html - --policy exprt",
            ["unknown policy 'exprt'", "did you mean 'expert'"],
        ),
        pytest.param(
            f"show {GOLDEN}/chain_take.jsonl --html - --policy file:nowhere",
            ["--policy file:nowhere", "no such policy"],
            marks=NEEDS_TRAINED,
        ),
        pytest.param(
            f"show {GOLDEN}/first_pass.jsonl --html - --policy champion",
            ["--policy champion", "stock_out=end"],
            marks=NEEDS_TRAINED,
        ),
        (f"show {GOLDEN}/chain_take.jsonl --html /nowhere/a.html", ["/nowhere: no such folder"]),
        ("stats", ["FILE"]),
        ("stats /nowhere/at/all.jsonl", ["/nowhere/at/all.jsonl: no such file"]),
        ("stats games.jsonl --plot stats.pdf", ["--plot", "'stats.pdf'", "a name that ends in .png"]),
    ],
)
def test_wrong_use_is_told_in_a_line_and_status_2(argv: str, messages: Sequence[str], run) -> None:  # type: ignore[no-untyped-def]
    ran = run(*argv.split())
    assert ran.status == 2
    for message in messages:
        assert message in ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err


# simulate -------------------------------------------------------------------------------------------------------------


def test_simulate_writes_records_to_standard_output(run) -> None:  # type: ignore[no-untyped-def]
    ran = run(
        "simulate", "--games", "3", "--seed", "7", "--players", "random,greedy", "--rules", "deals=1,quad_bonus=jacks"
    )
    assert (ran.status, ran.err) == (0, "")
    records = [json.loads(line) for line in ran.out.splitlines()]
    assert records == list(simulated(3, 7, "random,greedy", rules=RuleSet(deals=1, quad_bonus="jacks")))
    assert records[0]["players"] == ["random", "greedy", "random", "greedy"]
    assert "legal" not in records[0]["deals"][0]


def test_simulate_writes_legal_actions_if_asked(run) -> None:  # type: ignore[no-untyped-def]
    ran = run("simulate", "--seed", "7", "--legal", "--players", "random,greedy,deepest,random")
    [record] = [json.loads(line) for line in ran.out.splitlines()]
    for deal in record["deals"]:
        assert len(deal["legal"]) == len(deal["actions"])
        assert all(action in legal for action, legal in zip(deal["actions"], deal["legal"], strict=True))
    assert record["players"] == ["random", "greedy", "deepest", "random"]


def test_simulate_names_the_seed_that_it_chose(run) -> None:  # type: ignore[no-untyped-def]
    ran = run("simulate", "--rules", "deals=1")
    seed = re.fullmatch(r"seed (\d+)\n", ran.err)
    assert seed
    assert run("simulate", "--rules", "deals=1", "--seed", seed[1]).out == ran.out
    assert run("simulate", "--rules", "deals=1").out != ran.out


def test_simulate_writes_a_file_that_verifies(tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "games.jsonl"
    ran = run("simulate", "--games", "5", "--seed", "1", "--out", str(path))
    assert (ran.status, ran.out) == (0, "")
    assert f"5 games in {path}" in ran.err
    assert list(read(path)) == list(simulated(5, 1, "greedy"))
    ran = run("verify", str(path))
    assert (ran.status, ran.out, ran.err) == (0, f"{path}: 5 games, no difference\n", "")


def test_progress_is_shown_where_it_helps_and_goes_away(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(simulate, "PATIENCE", -1.0)
    assert list(simulate.progress(iter([some_game()] * 3), 3, shown=True)) == [some_game()] * 3
    shown = capsys.readouterr().err
    assert "2 of 3 games" in shown
    assert shown.endswith("\r")
    assert len(list(simulate.progress(iter([some_game()] * 3), 3, shown=False))) == 3
    assert capsys.readouterr().err == ""


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    with started("simulate", "--games", "3000", "--seed", "1", "--players", "random") as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline().startswith('{"format"')
        program.stdout.close()
        assert program.stderr.read() == ""
        assert program.wait(timeout=60) == BROKEN_PIPE


def test_nor_is_one_that_has_gone_before_the_first_word() -> None:
    """All of the output is still to be written when the program ends."""
    with started("info") as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == ""
        assert program.wait(timeout=60) == BROKEN_PIPE


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize(("by", "told"), [("SIGTERM", "ended by SIGTERM"), ("SIGHUP", "ended by SIGHUP")])
def test_other_signals_end_as_politely(tmp_path: Path, by: str, told: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("old")
    number = getattr(signal, by)
    with started("simulate", "--games", "1000000", "--seed", "1", "--out", str(path)) as program:
        wait_for(lambda: len(list(tmp_path.iterdir())) > 1)
        program.send_signal(number)
        out, err = program.communicate(timeout=60)
    assert (program.returncode, out, err.strip()) == (128 + number, "", f"persian-rummy simulate: {told}")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_command_left_is_removed_by_the_next(tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    with started("simulate", "--games", "1000000", "--seed", "1", "--out", str(tmp_path / "a.jsonl")) as program:
        wait_for(lambda: list(tmp_path.iterdir()) != [])
        program.kill()
        program.communicate(timeout=60)
    assert len(list(tmp_path.iterdir())) == 1
    assert run("simulate", "--seed", "1", "--rules", "deals=1", "--out", str(tmp_path / "b.jsonl")).status == 0
    assert [path.name for path in tmp_path.iterdir()] == ["b.jsonl"]


def test_a_fault_of_the_program_still_shows_where_it_is(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """What bad files and signals do is caught; a mistake in the code is not."""
    for error in (TypeError("planted"), KeyError("planted"), AssertionError("planted"), RuntimeError("planted")):

        def planted(error: Exception = error) -> None:
            raise error

        monkeypatch.setattr(info, "facts", planted)
        with pytest.raises(type(error), match="planted"):
            run("info")


def wait_for(seen: Callable[[], bool]) -> None:
    limit = time.monotonic() + 60
    while not seen() and time.monotonic() < limit:
        time.sleep(0.02)


def test_an_interrupt_ends_politely_and_leaves_no_file_behind(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with started("simulate", "--games", "1000000", "--seed", "1", "--out", str(path)) as program:
        limit = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and time.monotonic() < limit:
            time.sleep(0.02)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    assert program.returncode == INTERRUPTED
    assert (out, err.strip()) == ("", "persian-rummy simulate: interrupted")
    assert list(tmp_path.iterdir()) == []


# verify ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def bad_file(tmp_path: Path) -> Path:
    """Six lines: good, changed action, damaged, blank, changed score, good."""
    good, action, score = some_game(), some_game(), some_game()
    action["deals"][1]["actions"][3] = "pass"
    score["deals"][0]["score"][1] += 1
    lines = [dumps(good), dumps(action), dumps(good)[:40], "", dumps(score), dumps(good)]
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_verify_names_the_first_difference_of_every_bad_game(bad_file: Path, run) -> None:  # type: ignore[no-untyped-def]
    ran = run("verify", str(bad_file))
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert len(lines) == 4
    assert re.fullmatch(
        rf"{bad_file}: line 2, deal 2, action 4 \(deals\[1\].actions\[3\]\): expected .+; found pass", lines[0]
    )
    assert lines[1].startswith(f"{bad_file}: line 3, record: not JSON: ")
    score = some_game()["deals"][0]["score"]
    assert lines[2] == (
        f"{bad_file}: line 5, deal 1 (deals[0].score): expected {score}; found {[score[0], score[1] + 1]}"
    )
    assert lines[3] == f"{bad_file}: 5 games, 3 bad"


def test_verify_reads_many_files_and_standard_input(bad_file: Path, run, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    good = GOLDEN / "whole_game.jsonl"
    ran = run("verify", "/nowhere/at/all.jsonl", str(bad_file), str(good))
    assert ran.status == 2
    assert "/nowhere/at/all.jsonl: no such file" in ran.err
    assert ran.out.endswith(f"{bad_file}: 5 games, 3 bad\n{good}: 1 game, no difference\n")
    with started("verify", "-") as program:
        out, _ = program.communicate(good.read_text(), timeout=60)
    assert (program.returncode, out) == (0, "-: 1 game, no difference\n")


def test_a_file_without_a_record_does_not_pass(tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "empty.jsonl").write_text("\n")
    ran = run("verify", str(tmp_path / "empty.jsonl"))
    assert ran.status == 1
    assert "no record" in ran.out


# show -----------------------------------------------------------------------------------------------------------------


def told(text: str) -> Iterator[list[str]]:
    """The paragraphs of an account."""
    for paragraph in text.split("\n\n"):
        yield paragraph.strip("\n").split("\n")


def test_show_tells_a_game_turn_by_turn(run) -> None:  # type: ignore[no-untyped-def]
    ran = run("show", str(GOLDEN / "chain_take.jsonl"))
    assert (ran.status, ran.err) == (0, "")
    paragraphs = list(told(ran.out))
    assert paragraphs[0][0] == "Game 1"
    assert paragraphs[1] == ["Deal 1 of 1: seat 3 player_3 deals"]
    assert paragraphs[3] == [
        "Turn 2: seat 1 player_1",
        "   hand    8C TC 8D TD 8H TH 6S",
        "   pile    JD 7S   (top last; stock 26)",
        "   table   3S 4S 5S (seat 0)",
        "   points  12 to 0",
        "     4. take 7S",
        "     5. layoff 6S run: 6 points",
        "     6. layoff 7S run: 7 points",
        "     7. meld 8C 8D 8H: 24 points",
        "     8. meld TC TD TH: 30 points",
    ]
    assert paragraphs[4] == [
        "Deal 1 ends: seat 1 goes out",
        "   left    seat 0: 9C KC KD 2H",
        "   left    seat 1: nothing",
        "   left    seat 2: 6C 7C 2D 3D 4D 9D QS",
        "   left    seat 3: 2C 3C 4C QC 6D AD 9H",
        "                           team 0  team 1",
        "   cards laid                  12      67",
        "   sets of four at once         0       0",
        "   cards left in hands        -72     -49",
        "   going out                    0      25",
        "   deal                       -60      43",
        "   game so far                -60      43",
    ]
    assert paragraphs[5] == ["Result: -60 to 43, team 1 wins"]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_score_of_every_deal_adds_up_in_its_account(path: Path) -> None:
    [record] = read(path)
    text = transcript(record)
    parts = ("cards laid", "sets of four at once", "cards left in hands", "going out", "deal")
    rows = [
        [tuple(map(int, row)) for row in re.findall(rf"^   {part} +(-?\d+) +(-?\d+)$", text, re.MULTILINE)]
        for part in parts
    ]
    deals = list(zip(*rows, strict=True))
    assert [deal[-1] for deal in deals] == [tuple(deal["score"]) for deal in record["deals"]]
    for *summands, total in deals:
        assert tuple(map(sum, zip(*summands, strict=True))) == total
    numbers = [int(number) for number in re.findall(r"^ +(\d+)\. ", text, re.MULTILINE)]
    assert numbers == [n for deal in record["deals"] for n in range(1, len(deal["actions"]) + 1)]


def test_show_is_in_colour_where_that_is_wanted(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain = run("show", str(GOLDEN / "chain_take.jsonl"))
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = run("show", str(GOLDEN / "chain_take.jsonl"))
    assert "\x1b" not in plain.out
    assert coloured.out.count("\x1b[32m") > 10
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.out) == plain.out


def test_show_tells_what_an_action_brought() -> None:
    def lines(name: str) -> list[str]:
        [record] = read(GOLDEN / f"{name}.jsonl")
        return [line.strip() for line in transcript(record).splitlines()]

    assert "2. meld JK JK JK JK: 160 points, four at once count double" in lines("four_jokers")
    assert "6. meld JK JK JK JK: 80 points" in lines("only_jacks")
    assert "9. take 7S: with 3D 5D 8D JD" in lines("deep_take")
    assert "5. take JK2: with JK" in lines("take_joker")
    assert "58. pass: 4 in a row" in lines("four_passes")
    assert "hand    empty" in lines("empty_hand")
    assert "table   3S 4S 5S (seat 0)" in lines("both_ends")
    assert "Deal 1 ends: nobody goes out" in lines("first_pass")
    assert "Result: -110 to -110, a tie" in lines("first_pass")


def test_show_chooses_a_game_and_names_one_that_does_not_replay(bad_file: Path, run) -> None:  # type: ignore[no-untyped-def]
    ran = run("show", str(bad_file), "--game", "5")
    assert ran.status == 0
    assert ran.out == "Game 5\n" + transcript(some_game()) + "\n"
    ran = run("show", str(bad_file))
    assert ran.status == 1
    assert re.findall(r"^Game \d", ran.out, re.MULTILINE) == ["Game 1", "Game 5"]
    assert [line.split(", ")[0] for line in ran.err.splitlines()] == [
        f"persian-rummy show: {bad_file}: line {line}" for line in (2, 3, 5)
    ]


def test_show_makes_a_page_of_the_games_that_replay(bad_file: Path, tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    page = tmp_path / "games.html"
    ran = run("show", str(bad_file), "--html", str(page), "--viewer", "open")
    assert ran.status == 1
    assert ran.out == ""
    *faults, last = ran.err.splitlines()
    assert [line.partition(",")[0] for line in faults] == [
        f"persian-rummy show: {bad_file}: line {line}" for line in (2, 3, 5)
    ]
    assert last.split() == ["wrote", str(page)]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(tmp_path.glob(".*")) == []


def test_show_leaves_no_page_without_a_game(bad_file: Path, tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    page = tmp_path / "games.html"
    page.write_text("an older one")
    ran = run("show", str(bad_file), "--game", "2", "--html", str(page))
    assert ran.status == 1
    assert "no game to show" in ran.err
    assert page.read_text() == "an older one"


def test_show_asks_policies(run) -> None:  # type: ignore[no-untyped-def]
    argv = [
        "show",
        str(GOLDEN / "chain_take.jsonl"),
        "--html",
        "-",
        "--viewer",
        "open",
        "--policy",
        "expert",
        "--worlds",
        "2",
    ]
    ran = run(*argv)
    assert ran.status == 0
    assert ran.out.startswith("<!doctype html>")


def test_a_page_without_policies_needs_no_agents() -> None:
    program = (
        "import sys\n"
        "from persian_rummy_env.cli import program as cli\n"
        f"cli.main(['show', {str(GOLDEN / 'chain_take.jsonl')!r}, '--html', '-', '--viewer', 'open'])\n"
        "print(*sorted({'agents', 'torch', 'train'} & set(sys.modules)), file=sys.stderr)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("<!doctype html>")
    assert ran.stderr.strip() == ""


# info -----------------------------------------------------------------------------------------------------------------


def test_info_names_versions_cache_threads_and_sizes(run) -> None:  # type: ignore[no-untyped-def]
    ran = run("info")
    assert ran.status == 0
    for word in ("numba", "cores", "504 bytes", "1020 bytes", "547", "quad_bonus"):
        assert word in ran.out
    assert info.version_of("no-such-library") == "not installed"


def test_the_version_is_that_of_the_package(run) -> None:  # type: ignore[no-untyped-def]
    from persian_rummy_env import __version__

    assert run("--version").out == f"persian-rummy {__version__}\n"


@pytest.mark.parametrize("door", ["act", "probabilities", "__init__"])
@pytest.mark.parametrize("error", [ValueError, RuntimeError, KeyError, TypeError, AttributeError])
def test_a_programming_error_in_a_policy_is_seen_as_one(
    door: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def planted(self: Any, batch: Any = None) -> Any:
        raise error("planted")

    monkeypatch.setattr(strangers.First, door, planted, raising=False)
    for worlds in ("0", "2"):
        page, policy = str(tmp_path / "page.html"), "python:tests.agents.strangers:First"
        with pytest.raises((error, PolicyError), match="planted"):
            cli.main(["show", f"{GOLDEN}/first_pass.jsonl", "--html", page, "--policy", policy, "--worlds", worlds])
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("worlds", ["0", "2"])
def test_a_policy_that_answers_wrongly_is_told_in_a_line(worlds: str, capsys: pytest.CaptureFixture[str]) -> None:
    policy = "python:tests.agents.strangers:Unmasked"
    given = ["show", f"{GOLDEN}/first_pass.jsonl", "--html", "-", "--policy", policy, "--worlds", worlds]
    assert cli.main(given) == 2
    asking, line = capsys.readouterr().err.splitlines()
    assert re.match(r"asking \S+ about \d+ decisions …", asking)
    assert "Unmasked" in line
    assert "not legal" in line


# Policies -------------------------------------------------------------------------------------------------------------


def test_a_match_prints_its_result_or_json(run) -> None:  # type: ignore[no-untyped-def]
    result = persian_rummy_env.match("greedy", "random", 20, seed=3)
    ran = run("match", "greedy", "random", "--pairs", "20", "--seed", "3")
    assert (ran.status, ran.out) == (0, f"{result}\n")
    ran = run("match", "greedy", "random", "--pairs", "20", "--seed", "3", "--json")
    told = json.loads(ran.out)
    assert (told["a"], told["b"], told["pairs"], told["margin"]) == ("greedy", "random", 20, result.margin)


def test_a_tournament_prints_ratings_and_margins(run) -> None:  # type: ignore[no-untyped-def]
    ran = run("tournament", "random,deepest,greedy", "--pairs", "20")
    assert ran.status == 0
    ratings, margins = ran.out.split("\n\n")
    order = [line.split()[0] for line in ratings.splitlines()[1:]]
    assert sorted(order) == ["deepest", "greedy", "random"]
    assert order[-1] == "random"
    assert [line.split()[0] for line in margins.splitlines()[1:]] == order
    assert len(ran.err.splitlines()) == 3


def test_cross_play_prints_a_cell_for_each_team_and_the_gap(run) -> None:  # type: ignore[no-untyped-def]
    ran = run("cross-play", "greedy,random", "--against", "deepest", "--pairs", "8")
    assert ran.status == 0
    head, *rows, gap = ran.out.splitlines()
    assert head.split() == [row.split()[0] for row in rows] == ["greedy", "random"]
    assert all(row.count("±") == 2 for row in rows)
    assert gap.startswith("gap: ")


@pytest.mark.parametrize(
    ("argv", "messages"),
    [
        ("match greedy nobody", ["'nobody'"]),
        ("match greedy random --within nan", ["--within", "'nan'"]),
        ("match champion greedy --rules stock_out=end", ["champion", "stock_out=pass", "stock_out=end"]),
        ("match file:none.safetensors greedy", ["none.safetensors"]),
        ("match python:tests.agents.strangers:Unmasked random --pairs 2", ["Unmasked", "not legal"]),
        ("tournament greedy", ["at least two"]),
        ("tournament greedy,greedy", ["greedy", "twice"]),
        ("cross-play greedy,", ["greedy,"]),
        ("simulate --players python:tests.agents.strangers:Unmasked", ["Unmasked", "not legal"]),
    ],
)
def test_what_is_wrong_with_policies_is_told_in_a_line(argv: str, messages: Sequence[str], run) -> None:  # type: ignore[no-untyped-def]
    ran = run(*argv.split())
    assert (ran.status, ran.out) == (2, "")
    assert "Traceback" not in ran.err
    for message in messages:
        assert message in ran.err.splitlines()[-1]


def test_any_policy_can_be_recorded(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "games.jsonl"
    ran = run("simulate", "--games", "3", "--seed", "5", "--players", "champion,random", "--out", str(out))
    assert ran.status == 0
    assert run("verify", str(out)).status == 0
    records = list(read(out))
    assert records[0]["players"] == ["champion", "random"] * 2
    assert records == persian_rummy_env.record("champion,random", 3, seed=5)
    assert records[:2] == list(simulated(2, 5, ["champion", "random"], batch_size=1))


def test_policies_one_by_one_play_the_games_of_the_compiled_loop() -> None:
    class Asked:
        """A bot that is not known to be one."""

        wants_views = True

        def __init__(self, name: str) -> None:
            self.name, self.bot = name, persian_rummy_env.load(name)

        def act(self, batch):  # type: ignore[no-untyped-def]
            return self.bot.act(batch)

    asked = persian_rummy_env.record([Asked("deepest"), Asked("greedy")], 3, seed=6)
    assert asked == persian_rummy_env.record("deepest,greedy", 3, seed=6)


@pytest.mark.parametrize(("command", "library"), [("play", "rich"), ("serve", "uvicorn"), ("serve", "websockets")])
def test_a_game_without_its_libraries_says_what_to_install(
    command: str, library: str, run, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("persian_rummy_env.cli.apps.find_spec", lambda name: None if name == library else True)
    ran = run(command)
    assert (ran.status, ran.out) == (2, "")
    [line] = ran.err.splitlines()
    assert library in line
    assert "persian-rummy-rl[play]" in line


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_everything_is_compiled_by_warm_up(run) -> None:  # type: ignore[no-untyped-def]
    ran = run("warm-up")
    assert ran.status == 0
    assert all(group in ran.out for group in KERNEL_GROUPS)
