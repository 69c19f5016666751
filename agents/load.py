"""Policies by name: ``"greedy"``, ``"file:runs/a/policy.safetensors"``, ``"python:package.module:Class"``."""

from __future__ import annotations

import importlib

from persian_rummy_env.bots import BOTS

from .base import Policy
from .scripted import ScriptedPolicy

FORMS = "a bot (" + ", ".join(BOTS) + "), 'file:PATH' of a trained policy, or 'python:package.module:Class'"


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
