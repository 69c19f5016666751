"""The recipes of docs/extending.md, carried out: each step names a file and a place, and a block of code follows."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "extending.md"
COPIED = ("persian_rummy_env", "agents", "train")
STEP = re.compile(
    r"^(?:New file `(?P<new>[^`]+)`|"
    r"In `(?P<file>[^`]+)`, (?P<how>before|after|instead of) (?P<which>the last |the line that begins with )?"
    r"(?:``(?P<raw>.+?)``|`(?P<place>[^`]+)`)):\n\n```\w+\n(?P<code>.*?)```$",
    re.MULTILINE | re.DOTALL,
)


class Step(NamedTuple):
    """A block of code and where it belongs."""

    file: str
    how: str
    """``new``, ``before``, ``after`` or ``instead of``."""
    which: str
    place: str
    code: str

    def carry_out(self, folder: Path) -> None:
        path = folder / self.file
        if self.how == "new":
            path.parent.mkdir(parents=True, exist_ok=True)
            assert not path.exists(), f"{self.file} is no new file"
            path.write_text(self.code, encoding="utf-8")
            return
        text = path.read_text(encoding="utf-8")
        place = self.place.replace("\\n", "\n")
        if self.which == "the last ":
            start = text.rindex(place)
        elif self.which:
            [start] = [found.start() for found in re.finditer(f"^{re.escape(place)}", text, re.MULTILINE)]
        else:
            assert text.count(place) == 1, f"{self.file}: {text.count(place)} times {place!r}"
            start = text.index(place)
        stop = start + len(place)
        if self.how == "before":
            text = text[:start] + self.code + text[start:]
        elif self.how == "after":
            line = text.find("\n", stop - 1) + 1
            text = text[:line] + self.code + text[line:]
        else:
            code = self.code if place.endswith("\n") or text[stop : stop + 1] != "\n" else self.code[:-1]
            code = code.rstrip("\n") if text[stop : stop + 1] not in ("", "\n") else code
            text = text[:start] + code + text[stop:]
        path.write_text(text, encoding="utf-8")


def recipe(heading: str) -> list[Step]:
    """The steps under a heading of the page."""
    [section] = re.findall(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return [
        Step(
            found["new"] or found["file"],
            "new" if found["new"] else found["how"],
            found["which"] or "",
            found["raw"] or found["place"] or "",
            found["code"],
        )
        for found in STEP.finditer(section)
    ]


def copy_packages(folder: Path, *more: str) -> None:
    """Copy the packages into a folder, and more files or folders of the checkout."""
    for name in (*COPIED, *more):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target)
