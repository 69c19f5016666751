"""Runs a solution in a process of its own: it is copied into an empty folder, and needs only Python's own library.

Lines of JSON come in and go out. The first line has the limits; its answer is whether they hold. Then come lists of
questions, each answered in a line. What the solution prints is discarded, and its standard input is empty.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

try:
    import resource
except ImportError:  # not on Windows
    resource = None

SOLUTION = "solution"
"""The module in the folder, without its suffix."""
FUNCTIONS = ("initial", "legal", "step")
LONGEST = 200
"""Characters of an error."""
LARGEST_FILE = 1 << 20
REFUSED = ("socket.", "subprocess.", "ctypes.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system")
"""Audit events of what a solution does not need."""


def explained(error: BaseException) -> str:
    """An error in one line."""
    try:
        text = " ".join(str(error).split())
    except BaseException:  # noqa: BLE001 (the text of a foreign exception)
        text = ""
    place = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
    return f"{place}{type(error).__name__}{': ' if text else ''}{text}"[:LONGEST]


def limit(memory_mb: int, seconds: int) -> bool:
    """Limit memory, time of the processor and files; False where the system cannot limit memory."""
    if resource is None:
        return False
    held = True
    limits = {"RLIMIT_AS": memory_mb << 20, "RLIMIT_CPU": seconds, "RLIMIT_FSIZE": LARGEST_FILE, "RLIMIT_CORE": 0}
    for name, value in limits.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (AttributeError, ValueError, OSError):
            held = held and name != "RLIMIT_AS"
    return held


def refuse_the_rest_of_the_machine(folder: str) -> None:
    """Refuse other processes, the network, and files outside the folder and Python's own library."""
    library = str(Path(os.__file__).resolve().parent)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event.startswith(REFUSED):
            raise PermissionError(f"{event}: a solution may not do that")
        if event == "open" and isinstance(args[0], str | bytes):
            path = os.path.realpath(os.fsdecode(args[0]))
            own = path.startswith(folder + os.sep)
            of_python = path.startswith(library + os.sep) and "-packages" + os.sep not in path
            if not (own or of_python or path == os.devnull):
                raise PermissionError("a solution may not open files outside its folder")

    sys.addaudithook(hook)


def load() -> ModuleType:
    solution = importlib.import_module(SOLUTION)
    missing = [name for name in FUNCTIONS if not callable(getattr(solution, name, None))]
    if missing:
        raise NameError(f"the solution defines no function {' and no function '.join(missing)}")
    return solution


def answer(solution: ModuleType, question: list[Any]) -> str:
    """The answer to one question: what each of its functions returned, or why it returned nothing."""
    kind, *arguments = question
    answers: dict[str, Any] = {}
    for name in ["initial"] if kind == "start" else ["legal", "step"]:
        given = json.loads(json.dumps(arguments[:1] if name == "legal" else arguments))
        try:
            answers[name] = {"returned": json.loads(json.dumps(getattr(solution, name)(*given), allow_nan=False))}
        except BaseException as error:  # noqa: BLE001 (a solution may raise anything)
            answers[name] = {"raised": explained(error)}
    return json.dumps(answers)


def main() -> None:
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)

    def write(line: str) -> None:
        answers.write(line + "\n")
        answers.flush()

    settings = json.loads(questions.readline())
    limited = limit(settings["memory_mb"], settings["cpu_seconds"])
    folder = str(Path.cwd().resolve())
    sys.path.insert(0, folder)
    refuse_the_rest_of_the_machine(folder)
    try:
        solution = load()
    except BaseException as error:  # noqa: BLE001 (as above)
        write(json.dumps({"failed": explained(error)}))
        return
    write(json.dumps({"ready": True, "memory_limited": limited}))
    for line in questions:
        for question in json.loads(line):
            write(answer(solution, question))


if __name__ == "__main__":
    main()
