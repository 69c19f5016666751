"""What is published: the wheel holds the package alone, the sdist is the checkout, an editable install shows no more
than the wheel does."""

import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.building import ROOT, build, project

PROJECT = project()
INFO = f"persian_rummy_rl-{PROJECT['version']}.dist-info"
MOST_BYTES = 10_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build("sdist", folder)) as archive:
        archive.extractall(folder, filter="data")
    [unpacked] = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = set(contents(wheel))
    assert {name.split("/")[0] for name in names} == {"persian_rummy_env", INFO}
    shipped = {name for name in names if name.endswith(".py")}
    assert shipped == {str(path.relative_to(ROOT)) for path in (ROOT / "persian_rummy_env").rglob("*.py")}
    assert "persian_rummy_env/py.typed" in names
    for folder in ("drawing/font", "apps/replay_page", "apps/web/static", "players/weights"):
        data = [path for path in (ROOT / "persian_rummy_env" / folder).rglob("*") if path.is_file()]
        assert {str(path.relative_to(ROOT)) for path in data if "__pycache__" not in path.parts} <= names, folder
    assert not [name for name in names if name.endswith((".pyc", ".nbi", ".nbc"))]


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    files = contents(wheel)
    metadata = files[f"{INFO}/METADATA"].decode()
    assert "persian-rummy = persian_rummy_env.cli.program:main" in files[f"{INFO}/entry_points.txt"].decode()
    assert f"{INFO}/licenses/LICENSE" in files
    assert "\nLicense-Expression: MIT\n" in metadata
    required = {Requirement(line).name for line in re.findall(r"^Requires-Dist: ([^;\n]+)$", metadata, re.MULTILINE)}
    assert required == {Requirement(line).name for line in PROJECT["dependencies"]}


def test_an_extra_names_what_the_package_imports() -> None:
    """Training and development are groups of a checkout, which a wheel does not have."""
    module = {"sb3-contrib": "stable_baselines3", "open-spiel": "pyspiel", "inspect-ai": "inspect_ai"}
    beside = {"peft", "supersuit"}  # agilerl needs the one; the other wraps what adapters/parallel.py makes
    beside |= {"trl", "transformers"}  # they call the class of adapters/trl.py
    sources = [path.read_text() for path in (ROOT / "persian_rummy_env").rglob("*.py")]
    for extra, lines in PROJECT["optional-dependencies"].items():
        for name in {Requirement(line).name for line in lines} - beside:
            pattern = re.compile(rf"^\s*(from|import) {re.escape(module.get(name, name))}\b|\"{name}\"", re.MULTILINE)
            assert any(pattern.search(source) for source in sources), f"{extra}: nothing imports {name}"


def test_the_sdist_is_the_checkout(sdist: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("needs git's list of files, and this is no checkout")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    packed = {str(path.relative_to(sdist)) for path in sdist.rglob("*") if path.is_file()}
    there = {name for name in listed.splitlines() if (ROOT / name).exists()}
    assert there <= packed, "files are missing"
    assert "PKG-INFO" in packed


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_checkout(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    assert contents(build("wheel", tmp_path, source=sdist)) == contents(wheel)


def test_an_editable_install_shows_the_package_and_nothing_else(tmp_path: Path) -> None:
    """A folder on the path would show `agents` and `train` to every other project of the environment."""
    from hatchling import build as backend

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        name = backend.build_editable(str(tmp_path))
    files = contents(tmp_path / name)
    paths = [text.decode().splitlines() for file, text in files.items() if file.endswith(".pth")]
    assert [line for lines in paths for line in lines if not line.startswith("import ")] == []
    mapped = re.findall(r"map_module\('(\w+)', '(.+)'\)", b"\n".join(files.values()).decode())
    assert mapped == [("persian_rummy_env", str(ROOT / "persian_rummy_env" / "__init__.py"))]
