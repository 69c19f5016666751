"""Policies by name: ``"greedy"``, ``"champion"``, ``"search(champion, worlds=40, prior=champion)"``,
``"file:runs/a/policy.safetensors"``, ``"python:package.module:Class"``."""

from __future__ import annotations

import importlib
import inspect
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from ..arrays import shown
from ..bots import BOTS
from .bundled import BUNDLED
from .policy import BasePolicy, as_policy, unknown_name
from .scripted import ScriptedPolicy

if TYPE_CHECKING:
    from .priors import Prior

FORMS = (
    f"a bot ({', '.join(BOTS)}), a bundled trained policy ({', '.join(BUNDLED)}), 'search(PLAYER, worlds=10)' (or "
    "playouts=…, ms=…), 'file:PATH' of a trained policy, or 'python:package.module:Class'"
)
SEARCH = re.compile(r"search\s*\((?P<arguments>.*)\)", re.DOTALL)
STARTS = (*BOTS, *BUNDLED, "search", "file", "python")
"""How a name may begin, for suggestions."""


def load(spec: str, device: str = "cpu") -> BasePolicy:
    """Load a policy by name: ``load("champion")``.

    Args:
        spec: a bot (``random``, ``greedy``, ``deepest``, ``expert``); a bundled trained policy (``champion``); a search
            (``search(deepest, worlds=40)``), with playouts by a bot or another policy; a trained policy
            (``file:runs/a/policy.safetensors``); or a class of yours with ``act(batch)``
            (``python:package.module:Class``). Spaces around it, and around the arguments of a search, are ignored.
        device: device of a trained policy; any other than "cpu" needs ``import agents.learned`` (PyTorch) before.

    Raises:
        ValueError: there is no policy of that name; the message lists the forms of names.
        TypeError: the name is no text. FileNotFoundError: the file does not exist.
        policy_io.PolicyError: the constructor of a Python class raised an exception, which is the cause.
    """
    if not isinstance(spec, str):
        raise TypeError(f"policy {shown(spec)}: expected a name, {FORMS}")
    spec = spec.strip()
    if spec in BOTS:
        return ScriptedPolicy(spec)
    search = SEARCH.fullmatch(spec)
    kind, colon, rest = (part.strip() for part in spec.partition(":"))
    if search:
        policy = _search(spec, search["arguments"], device)
    elif spec in BUNDLED or (colon and kind == "file"):
        from .networks import load_policy

        policy = load_policy(BUNDLED.get(spec, rest), device)
    elif colon and kind == "python":
        policy = _from_import_path(spec, rest)
    else:
        close = get_close_matches(re.split(r"[\s(:]", spec, maxsplit=1)[0], STARTS, 1)
        meant = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(f"unknown policy {spec!r}: {meant}expected {FORMS}")
    policy.name = spec
    return policy


def _from_import_path(spec: str, rest: str) -> BasePolicy:
    """A policy of somebody else's class. What their code raises passes, with its traceback."""
    module_name, _, class_name = rest.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), class_name)):
        raise ValueError(f"unknown policy {spec!r}: expected 'python:package.module:Class'")
    made = _made(spec, _class_of(spec, module_name, class_name))
    if not callable(getattr(made, "act", None)):
        raise ValueError(f"policy {spec!r}: {class_name} has no method act(batch)")
    return as_policy(made)


def _class_of(spec: str, module_name: str, class_name: str) -> Any:
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if not f"{module_name}.".startswith(f"{error.name}."):  # one that the module itself imports
            raise
        raise ValueError(f"policy {spec!r} cannot be made: {error}") from error
    try:
        return getattr(module, class_name)
    except AttributeError as error:
        raise ValueError(f"policy {spec!r} cannot be made: {error}") from error


def _made(spec: str, maker: Any) -> Any:
    from .policy_io import PolicyError

    try:
        inspect.signature(maker).bind()
    except TypeError as error:  # not callable, or not without arguments
        raise ValueError(f"policy {spec!r} cannot be made without arguments: {error}") from error
    except ValueError:  # a class of compiled code, which tells no signature
        pass
    try:
        return maker()
    except Exception as error:
        raise PolicyError(f"policy {spec!r}: its constructor failed: {type(error).__name__}: {error}") from error


def _search(spec: str, arguments: str, device: str) -> BasePolicy:
    from .priors import PolicyPrior
    from .search import SearchPolicy

    of_prior = [name for name in inspect.signature(PolicyPrior).parameters if name != "policy"]
    options = [name for name in inspect.signature(SearchPolicy).parameters if name != "name"] + of_prior
    given: dict[str, Any] = {}
    for argument in _at_commas(arguments)[0]:
        name, equals, value = (part.strip() for part in argument.partition("="))
        if not name.isidentifier():  # the name of a player may hold an equals sign too
            name, equals, value = argument, "", ""
        if not argument or (equals and not value):
            raise ValueError(f"policy {spec!r}: {argument!r} is no argument; expected 'search(PLAYER, worlds=10)'")
        if not equals:
            name, value = "player", name
        if name not in options:
            raise ValueError(f"policy {spec!r}: {unknown_name('option', name, options)}")
        if name in given:
            raise ValueError(f"policy {spec!r}: {name} is given twice")
        given[name] = value if name in ("prior", "player") else _number(value)
    of_prior = {name: given.pop(name) for name in of_prior if name in given}
    try:
        if "prior" in given:
            given["prior"] = _prior(given["prior"], of_prior, device)
        elif of_prior:
            expected = "prior=champion, or another trained policy"
            raise ValueError(f"{', '.join(of_prior)} without a prior: expected also {expected}")
        if "player" in given and given["player"] not in BOTS:
            given["player"] = load(given["player"], device)
        return SearchPolicy(**given)
    except (ValueError, TypeError) as error:
        raise ValueError(f"policy {spec!r}: {error}") from error


def _prior(name: str, options: dict[str, Any], device: str) -> Prior:
    from .priors import ExpertPrior, PolicyPrior

    if name == ExpertPrior.name:
        if options:
            raise ValueError(f"{', '.join(options)} with prior=expert: expected a trained policy as the prior")
        return ExpertPrior()
    return PolicyPrior(load(name, device), **options)


def _number(text: str) -> int | float | str:
    """The text as a number if it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def split_specs(text: str) -> list[str]:
    """Split a comma-separated list of policies; commas inside brackets do not separate.

    Raises:
        ValueError: an unbalanced bracket, or an empty name.
    """
    specs, balanced = _at_commas(text)
    if not balanced:
        raise ValueError(f"policies {text!r}: unbalanced brackets")
    if not all(specs):
        raise ValueError(f"policies {text!r}: an empty name, between two commas or at an end")
    return specs


def _at_commas(text: str) -> tuple[list[str], bool]:
    """The text split at commas outside of brackets, and whether its brackets are balanced."""
    found, depth, start, balanced = [], 0, 0, True
    for index, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        balanced &= depth >= 0
        if letter == "," and depth <= 0:
            found.append(text[start:index].strip())
            start = index + 1
    return [*found, text[start:].strip()], balanced and depth == 0
