"""The claims of this project: ``python -m experiments.claims`` prints their table into ``experiments/README.md``.

``python -m experiments.claims NAME`` prints the commands that prove one claim. A claim is a module with a ``CLAIM``, in
this folder or in a folder of ``FOLDERS``; it has the name of the module.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from persian_rummy_env.players.policy import unknown_name
from persian_rummy_env.system.files import write_whole

from .shared.claim import Claim
from .shared.markdown import with_tables
from .shared.result_file import fail

HERE = Path(__file__).resolve().parent
PAGE = HERE / "README.md"
FOLDERS = {
    "": "The game, its speed and its servers",
    "networks": "Trained networks without torch",
    "strength": "Strength",
    "text": "Text for language models",
    "training": "Training",
}
"""The folders with claims, and their headings."""


def claims(folder: str) -> dict[str, Claim]:
    """The claims of a folder by the path of their file, in alphabetical order."""
    found = {}
    for path in sorted((HERE / folder).glob("*.py")):
        if re.search("^CLAIM = Claim", path.read_text(encoding="utf-8"), re.MULTILINE):
            module = ".".join(path.relative_to(HERE.parent).with_suffix("").parts)
            found[path.relative_to(HERE).as_posix()] = importlib.import_module(module).CLAIM
    return found


def all_claims() -> dict[str, Claim]:
    """Every claim by the path of its file under ``experiments``."""
    return {file: claim for folder in FOLDERS for file, claim in claims(folder).items()}


def table(found: Mapping[str, Claim]) -> str:
    lines = ["| claim | expected | minutes | result |", "| --- | --- | ---: | --- |"]
    for file, claim in found.items():
        places = [f"[results/{claim.result}](results/{claim.result})"] * bool(claim.result)
        places += [f"[{claim.page}](../{claim.page})"] * bool(claim.page)
        row = [f"[{Path(file).stem}]({file}): {claim.text}", claim.expected, f"{claim.minutes:g}", ", ".join(places)]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def tables() -> str:
    return "\n\n".join(f"### {heading}\n\n{table(claims(folder))}" for folder, heading in FOLDERS.items())


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m experiments.claims", description="print the table of claims")
    parser.add_argument("claim", nargs="?", metavar="NAME", help="print the commands that prove this claim instead")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if the table is behind")
    options = parser.parse_args(given)
    if options.claim is not None:
        found = {Path(file).stem: claim for file, claim in all_claims().items()}
        if options.claim not in found:
            fail(unknown_name("claim", options.claim, found))
        print(found[options.claim].command)
        return 0
    before = PAGE.read_text(encoding="utf-8")
    after = with_tables(before, {"claims": tables()})
    if options.check and before != after:
        sys.stderr.write(f"{PAGE.name} is behind the claims: python -m experiments.claims\n")
        return 1
    if before != after:
        write_whole(PAGE, after)
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.claims", main))
