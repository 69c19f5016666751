"""Files from elsewhere, as the commands meet them: compressed, foreign, endless, hostile."""

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from persian_rummy_env.cli import program as cli
from persian_rummy_env.cli.command import Faults
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled
from persian_rummy_env.records.record import RecordError, dumps, loads, read, write
from persian_rummy_env.records.replay import MOST_PLAYED, verify
from persian_rummy_env.system.command_line import BROKEN_PIPE
from persian_rummy_env.system.files import FileError
from persian_rummy_env.system.lines import LONGEST_LINE, open_lines
from tests.env.records import some_game

HOSTILE = "\x1b[31mred\x1b]0;owned\x07\r\nforged: 1 game, no difference\u202e\ud800"
HARMFUL = ("\x1b", "\x07", "\r", "\u202e", "\ud800")
COMMANDS = ("verify", "stats", "show")


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """So that no notice of compiling comes between."""
    ensure_compiled("game records")


class Ran:
    """What a command wrote, and its exit status."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err
        self.report = out + err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def run(*argv: object) -> Ran:
        status = cli.main([str(word) for word in argv])
        report = capsys.readouterr()
        return Ran(status, report.out, report.err)

    return run


def good() -> bytes:
    return (dumps(some_game()) + "\n").encode()


# Compressed -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 3], ids=["one", "three members"])
def test_what_gzip_packed_is_read(tmp_path: Path, parts: int, run) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "games"  # known by its content, not by its name
    path.write_bytes(gzip.compress(good()) * parts)
    assert list(read(path)) == [some_game()] * parts
    ran = run("verify", path)
    assert (ran.status, ran.out, ran.err) == (0, f"{path}: {parts} game{'s' * (parts > 1)}, no difference\n", "")
    assert run("stats", path).out.startswith(f"{parts} game")
    assert run("show", path).out.count("Game ") == parts
    ran = subprocess.run(
        [sys.executable, "-m", "persian_rummy_env", "verify", "-"],
        input=path.read_bytes(),
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (
        0,
        f"-: {parts} game{'s' * (parts > 1)}, no difference".encode(),
    )


def test_a_name_that_says_so_is_written_compressed(tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "games.jsonl.gz"
    assert run("simulate", "--games", 2, "--seed", 1, "--rules", "deals=1", "--out", path).status == 0
    content = path.read_bytes()
    assert len(gzip.decompress(content).splitlines()) == 2
    assert write(path, list(read(path))) == 2
    assert path.read_bytes() == content


@pytest.mark.parametrize("command", COMMANDS)
def test_compressed_data_that_is_damaged_is_told_with_its_place(tmp_path: Path, command: str, run) -> None:  # type: ignore[no-untyped-def]
    packed = gzip.compress(good() * 2)
    path = tmp_path / "games.jsonl.gz"
    for damaged, word in (
        (packed[:-20], "ends too early"),
        (packed[:12], "ends too early"),
        (packed[:-8] + bytes(4) + packed[-4:], "CRC"),
        (packed + b"garbage", "damaged after line 2"),
        (packed[:10] + b"\xff" * 20, "damaged after line 0"),
    ):
        path.write_bytes(damaged)
        ran = run(command, path)
        assert ran.status == 2
        [line] = ran.err.splitlines()
        assert line.startswith(f"persian-rummy {command}: error: {path}: its compressed data ")
        assert word in line


BOMB = """
import resource, sys
from persian_rummy_env.cli import program as cli
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
status = cli.main(["verify", sys.argv[1]])
print(status, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory in kilobytes")
def test_a_bomb_is_read_in_little_memory(tmp_path: Path) -> None:
    """100 MB in one line, in half a megabyte."""
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(100):
            file.write(bytes(1_000_000))
    ran = subprocess.run([sys.executable, "-c", BOMB, str(path)], capture_output=True, text=True, check=True)
    status, megabytes = map(int, ran.stdout.split()[-2:])
    assert status == 2
    assert "not a file of records: line 1, record: longer than" in ran.stderr
    assert megabytes < 90


# No file of records ---------------------------------------------------------------------------------------------------


HTML = b"<!DOCTYPE html>\n<html>\n" + b"<p>not found</p>\n" * 500
FOREIGN = {
    "a page": (HTML, "not JSON"),
    "a short page": (HTML[:23], "not JSON"),
    "bytes": (bytes(range(256)) * 50, "not JSON"),
    "other JSON": (b'{"a": 1}\n' * 30, "format: expected"),
    "UTF-16": (good().decode().encode("utf-16"), "UTF-16"),
    "xz": (b"\xfd7zXZ\0\0\4" + bytes(50), "xz"),
    "a zip archive": (b"PK\3\4" + bytes(50), "zip"),
}


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("command", COMMANDS)
def test_of_what_is_no_file_of_records_one_line_says_so(tmp_path: Path, name: str, command: str, run) -> None:  # type: ignore[no-untyped-def]
    content, word = FOREIGN[name]
    path = tmp_path / "file"
    path.write_bytes(content)
    ran = run(command, path)
    assert (ran.status, ran.out) == (2, "")
    [line] = ran.err.splitlines()
    assert line.startswith(f"persian-rummy {command}: error: {path}: ")
    assert word in line
    path.write_bytes(gzip.compress(content))
    assert len(run(command, path).err.splitlines()) == 1


def test_a_file_that_is_bad_all_through_is_told_in_few_lines_and_the_next_is_read(tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    bad, fine = tmp_path / "bad", tmp_path / "fine"
    bad.write_bytes(good() + b'{"format": "persian-rummy/1"}\n' * 1000)
    fine.write_bytes(good())
    ran = run("verify", bad, fine)
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert len(lines) == Faults.MOST + 3
    assert lines[0] == f"{bad}: line 2, rules: missing"
    assert lines[-3:] == [
        f"{bad}: and {1000 - Faults.MOST} more",
        f"{bad}: 1001 games, 1000 bad",
        f"{fine}: 1 game, no difference",
    ]
    assert len(run("stats", bad).err.splitlines()) == Faults.MOST + 1
    assert len(run("show", bad).err.splitlines()) == Faults.MOST + 1


def test_bad_lines_before_the_first_good_one_are_told(tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "file"
    path.write_bytes(b"x\n" * 5 + good())
    ran = run("verify", path)
    assert [line.split(": ")[1] for line in ran.out.splitlines()[:5]] == [f"line {n}, record" for n in range(1, 6)]
    assert ran.out.splitlines()[-1] == f"{path}: 6 games, 5 bad"


@pytest.mark.parametrize("command", COMMANDS)
def test_folders_and_missing_files_are_told_in_a_line(tmp_path: Path, command: str, run) -> None:  # type: ignore[no-untyped-def]
    for path, word in (
        (tmp_path, "is a folder"),
        (tmp_path / "none", "no such file"),
        (tmp_path / "a" / "b", "no such"),
    ):
        ran = run(command, path)
        assert (ran.status, ran.out) == (2, "")
        [line] = ran.err.splitlines()
        assert line.startswith(f"persian-rummy {command}: error: {path}: {word}")
        assert "Errno" not in line


# Hostile --------------------------------------------------------------------------------------------------------------


def hostile(tmp_path: Path) -> Path:
    """Names and text that act on a terminal, in a good record and in every kind of bad one; and in the file's name."""
    fine, action, legal, rule, field, value = (some_game() for _ in range(6))
    fine["players"] = [HOSTILE, "all seats", "$\\frac$", "_x" * 10_000]
    action["deals"][0]["actions"][0] = HOSTILE
    legal["deals"][0]["legal"][0] = [HOSTILE] * 1000  # type: ignore[typeddict-item]
    rule["rules"][HOSTILE] = 1
    field[HOSTILE] = 1  # type: ignore[literal-required]
    value["players"][0] = {HOSTILE: HOSTILE}  # type: ignore[call-overload]
    twice = dumps(fine)[:-1] + ', "\\u001b": 1, "\\u001b": 2}'
    lines = [*map(dumps, (fine, action, legal, rule, field, value)), twice]
    path = tmp_path / "\x1b[31m\nfile"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_in_a_file_acts_on_the_terminal(tmp_path: Path, command: str, run) -> None:  # type: ignore[no-untyped-def]
    path = hostile(tmp_path)
    ran = run(command, path)
    assert ran.status == 1
    assert not [character for character in HARMFUL if character in ran.report]
    assert not [line for line in ran.report.splitlines() if line.startswith(("forged", "file"))]
    for line in range(2, 8):
        assert f"line {line}, " in ran.report
    assert max(map(len, ran.report.splitlines())) < 5000


@pytest.mark.parametrize("command", COMMANDS)
def test_an_ascii_terminal_stops_nothing(tmp_path: Path, command: str) -> None:
    game = some_game()
    game["players"] = ["شطرنج é 漢字 🂡", "\ud83d", "b", "c"]
    path = tmp_path / "games.jsonl"
    path.write_text(dumps(game) + "\n" + dumps(game) + "\n")
    environment = os.environ | {"PYTHONIOENCODING": "ascii:strict"}
    words = [sys.executable, "-m", "persian_rummy_env", command, str(path), *([str(path)] if command != "show" else [])]
    ran = subprocess.run(words, capture_output=True, env=environment, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.isascii()
    if command != "verify":
        assert rb"\u0634" in ran.stdout
        assert rb"\ud83d" in ran.stdout


def test_a_page_is_utf_8_whatever_the_terminal_takes(tmp_path: Path) -> None:
    game = some_game()
    game["players"] = ["é", "\ud83d", "b", "c"]
    path = tmp_path / "games.jsonl"
    path.write_text(dumps(game) + "\n")
    words = [sys.executable, "-m", "persian_rummy_env", "show", str(path), "--viewer", "open", "--html"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii:strict"}
    shown = subprocess.run([*words, "-"], capture_output=True, env=environment, check=True).stdout
    assert cli.main([*words[3:], str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_bytes() == shown
    shown.decode()


def test_names_that_collide_with_rows_are_names(tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    names = ["all seats", "seat 0", "SEAT 1 ", ""]
    game = some_game()
    game["players"] = names
    plain = some_game()
    plain["players"] = list("abcd")
    (tmp_path / "rows").write_text(dumps(game) + "\n")
    (tmp_path / "plain").write_text(dumps(plain) + "\n")
    rows, others = (run("stats", tmp_path / name).out for name in ("rows", "plain"))
    shown = [line.split("  ")[1:2] for line in rows.splitlines() if line.startswith("  ")]
    for label in ('"all seats"', '"seat 0"', '"SEAT 1 "', '""'):
        assert [label] in shown
    assert rows.count("\n  all seats ") == others.count("\n  all seats ") == 3
    numbers = [
        [line.split()[-1] for line in text.splitlines() if line.startswith("  all seats")] for text in (rows, others)
    ]
    assert numbers[0] == numbers[1]
    found = json.loads(run("stats", tmp_path / "rows", "--json", "-").out)
    assert found["policies"].keys() == set(names)
    assert found["all"] == json.loads(run("stats", tmp_path / "plain", "--json", "-").out)["all"]


def test_names_are_drawn_whatever_they_are(tmp_path: Path, run, recwarn) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("matplotlib")
    path, picture = hostile(tmp_path), tmp_path / "stats.png"
    assert run("stats", path, "--plot", picture).status == 1
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert [str(warning.message) for warning in recwarn if "Glyph" in str(warning.message)] == []


# Big ------------------------------------------------------------------------------------------------------------------


def seconds_of(line: str) -> float:
    start = time.perf_counter()
    with pytest.raises(RecordError) as report:
        loads(line)
    assert len(str(report.value)) < 200
    return time.perf_counter() - start


KEYS = ", ".join(f'"key {number}": 1' for number in range(100_000))
BIG = {
    "keys, one twice": f'{{{KEYS}, "key 0": 2}}',
    "keys, all twice": f"{{{KEYS}, {KEYS}}}",
    "a long key": '{"format": "persian-rummy/1", "' + "k" * 1_000_000 + '": 1}',
    "deep": "[" * 1_000_000,
    "deep and closed": '{"a":' * 900 + "1" + "}" * 900,
    "digits": '{"seed": ' + "9" * 1_000_000 + "}",
    "an exponent": '{"format": 1e999}',
    "a list": "[" + "1," * 1_000_000 + "1]",
    "text": '"' + "\\u001b" * 300_000 + '"',
}


@pytest.mark.parametrize("name", BIG)
def test_time_and_message_stay_small(name: str) -> None:
    """What grew with the square took minutes for these."""
    assert seconds_of(BIG[name]) < 5


def test_a_line_that_is_too_long_is_told_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "games"
    with path.open("wb") as file:
        file.write(good() + b" " * (LONGEST_LINE + 5_000_000) + b"x\n" + good())
    with open_lines(path) as lines:
        assert [len(line) for line in lines] == [len(good()), LONGEST_LINE + 1, len(good())]
    assert cli.main(["verify", str(path)]) == 1


def test_a_game_of_a_million_actions_is_judged_by_its_start() -> None:
    """Each state on the way takes half a kilobyte."""
    game = some_game()
    del game["deals"][1]["legal"]  # type: ignore[typeddict-item]
    known = len(game["deals"][1]["actions"])
    game["deals"][1]["actions"] += ["draw"] * 1_000_000
    difference = verify(game)
    assert difference is not None
    assert difference.field == f"deals[1].actions[{known}]"
    game["deals"][0]["actions"] = game["deals"][0]["actions"] * 5000
    del game["deals"][0]["legal"]  # type: ignore[typeddict-item]
    difference = verify(game)
    assert difference is not None
    assert (difference.deal, MOST_PLAYED) == (0, 1601)


def test_an_endless_file_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("persian_rummy_env.system.lines.MOST_SKIPPED", 2**22)
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(LONGEST_LINE + 2**23)
    with pytest.raises(FileError, match="line 1 does not end"), open_lines(path) as lines:
        list(lines)


# Output ---------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(
    "option",
    [
        "simulate --games 1 --seed 3 --rules deals=1 --out",
        "show {} --viewer open --html",
        "stats {} --json",
        "stats {} --plot",
    ],
)
def test_every_output_may_be_a_pipe(tmp_path: Path, option: str) -> None:
    if "--plot" in option:
        pytest.importorskip("matplotlib")
    (tmp_path / "games").write_bytes(good())
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    words = [sys.executable, "-m", "persian_rummy_env", *option.format(tmp_path / "games").split(), str(pipe)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as program:
        content = pipe.read_bytes()
        assert program.wait(timeout=120) == 0
    assert content[:1] in b"{<\x89"
    assert len(content) > 500
    assert pipe.is_fifo()


def test_a_full_output_is_told_in_a_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    with Path("/dev/full").open("w") as full:
        words = [sys.executable, "-m", "persian_rummy_env", "info"]
        ran = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == "persian-rummy info: error: standard output: no space left on the device\n"


@pytest.mark.skipif(os.name != "posix", reason="closes outputs as a shell does")
def test_a_closed_output_is_no_error() -> None:
    closed = (
        "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, '-m', 'persian_rummy_env', 'info'])"
    )
    ran = subprocess.run([sys.executable, "-c", closed], stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    head = f"{sys.executable} -m persian_rummy_env info 2>&1 | head -0; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", head], capture_output=True, text=True, check=False)
    assert (ran.stdout.strip(), ran.stderr) in ((str(BROKEN_PIPE), ""), ("0", ""))
