"""Policies by name: ``"greedy"``, ``"search(deepest, worlds=40)"``, ``"file:runs/a/policy.safetensors"``,
``"python:package.module:Class"``."""

from __future__ import annotations

import importlib
import re
from typing import Any

from persian_rummy_env.bots import BOTS

from .base import Policy
from .scripted import ScriptedPolicy

FORMS = (
    "a bot (" + ", ".join(BOTS) + "), 'search(BOT, worlds=10)', 'file:PATH' of a trained policy, or "
    "'python:package.module:Class'"
)
SEARCH = re.compile(r"search\((?P<arguments>.*)\)")


def load(spec: str, device: str = "cpu") -> Policy:
    """The policy that a name means.

    Args:
        spec: see ``FORMS``.
        device: where a trained policy computes.

    Raises:
        ValueError: the name means no policy; the message lists what does. FileNotFoundError: no such file.
    """
    if spec in BOTS:
        return ScriptedPolicy(spec)
    search = SEARCH.fullmatch(spec.strip())
    if search:
        return _search(spec, search["arguments"])
    kind, colon, rest = spec.partition(":")
    if colon and kind == "file":
        from .learned import LearnedPolicy

        policy: Policy = LearnedPolicy(rest, device=device)
    elif colon and kind == "python":
        policy = _stranger(spec, rest)
    else:
        raise ValueError(f"unknown policy {spec!r}: expected {FORMS}")
    policy.name = spec
    return policy


def _stranger(spec: str, rest: str) -> Policy:
    module_name, colon, class_name = rest.partition(":")
    if not colon:
        raise ValueError(f"unknown policy {spec!r}: expected 'python:package.module:Class'")
    try:
        made = getattr(importlib.import_module(module_name), class_name)()
    except (ImportError, AttributeError) as error:
        raise ValueError(f"policy {spec!r} cannot be made: {error}") from error
    if not callable(getattr(made, "act", None)):
        raise ValueError(f"policy {spec!r}: {class_name} has no method act(batch)")
    if not hasattr(made, "code"):
        made.code = Policy.code
    return made


def _search(spec: str, arguments: str) -> Policy:
    from .search import SearchPolicy

    positional: list[str] = []
    named: dict[str, Any] = {}
    for argument in filter(None, (part.strip() for part in arguments.split(","))):
        name, equals, value = (part.strip() for part in argument.partition("="))
        if not equals:
            positional.append(name)
        else:
            named[name] = int(value) if value.isdecimal() else value
    try:
        return SearchPolicy(*positional, **named, name=spec)
    except (TypeError, ValueError) as error:
        raise ValueError(f"policy {spec!r}: {error}") from error


def split_specs(text: str) -> list[str]:
    """The policies of a list divided by commas; commas inside brackets do not divide."""
    specs, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            specs.append(text[start:index])
            start = index + 1
    specs.append(text[start:])
    return [spec.strip() for spec in specs if spec.strip()]
