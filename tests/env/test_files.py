"""Files are whole or not there, whatever happens to the process that writes them."""

import errno
import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from persian_rummy_env.system import files
from persian_rummy_env.system.files import FileError, explained, remove_stale, whole_file, write_whole

POSIX = pytest.mark.skipif(os.name != "posix", reason="this system has no such files, limits or signals")


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def python(script: str, *args: object) -> subprocess.Popen[str]:
    """A process that runs a script, which says ``ready`` when it is at the place that matters."""
    words = [sys.executable, "-c", textwrap.dedent(script), *map(str, args)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


WRITING = """
import sys, time
from persian_rummy_env.system.files import whole_file
with whole_file(sys.argv[1]) as file:
    file.write("a part")
    file.flush()
    print("ready", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def writer(tmp_path: Path):
    """A process in the middle of writing ``tmp_path / "file"``."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITING, str(tmp_path / "file")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.communicate()


# Whole or not there ---------------------------------------------------------------------------------------------------


def test_a_file_appears_when_all_of_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with whole_file(path) as file:
        file.write("né\n")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_bytes() == b"n\xc3\xa9\n"
    with whole_file(path, binary=True) as file:
        file.write(b"\0\r\n")
    assert path.read_bytes() == b"\0\r\n"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(), ValueError(), OSError(errno.ENOSPC, "full")], ids=repr
)
def test_an_exception_leaves_the_old_file_and_no_other(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def write() -> None:
        with whole_file(path) as file:
            file.write("new")
            raise error

    with pytest.raises(type(error)):
        write()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


@POSIX
def test_a_disk_that_is_full_is_named_with_the_file(tmp_path: Path) -> None:
    """A limit on the size of files, which is what a full disk looks like from inside."""
    script = """
    import resource, sys
    from persian_rummy_env.system.files import write_whole
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    try:
        write_whole(sys.argv[1], b"x" * 5000)
    except OSError as error:
        print(type(error).__name__, error)
    """
    path = tmp_path / "file"
    path.write_text("old")
    report, _ = python(script, path).communicate()
    assert report.startswith(f"FileError {path}: ")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


def test_two_at_once_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with whole_file(path) as one, whole_file(path) as other:
        one.write("one " * 10_000)
        other.write("other " * 10_000)
    assert path.read_text() in ("one " * 10_000, "other " * 10_000)
    assert names(tmp_path) == ["file"]


def test_folders_are_made_where_asked_for(tmp_path: Path) -> None:
    write_whole(tmp_path / "a" / "b" / "file", "text")
    assert (tmp_path / "a" / "b" / "file").read_text() == "text"
    with pytest.raises(FileError, match="/file: is a file, not a folder"):
        write_whole(tmp_path / "a" / "b" / "file" / "c" / "d", "text")


def test_the_longest_names_can_be_written(tmp_path: Path) -> None:
    name = "é" * 120 + "n" * 15  # 255 bytes
    write_whole(tmp_path / name, "text")
    assert names(tmp_path) == [name]


@POSIX
def test_a_file_is_written_through_a_link_and_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("old")
    target.chmod(0o600)
    (tmp_path / "link").symlink_to(target)
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


# What is no file ------------------------------------------------------------------------------------------------------


@POSIX
def test_what_is_no_file_is_written_straight_and_never_replaced(tmp_path: Path) -> None:
    """A pipe of our own, not a device of the machine: a fault here would put a file in its place."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with whole_file(pipe) as file:
            file.write("through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert names(tmp_path) == ["pipe"]


@POSIX
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("to_file", [False, True], ids=["pipe", "file"])
def test_the_own_output_is_written_straight(tmp_path: Path, name: str, to_file: bool) -> None:
    if not Path(name).exists():
        pytest.skip(f"this system has no {name}")
    script = """
    import sys
    from persian_rummy_env.system.files import whole_file
    print("before")
    with whole_file(sys.argv[1]) as file:
        file.write("through\\n")
    print("after")
    """
    if to_file:
        with (tmp_path / "out").open("w") as out:
            subprocess.run([sys.executable, "-c", textwrap.dedent(script), name], check=True, stdout=out)
        report = (tmp_path / "out").read_text()
    else:
        report, _ = python(script, name).communicate()
    assert report == "before\nthrough\nafter\n"


# Errors ---------------------------------------------------------------------------------------------------------------


def refusal(path: Path | str) -> str:
    with pytest.raises(FileError) as report, whole_file(path):
        pytest.fail("it was opened")
    assert "\n" not in str(report.value)
    assert "Errno" not in str(report.value)
    assert "unfinished" not in str(report.value)
    assert str(report.value) == explained(report.value)
    return str(report.value)


def test_errors_name_what_is_missing_or_in_the_way(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    assert refusal(tmp_path / "a" / "b" / "new") == f"{tmp_path / 'a'}: no such folder"
    assert refusal(file / "new") == f"{file}: is a file, not a folder"
    assert refusal(file / "a" / "new") == f"{file}: is a file, not a folder"
    assert refusal(tmp_path).startswith(f"{tmp_path}: is a folder")
    assert refusal(f"{tmp_path / 'new'}/").startswith(f"{tmp_path / 'new'}/: is a folder")
    assert refusal("") == "'': expected the name of a file"
    assert names(tmp_path) == ["file"]


def test_an_error_of_reading_is_told_without_its_number(tmp_path: Path) -> None:
    with pytest.raises(OSError) as report:
        (tmp_path / "none").read_bytes()
    assert explained(report.value) == f"{tmp_path / 'none'}: no such file or folder"


# What processes leave -------------------------------------------------------------------------------------------------


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path, writer: subprocess.Popen[str]) -> None:
    (tmp_path / ".hidden").write_text("mine")
    (tmp_path / "x.0a.unfinished").write_text("mine")
    writer.kill()
    writer.wait()
    assert len(names(tmp_path)) == 3
    write_whole(tmp_path / "another", "text")
    assert names(tmp_path) == [".hidden", "another", "x.0a.unfinished"]


def test_what_a_live_process_writes_stays(tmp_path: Path, writer: subprocess.Popen[str]) -> None:
    assert len(names(tmp_path)) == 1
    remove_stale(tmp_path)
    write_whole(tmp_path / "file", "of another")
    assert len(names(tmp_path)) == 2
    writer.communicate("go on\n")
    assert (tmp_path / "file").read_text() == "a part"
    assert names(tmp_path) == ["file"]


def test_a_folder_that_is_not_there_has_nothing_stale(tmp_path: Path) -> None:
    remove_stale(tmp_path / "none")


@POSIX
def test_a_signal_that_becomes_an_exception_leaves_nothing(tmp_path: Path) -> None:
    script = """
    import sys, time
    from persian_rummy_env.system.files import whole_file
    from persian_rummy_env.system.signals import Ended, on_ending
    try:
        with on_ending(), whole_file(sys.argv[1]) as file:
            file.write("a part")
            print("ready", flush=True)
            time.sleep(60)
    except Ended as told:
        print(told, told.status)
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = python(script, tmp_path / "file")
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        report, _ = process.communicate(timeout=20)
        assert report.split()[-1] == str(128 + number)
        assert names(tmp_path) == []


@POSIX
def test_a_system_without_locks_has_no_open_file_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses to rename a file that is open, by whatever descriptor."""
    replace = os.replace

    def closed(source: Path, target: Path) -> None:
        opened = list(Path("/dev/fd").iterdir())
        assert str(source) not in [str(one.readlink()) for one in opened if one.is_symlink()]
        replace(source, target)

    monkeypatch.setattr(files, "fcntl", None)
    monkeypatch.setattr(os, "replace", closed)
    write_whole(tmp_path / "a", b"all")
    assert (tmp_path / "a").read_bytes() == b"all"
