"""Importing compiles nothing; compiled code is kept, is said to be made, and follows every edit of its sources."""

import ast
import io
import json
import os
import pickle
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from persian_rummy_env.core.compiler import jit
from persian_rummy_env.core.compiler.code_store import CodeStore
from tests.env.play import COMPILED

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "persian_rummy_env"
compiles = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
pytestmark = pytest.mark.first  # and so in one process, which compiles the engine once for all of them


def start(program: str, root: Path, cache: Path | str, **environment: str) -> subprocess.Popen[str]:
    """A program in a fresh process that finds the package in ``root`` and keeps compiled code in ``cache``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONPATH", "NUMBA_CACHE"))}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        cwd=root,
        env={**kept, "PERSIAN_RUMMY_CACHE_DIR": str(cache), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(program: str, root: Path, cache: Path | str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The same, to its end."""
    process = start(program, root, cache, **environment)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return subprocess.CompletedProcess(process.args, 0, out, err)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# Importing ------------------------------------------------------------------------------------------------------------

HEAVY = {"numba", "llvmlite", "torch", "PIL", "matplotlib", "scipy"}


def test_importing_the_package_loads_nothing_heavy(tmp_path: Path) -> None:
    program = (
        "import sys, persian_rummy_env as p\n"
        "p.encode_action('take 7S'), p.decode_action(0), p.encode_card('JK'), p.RuleSet(), dir(p)\n"
        f"print(*sorted({HEAVY} & set(sys.modules)))"
    )
    shown = run(program, ROOT, tmp_path / "cache")
    assert (shown.stdout.strip(), shown.stderr) == ("", "")
    assert not (tmp_path / "cache").exists()


def test_importing_the_environments_needs_no_torch_and_compiles_nothing(tmp_path: Path) -> None:
    program = (
        "import sys, persian_rummy_env as p\n"
        "p.PersianRummyVecEnv, p.env, p.raw_env, p.draw_for_partners, p.lane_seeds\n"
        f"print(*sorted({HEAVY} & set(sys.modules)))\n"
    )
    shown = run(program, ROOT, tmp_path)
    assert "numba" in shown.stdout
    assert not {"torch", "matplotlib"} & set(shown.stdout.split())
    assert shown.stderr == ""
    assert [name for name in files(tmp_path) if name.endswith((".nbi", ".nbc"))] == []


# Compiling ------------------------------------------------------------------------------------------------------------

PLAY = """
import numpy as np, persian_rummy_env
env = persian_rummy_env.PersianRummyVecEnv(2)
env.reset(seed=1)
for _ in range(9):
    shown = env.step(env.sample_actions())
env.step(env.sample_actions(np.random.default_rng(0)))
env.observe(2)
table = persian_rummy_env.env()
table.reset(seed=1)
table.step(0)
print(shown.seat.tolist())
"""


MAKE = "import persian_rummy_env\npersian_rummy_env.PersianRummyVecEnv(1)"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A cache into which one process has compiled the game engine, and what that process said."""
    cache = tmp_path_factory.mktemp("engine")
    return cache, run(MAKE, ROOT, cache).stderr


@pytest.fixture
def cache(engine: tuple[Path, str], tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(engine[0], tmp_path / "cache"))


def kernels(cache: Path) -> list[Path]:
    """The files that a process which plays will read."""
    (listed,) = cache.glob("*/compiled-game engine-*")
    content = CodeStore(listed.parent).read(listed.name)
    assert content is not None
    return [listed.parent / name for name in json.loads(content)]


@compiles
def test_the_first_compile_is_told_of_and_is_all_there_is(engine: tuple[Path, str]) -> None:
    """Making an environment compiles whatever playing needs, so that no step is ever slow without a word."""
    cache, report = engine
    printed = report.splitlines()
    assert len(printed) == 2
    assert printed[0].startswith("persian_rummy_env: compiling the game engine, kept in ")
    assert str(cache) in printed[0]
    assert printed[1].startswith("persian_rummy_env: compiled in ")
    assert printed[1].endswith(" s")
    kept = files(cache)
    assert any(name.endswith(".nbc") for name in kept)
    second = run(PLAY, ROOT, cache)
    assert second.stderr == ""
    assert files(cache) == kept, "the first compile has left something uncompiled"


@compiles
def test_a_checkout_of_equal_sources_uses_the_same_code(engine: tuple[Path, str], tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "persian_rummy_env", ignore=shutil.ignore_patterns("__pycache__"))
    kept = files(engine[0])
    assert run(PLAY + "print(persian_rummy_env.__file__)", tmp_path, engine[0]).stderr == ""
    assert files(engine[0]) == kept


READ_ONLY = """
import os, sys
def refuse(event, args):
    writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if (writes or event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir")) and str(args[0]).startswith(CACHE):
        raise OSError(30, "Read-only file system", str(args[0]))
CACHE = os.environ["PERSIAN_RUMMY_CACHE_DIR"]
sys.addaudithook(refuse)
"""


@compiles
def test_a_whole_cache_that_cannot_be_written_is_used(engine: tuple[Path, str]) -> None:
    """As that of another user, or of a container's image."""
    assert run(READ_ONLY + PLAY, ROOT, engine[0]).stderr == ""


@compiles
def test_what_a_cache_that_cannot_be_written_lacks_is_compiled_for_the_process(cache: Path) -> None:
    kernels(cache)[0].unlink()
    before = files(cache)
    shown = run(READ_ONLY + PLAY, ROOT, cache)
    warning, compiling, compiled = shown.stderr.splitlines()
    assert "cannot be kept" in warning
    assert "PERSIAN_RUMMY_CACHE_DIR" in warning
    assert "compiling the game engine, for this process" in compiling
    assert "compiled in" in compiled
    assert shown.stdout == run(PLAY, ROOT, cache).stdout
    assert set(before) < set(files(cache))


@compiles
def test_damaged_files_are_thrown_away_and_compiled_again(cache: Path) -> None:
    """All at once: one line of warning, and the next process finds everything whole."""
    expected = run(PLAY, ROOT, cache).stdout
    cut, emptied, flipped, taken, folder, *_ = kernels(cache)
    cut.write_bytes(cut.read_bytes()[:-9])
    emptied.write_bytes(b"")
    code = bytearray(flipped.read_bytes())
    code[len(code) // 2] ^= 1
    flipped.write_bytes(code)
    shutil.copyfile(kernels(cache)[-1], taken)
    folder.unlink()
    (folder / "within").mkdir(parents=True)
    shown = run(PLAY, ROOT, cache)
    assert ["warning:" in line for line in shown.stderr.splitlines()] == [True, False, False]
    assert "compiling the game engine" in shown.stderr
    assert shown.stdout == expected
    again = run(PLAY, ROOT, cache)
    assert (again.stdout, again.stderr) == (expected, "")


@compiles
def test_a_damaged_list_of_files_is_no_list(cache: Path) -> None:
    (listed,) = cache.glob("*/compiled-game engine-*")
    listed.write_bytes(listed.read_bytes()[:-5])
    warning, compiling, _ = run(MAKE, ROOT, cache).stderr.splitlines()
    assert "warning:" in warning
    assert "compiling the game engine" in compiling
    assert run(PLAY, ROOT, cache).stderr == ""


@compiles
def test_the_list_of_a_part_is_believed_only_with_its_files(cache: Path) -> None:
    """Somebody has deleted the code and left the list: it is compiled in time and not without a word."""
    for kernel in kernels(cache)[-2:]:
        kernel.unlink()
    printed = run(PLAY, ROOT, cache).stderr
    assert "compiling the game engine" in printed
    assert "warning:" not in printed
    assert run(PLAY, ROOT, cache).stderr == ""


TINY = """
import numpy as np
from persian_rummy_env.core import score
print(int(score.hand_value(np.uint64(1 << 12))))
"""
SMALL = """
import numpy as np
from persian_rummy_env.core import deal, score
from persian_rummy_env.state import STATE
game = np.zeros(1, dtype=STATE)[0]
game["rng"] = (1, 2)
deal.draw_deck(game, 0)
print(int(score.hand_value(np.uint64(1 << 12))), *game["decks"][0][:6].tolist())
print(sum(len(f.stats.cache_hits) for f in (deal.draw_deck, score.hand_value)))
"""


@compiles
def test_an_edit_anywhere_in_the_sources_is_noticed(tmp_path: Path) -> None:
    """In a table that a kernel took a constant from, and in a function of another file that it calls."""
    cache = tmp_path / "cache"
    shutil.copytree(PACKAGE, tmp_path / "persian_rummy_env", ignore=shutil.ignore_patterns("__pycache__"))

    def result() -> tuple[str, int, int]:
        before = len(list(cache.glob("*"))) if cache.exists() else 0
        shown = run(SMALL, tmp_path, cache).stdout.splitlines()
        return shown[0], int(shown[1]), len(list(cache.glob("*"))) - before

    def edit(name: str, old: str, new: str) -> None:
        path = tmp_path / "persian_rummy_env" / name
        source = path.read_text()
        assert source.count(old) == 1
        path.write_text(source.replace(old, new))

    original, hits, folders = result()
    assert (original.split()[0], hits, folders) == ("15", 0, 1)
    assert result() == (original, 2, 0)

    edit("cards.py", "10, 10, 10, 10, 15)", "10, 10, 10, 10, 16)")
    in_table, hits, folders = result()
    assert (in_table, hits, folders) == (original.replace("15", "16", 1), 0, 1)

    edit("core/rng.py", '    a = game["rng"][0]\n', '    a = game["rng"][0] + np.uint64(99)\n')
    in_callee, hits, folders = result()
    assert (in_callee.split()[0], hits, folders) == ("16", 0, 1)
    assert in_callee != in_table
    assert result() == (in_callee, 2, 0)


def test_the_hash_is_of_everything_that_the_core_imports() -> None:
    """A module of the package that a core file imports is a source of compiled code."""
    read = {path.name for path in jit._sources() if path.parent == PACKAGE}
    for path in (PACKAGE / "core").rglob("*.py"):
        assert path in jit._sources()
        above = len(path.relative_to(PACKAGE).parts)  # so many dots lead to the package
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == above:
                names = [node.module] if node.module else [alias.name for alias in node.names]
                assert {f"{name}.py" for name in names} <= read, path.name
    for name in read:
        for node in ast.walk(ast.parse((PACKAGE / name).read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                assert f"{node.module}.py" in read, name


def test_bounds_checked_code_is_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    usual = jit.source_hash()
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 0 if numba.config.BOUNDSCHECK else 1)
    assert jit.source_hash() != usual


@compiles
def test_code_for_another_processor_is_kept_apart(tmp_path: Path) -> None:
    program = (
        "from persian_rummy_env.core import score\nfrom persian_rummy_env.core.compiler import compile_on_demand\n"
        "print(compile_on_demand._list_of('search'), score.hand_value._cache.name_of('sig'))"
    )
    own = run(program, ROOT, tmp_path).stdout
    generic = run(program, ROOT, tmp_path, NUMBA_CPU_NAME="generic").stdout
    assert len({*own.rsplit(None, 1), *generic.rsplit(None, 1)}) == 4


@compiles
def test_code_compiled_alone_is_told_of_too(tmp_path: Path) -> None:
    """A kernel that is called before its part is compiled, or one of no part."""
    first = run(TINY, ROOT, tmp_path).stderr.splitlines()
    assert [line.split()[1:3] for line in first] == [["compiling", "persian_rummy_env.core.score.hand_value"]]
    assert run(TINY, ROOT, tmp_path).stderr == ""


@compiles
def test_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    at_once = [start(TINY, ROOT, tmp_path) for _ in range(2)]
    shown = {process.communicate(timeout=300)[0].splitlines()[0] for process in at_once}
    assert [process.returncode for process in at_once] == [0, 0]
    warm = run(TINY, ROOT, tmp_path)
    assert ({warm.stdout.splitlines()[0]}, warm.stderr) == (shown, "")


# Where nothing can be kept --------------------------------------------------------------------------------------------


def warned_once(printed: str) -> bool:
    return [line for line in printed.splitlines() if "compiling" not in line] == [
        line for line in printed.splitlines() if "cannot be kept" in line and "PERSIAN_RUMMY_CACHE_DIR" in line
    ] and printed.count("cannot be kept") == 1


@compiles
def test_a_cache_that_cannot_be_made_is_one_warning_once_something_is_compiled(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.touch()
    imported = run("from persian_rummy_env.core import batch_kernels", ROOT, occupied / "cache")
    assert imported.stderr == ""
    assert warned_once(run(TINY, ROOT, occupied / "cache").stderr)


@compiles
def test_a_disk_that_fills_while_compiling_is_one_warning(tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="this system sets no limit on the size of a file")
    full = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))\n"
    shown = run(full + TINY, ROOT, tmp_path)
    assert warned_once(shown.stderr)
    assert [name for name in files(tmp_path) if "unfinished" in name] == []
    assert shown.stdout.splitlines()[0] == run(TINY, ROOT, tmp_path).stdout.splitlines()[0]


NOBODY = """
import os, sys
if sys.platform != "win32":
    import pwd
    def getpwuid(uid): raise KeyError(uid)
    pwd.getpwuid = getpwuid
for name in ("HOME", "USERPROFILE", "HOMEPATH", "LOCALAPPDATA", "XDG_CACHE_HOME"):
    os.environ.pop(name, None)
"""


@compiles
def test_a_user_without_a_home_can_import_and_play() -> None:
    assert run(NOBODY + "from persian_rummy_env.core import batch_kernels", ROOT, "").stderr == ""
    assert warned_once(run(NOBODY + TINY, ROOT, "").stderr)


@compiles
def test_a_relative_folder_stays_where_it_was(tmp_path: Path) -> None:
    program = "import os, sys; sys.path.insert(0, os.getcwd())\nfrom persian_rummy_env.core.compiler import jit\n"
    program += f"os.chdir({str(tmp_path)!r}); print(jit.STORE.folder.parent)"
    assert run(program, ROOT, "runs/cache").stdout.strip() == str(ROOT / "runs" / "cache")
    assert run(program, ROOT, "~/cache", HOME=str(tmp_path)).stdout.strip() == str(tmp_path / "cache")


def test_a_standard_error_that_is_gone_ends_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    from persian_rummy_env.core.compiler.stderr import say

    closed = io.StringIO()
    closed.close()
    for gone in (None, closed):
        monkeypatch.setattr(sys, "stderr", gone)
        say("something")


# Damage ---------------------------------------------------------------------------------------------------------------


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """A file that something has happened to."""
    at = chance.randrange(len(whole))
    return chance.choice(
        [
            whole[:at],
            whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :],
            whole[at:],
            whole + bytes(1 + at),
            whole[:at] + bytes(len(whole) - at - 1) + b"\1",
            chance.randbytes(len(whole)),
            pickle.dumps({"a": at}),
            whole[:61] + pickle.dumps((at,) * 9),
        ]
    )


@compiles
@pytest.mark.parametrize("times", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_no_damage_gets_code_run(times: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Every kind of damage, wherever it strikes: the file is not used, the code is compiled again and is right."""
    from numba import njit

    from persian_rummy_env.core.compiler.code_cache import CodeCache

    def thrice(x: int) -> int:
        return 3 * x

    def call() -> int:
        """In a store and by a dispatcher that remember nothing; how much was found."""
        made = njit(thrice)
        made._cache = CodeCache(thrice, CodeStore(tmp_path))
        assert made(14) == 42
        return sum(made.stats.cache_hits.values())

    assert (call(), call()) == (0, 1)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    chance = random.Random(0)
    capfd.readouterr()
    for number in range(times):
        path.write_bytes(damaged(whole, chance))
        assert call() == 0, number
        assert len(capfd.readouterr().err.splitlines()) == 2, "a warning and what is compiled"
        assert call() == 1
        assert capfd.readouterr().err == ""


def test_what_is_no_file_is_removed_from_the_place_of_one(tmp_path: Path) -> None:
    store = CodeStore(tmp_path)
    store.write("a.nbc", b"code")
    assert store.read("a.nbc") == b"code"
    (tmp_path / "b.nbc" / "within").mkdir(parents=True)
    (tmp_path / "c.nbc").symlink_to(tmp_path / "nowhere")
    (tmp_path / "d.nbc").write_bytes((tmp_path / "a.nbc").read_bytes())
    names = ["b.nbc", "c.nbc", "d.nbc"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "e.nbc")
        names.append("e.nbc")
    for name in names:
        assert store.read(name) is None
        store.write(name, name.encode())
        assert store.read(name) == name.encode()
    assert files(tmp_path) == ["a.nbc", *names]


def test_files_of_killed_processes_are_removed(tmp_path: Path) -> None:
    for name, age in ((".unfinished-1-aa", 7200), (".unfinished-2-bb", 0)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    CodeStore(tmp_path).write("a", b"")
    assert files(tmp_path) == [".unfinished-2-bb", "a"]


@compiles
def test_an_interrupted_compile_is_done_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from persian_rummy_env.core.compiler import compile_on_demand, warm_up

    calls = []

    def stopped() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(compile_on_demand, "STORE", CodeStore(tmp_path))
    monkeypatch.setattr(compile_on_demand, "_ready", set())
    monkeypatch.setitem(warm_up.KERNEL_GROUPS, "part", stopped)
    with pytest.raises(KeyboardInterrupt):
        compile_on_demand.ensure_compiled("part")
    assert not compile_on_demand.is_kept("part")
    compile_on_demand.ensure_compiled("part")
    compile_on_demand.ensure_compiled("part")
    assert (len(calls), compile_on_demand.is_kept("part")) == (2, True)


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"PERSIAN_RUMMY_CACHE_DIR": "/a", "NUMBA_CACHE_DIR": "/b", "XDG_CACHE_HOME": "/c"}, "/a"),
        ({"NUMBA_CACHE_DIR": "/b", "XDG_CACHE_HOME": "/c"}, "/b"),
        ({"XDG_CACHE_HOME": "/c"}, "/c/persian-rummy"),
        ({"HOME": "/d"}, "/d/.cache/persian-rummy"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="where Linux keeps caches")
def test_where_the_cache_lies(variables: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PERSIAN_RUMMY_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert jit._cache_root() == Path(folder)
