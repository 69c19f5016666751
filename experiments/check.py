"""Find results that are out of date, and pages that quote them wrongly: ``python -m experiments.check``.

A strength result is out of date if one of its players now chooses differently in the stored decisions or has other
weights, or if the game deals or scores differently (``experiments.shared.behaviour``). It is also at fault if its file
is not from a clean commit, lacks a field, or was changed by anything but its command. A page is at fault if it gives a
number that no result has. In these cases the exit status is 1, and a test fails.

A timing belongs to a machine and a commit. It is only listed if later commits changed the code that it timed
(``TIMED``), because measuring it again needs an idle machine.

Numbers of runs that are not stored are in ``experiments/history.json``, with command and commit. They are out of date
if one of the bots that they were measured against has changed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from persian_rummy_env.players.policy_io import PolicyError

from .shared.behaviour import BehaviourError, difference, game, player
from .shared.markdown import with_tables
from .shared.result_file import RESULTS, ROOT, STRENGTH, TIMING, ResultError, is_clean, read_result
from .tables import all as tables

HISTORY = ROOT / "experiments" / "history.json"
PAGES = (
    "README.md",
    "persian_rummy_env/players/weights/README.md",
    "experiments/README.md",
    "docs/*.md",
    "docs/notes/*.md",
)
QUOTE = re.compile(r"(?<![\w.])(?:[+-]?\d+(?:\.\d+)? ± \d+(?:\.\d+)?(?![\d.]*%)|[+-]\d+\.\d+(?![\d.]| ±))")
"""A strength on a page: a mean with half of its interval, or a signed mean."""
MARKED = re.compile(r"<!-- (?!claims )([\w: ]+) -->.*?<!-- end \1 -->", re.DOTALL)
TIMED = {
    "speed": ("persian_rummy_env/core", "persian_rummy_env/envs/vector.py", "persian_rummy_env/envs/aec_raw.py"),
    "profile": ("persian_rummy_env/core",),
    "network_speed": ("persian_rummy_env/core", "persian_rummy_env/players/networks.py", "agents/network.py"),
    "search_speed": (
        "persian_rummy_env/core",
        "persian_rummy_env/players/search.py",
        "persian_rummy_env/players/priors.py",
        "persian_rummy_env/core/network_kernels.py",
    ),
    "train_profile": (
        "persian_rummy_env/core",
        "train",
        "agents/network.py",
        "persian_rummy_env/core/network_kernels.py",
    ),
    "scaling": ("persian_rummy_env/core", "train", "agents/network.py", "persian_rummy_env/core/network_kernels.py"),
    "render_speed": ("persian_rummy_env/drawing",),
    "replay_size": ("persian_rummy_env/apps/replay_page",),
    "serve_load": ("persian_rummy_env/apps/web", "persian_rummy_env/apps/game.py"),
    "serve_memory": ("persian_rummy_env/apps/web", "persian_rummy_env/apps/game.py"),
}
"""The code that a timing measures, by its result; any other timing measures all code."""
MEANS = ("margin", "lost", "mean", "truth")
"""The names of means that results store with bounds."""

About = Literal["strength", "timing"]
Value = tuple[float, float]
"""A mean, and half of its interval."""


class Finding(NamedTuple):
    """A fault: the file, relative to the project's root, and the reason."""

    about: About
    file: str
    fault: str

    def __str__(self) -> str:
        return f"{self.about}: {self.file}: {self.fault}"


# Results --------------------------------------------------------------------------------------------------------------


def result_files(folder: Path = RESULTS) -> list[Path]:
    """The committed results in the folder and its subfolders."""
    return sorted([*folder.glob("*.json"), *folder.glob("*/*.json")])


def of_result(path: Path, result: Mapping[str, Any]) -> Iterator[Finding]:
    """The faults of a result."""
    name = shown(path)
    kind = result["kind"]
    if kind not in (STRENGTH, TIMING):
        yield Finding("strength", name, f"kind: {kind!r}: expected {STRENGTH} or {TIMING}")
        return
    if result["seconds"] is None and "digest_of" not in result:
        yield Finding(kind, name, "seconds: not known")
    if not is_clean(result["commit"]) and "digest_of" not in result:
        yield Finding(kind, name, f"of code that differs from its commit ({result['commit']}): {result['command']}")
    if kind == TIMING:
        yield from of_timing(path, result)
    else:
        for fault in of_behaviour(result.get("behaviour")):
            yield Finding(kind, name, f"{fault}: {result['command']}")


def of_behaviour(recorded: Any) -> Iterator[str]:
    """The differences between today's players and game and those of a strength result."""
    if faults := list(of_shape(recorded)):
        yield from faults
        return
    if recorded.get("game") != game():
        yield "the game deals, plays or counts otherwise today"
    for name, before in recorded["players"].items():
        if "gone" in before:
            continue  # a player of an earlier commit, quoted as such
        try:
            now = player(name)
        except FileNotFoundError:
            continue  # a training run that is not stored: unknown
        except (ValueError, PolicyError) as error:
            yield f"{name} cannot be asked today: {error}"
            continue
        changed = difference(before, now)
        if changed is not None:
            yield f"{name} {changed}"


def of_shape(recorded: Any) -> Iterator[str]:
    """The faults in the form of a behaviour."""
    if not isinstance(recorded, dict) or not isinstance(recorded.get("players"), dict):
        yield "behaviour: missing"
    elif not all(isinstance(one, dict) for one in recorded["players"].values()):
        yield "behaviour.players: expected an object for each player"


def of_timing(path: Path, result: Mapping[str, Any]) -> Iterator[Finding]:
    """Report how many later commits changed the code that was timed."""
    code = TIMED.get(path.stem, ("persian_rummy_env", "agents", "train"))
    since = commits_since(str(result["commit"]).rstrip("+"), code)
    if since is None:
        yield Finding("timing", shown(path), f"of commit {result['commit']}, which is not in this history")
    elif since:
        at = f"commit {result['commit']}, {result['machine'].get('cpu')}"
        yield Finding("timing", shown(path), f"{since} commits have touched {', '.join(code)} since ({at})")


@cache
def commits_since(commit: str, code: Sequence[str]) -> int | None:
    """The number of commits after this one that change some code; None without git or without this commit."""
    try:
        words = ["git", "rev-list", "--count", f"{commit}..HEAD", "--", *code]
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
    except (OSError, subprocess.CalledProcessError):
        return None
    return int(done.stdout)


def read_all(paths: Sequence[Path]) -> tuple[dict[Path, dict[str, Any]], list[Finding]]:
    """The results that can be read, and the faults of the others."""
    results, findings = {}, []
    for path in paths:
        try:
            results[path] = read_result(path)
        except ResultError as error:
            findings.append(Finding("strength", shown(path), str(error).removeprefix(f"{path}: ")))
    return results, findings


# Pages ----------------------------------------------------------------------------------------------------------------


def pages() -> list[Path]:
    return [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]


def values_of(figures: Any) -> Iterator[Value]:
    """Every mean in a result, with half of its interval."""
    if isinstance(figures, dict):
        low, high = figures.get("low"), figures.get("high")
        for name in MEANS:
            mean = figures.get(name)
            if isinstance(mean, int | float) and isinstance(low, int | float) and isinstance(high, int | float):
                yield mean, (high - low) / 2
        figures = list(figures.values())
    if isinstance(figures, list):
        for one in figures:
            yield from values_of(one)


def forms(value: Value) -> Iterator[str]:
    """The ways in which a page may write a mean and half of its interval: up to two digits, either sign."""
    mean, half = value
    yield from (f"{abs(mean):.{digits}f} ± {half:.{digits}f}" for digits in range(3))


def quotes(text: str) -> Iterator[tuple[int, str]]:
    """The strengths on a page, with their line numbers, without the marked sections. Printed tables are compared with
    their results elsewhere, and examples worked by hand are not results."""
    text = MARKED.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(text.splitlines(), 1):
        for found in QUOTE.finditer(line):
            yield number, found[0]


def of_pages(results: Mapping[Path, Mapping[str, Any]], stale: Mapping[str, str]) -> Iterator[Finding]:
    """Numbers on pages that are in no result, or only in results that are out of date.

    Args:
        stale: the reason for each result that is out of date, by its file.
    """
    sources: dict[str, set[str]] = {}
    for path, result in results.items():
        if result["kind"] == STRENGTH:
            for value in values_of(result):
                for form in forms(value):
                    sources.setdefault(form, set()).add(shown(path))
    gone = {
        shown(path): sorted({one["gone"] for one in result["behaviour"]["players"].values() if "gone" in one})
        for path, result in results.items()
        if result["kind"] == STRENGTH and not list(of_shape(result.get("behaviour")))
    }
    history = read_history()
    for path in pages():
        page_text = path.read_text(encoding="utf-8")
        for number, quote in quotes(page_text):
            found = sources.get(quote.lstrip("+-"), set())
            unsaid = {file for file in found if any(commit[:7] not in page_text for commit in gone.get(file, ()))}
            if found - set(stale) - unsaid:
                continue
            entries = [
                entry for entry in history["entries"] if entry["page"] == shown(path) and quote in entry["quotes"]
            ]
            faults = [fault for entry in entries for fault in of_entry(entry, history["behaviour"])]
            if entries and not faults:
                continue
            if found - set(stale):
                file = min(found - set(stale))
                why = f"{quote} is of {file}, whose players of commit {', '.join(gone[file])} the page does not name"
            elif found:
                why = f"{quote} is of {', '.join(sorted(found))}, out of date: {stale[min(found)]}"
            elif faults:
                why = f"{quote} is of a run that is not kept: {faults[0]}"
            else:
                why = f"{quote} stands in no result, nor in {shown(HISTORY)}"
            yield Finding("strength", f"{shown(path)}, line {number}", why)


def of_entry(entry: Mapping[str, Any], behaviour: Mapping[str, Any]) -> Iterator[str]:
    """The faults of the numbers of a run that is not stored."""
    recorded = {name: behaviour["players"].get(name, {}) for name in entry["against"]}
    yield from of_behaviour({"game": behaviour["game"], "players": recorded})


def read_history() -> dict[str, Any]:
    """Read the numbers of runs that are not stored, with command and commit."""
    try:
        found = json.loads(HISTORY.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ResultError(f"{HISTORY}: {error}") from error
    wanted = {"page": str, "what": str, "command": str, "commit": str, "against": list, "quotes": list}
    if not isinstance(found, dict) or not isinstance(found.get("entries"), list):
        raise ResultError(f"{HISTORY}: entries: expected a list")
    if list(of_shape(found.get("behaviour"))):
        raise ResultError(f"{HISTORY}: behaviour: {', '.join(of_shape(found.get('behaviour')))}")
    for number, entry in enumerate(found["entries"]):
        place = f"{HISTORY}: entries[{number}]"
        if not isinstance(entry, dict):
            raise ResultError(f"{place}: expected an object")
        for name, kind in wanted.items():
            if not isinstance(entry.get(name), kind):
                raise ResultError(f"{place}.{name}: expected a {kind.__name__}")
        if not (entry["command"] and is_clean(entry["commit"])):
            raise ResultError(f"{place}: expected a command and a commit")
    return found


def of_tables(results: Mapping[Path, Mapping[str, Any]], stale: Mapping[str, str]) -> Iterator[Finding]:
    """Printed tables that differ from their result, or whose strength result is out of date."""
    for one in tables.printed(results):
        if one.page is None:
            yield Finding(one.about, "docs", f"no page has a place for the table {one.name!r}")
            continue
        text, source = one.page.read_text(encoding="utf-8"), shown(one.source)
        if with_tables(text, {one.name: one.body}) != text:
            yield Finding(one.about, shown(one.page), f"{one.name}: not as {source} has it: python -m {tables.PRINTER}")
        if source in stale:
            yield Finding(one.about, shown(one.page), f"{one.name}: of {source}, out of date: {stale[source]}")


# Everything -----------------------------------------------------------------------------------------------------------


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def check(paths: Sequence[Path] | None = None) -> list[Finding]:
    """All faults: in the results, and on the pages that quote them."""
    results, findings = read_all(result_files() if paths is None else paths)
    for path, result in results.items():
        findings += of_result(path, result)
    if any(finding.about == "strength" and "sha256" in finding.fault for finding in findings):
        return findings  # pages are not compared with damaged results
    stale = {finding.file: finding.fault for finding in findings if finding.about == "strength"}
    return [*findings, *of_tables(results, stale), *of_pages(results, stale)]


def main(given: Sequence[str] | None = None) -> int:
    argparse.ArgumentParser(
        prog="python -m experiments.check", description="what is out of date among results and on pages"
    ).parse_args(given)
    try:
        findings = check()
    except (BehaviourError, ResultError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    for finding in findings:
        print(finding)
    wrong = sum(finding.about == "strength" for finding in findings)
    print(f"{len(result_files())} results: {wrong} strengths and {len(findings) - wrong} timings are out of date")
    return int(wrong > 0)


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.check", main))
