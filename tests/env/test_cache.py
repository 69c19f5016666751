"""Importing compiles nothing; compiled code is kept, is said to be made, and follows every edit of its sources."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from persian_rummy_env.core import jit
from tests.env.play import COMPILED

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "persian_rummy_env"
compiles = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


def run(program: str, root: Path, cache: Path | str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program in a fresh process that finds the package in ``root`` and keeps compiled code in ``cache``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONPATH", "NUMBA_CACHE"))}
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=root,
        env={**kept, "PERSIAN_RUMMY_CACHE_DIR": str(cache), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )


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


def test_importing_the_faces_needs_no_torch_and_compiles_nothing(tmp_path: Path) -> None:
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


@compiles
def test_the_first_compile_is_told_of_and_is_all_there_is(tmp_path: Path) -> None:
    """Making a face compiles whatever playing needs, so that no step is ever slow without a word."""
    first = run(MAKE, ROOT, tmp_path)
    said = first.stderr.splitlines()
    assert len(said) == 2
    assert said[0].startswith("persian_rummy_env: compiling the game engine, kept in ")
    assert str(tmp_path) in said[0]
    assert said[1].startswith("persian_rummy_env: compiled in ")
    assert said[1].endswith(" s")
    kept = files(tmp_path)
    assert any(name.endswith(".nbc") for name in kept)
    second = run(PLAY, ROOT, tmp_path)
    assert second.stderr == ""
    assert files(tmp_path) == kept, "the first compile has left something uncompiled"


SMALL = """
import numpy as np
from persian_rummy_env.core import deal, score
from persian_rummy_env.core.warm_up import STATE
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
    for path in (PACKAGE / "core").glob("*.py"):
        assert path in jit._sources()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 2:
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
def test_a_cache_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.touch()
    shown = run("from persian_rummy_env.core import jit; print(jit.CACHE)", ROOT, occupied / "cache")
    assert shown.stdout.strip() == "None"
    assert "cannot be kept" in shown.stderr
    assert "PERSIAN_RUMMY_CACHE_DIR" in shown.stderr


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
