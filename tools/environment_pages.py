"""The tables of options and spaces in the pages of the environments: ``python -m tools.environment_pages [--check]``.

The options come from the signature and the docstring of each environment, the spaces from the environment itself. A
table stands between ``<!-- NAME -->`` and ``<!-- end NAME -->`` of its page.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, Literal, NamedTuple, cast, get_args, get_origin, get_type_hints

import gymnasium

import persian_rummy_env
from experiments.shared.markdown import with_tables
from persian_rummy_env.players.policy import Policy
from persian_rummy_env.rules import RuleSet
from persian_rummy_env.system.files import write_whole
from tools.reference.form import code, table

DOCS = Path(__file__).resolve().parent.parent / "docs"
ENTRY = re.compile(r"^    (\w[\w, ]*): (.*(?:\n     .*|\n(?=\n     ))*)", re.MULTILINE)
"""An argument in a docstring: its name, and the indented text that says what it is."""


class Environment(NamedTuple):
    """An environment and its page.

    Attributes:
        make: the class or function whose arguments are the options.
        like: where the meaning of an option is that ``make`` says nothing of.
        spaces: the spaces, by what they are of.
    """

    make: Callable[..., Any]
    like: tuple[Callable[..., Any], ...]
    spaces: Callable[[], Mapping[str, gymnasium.Space[Any]]]


def _aec() -> dict[str, gymnasium.Space[Any]]:
    env = persian_rummy_env.env()
    observation = env.observation_space("player_0")
    assert isinstance(observation, gymnasium.spaces.Dict)
    return {
        '`observe(agent)["observation"]`': observation["observation"],
        '`observe(agent)["action_mask"]`': observation["action_mask"],
        "an action": env.action_space("player_0"),
        "`state()`, with hidden cards": env.state_space,
    }


def _vector() -> dict[str, gymnasium.Space[Any]]:
    env = persian_rummy_env.PersianRummyVecEnv(1)
    return {
        "a row of `observation`": env.single_observation_space["observation"],
        "a row of `action_mask`": env.single_observation_space["action_mask"],
        "an action": env.single_action_space,
    }


def _gymnasium() -> dict[str, gymnasium.Space[Any]]:
    observed = cast(gymnasium.spaces.Dict, persian_rummy_env.PersianRummyGymEnv().observation_space)
    return {
        '`observation="dict"`, `["observation"]`': observed["observation"],
        '`observation="dict"`, `["action_mask"]`': observed["action_mask"],
        '`observation="flat"`': persian_rummy_env.PersianRummyGymEnv(observation="flat").observation_space,
        '`observation="flat"`, `raw=True`': persian_rummy_env.PersianRummyGymEnv(
            observation="flat", raw=True
        ).observation_space,
        "an action": persian_rummy_env.PersianRummyGymEnv().action_space,
    }


def _gymnasium_vector() -> dict[str, gymnasium.Space[Any]]:
    env = persian_rummy_env.PersianRummyGymVectorEnv(8)
    observation = env.observation_space
    assert isinstance(observation, gymnasium.spaces.Dict)
    return {
        'with `num_envs=8`, `["observation"]`': observation["observation"],
        'with `num_envs=8`, `["action_mask"]`': observation["action_mask"],
        "actions": env.action_space,
    }


ENVIRONMENTS = {
    "aec": Environment(persian_rummy_env.env, (), _aec),
    "vector": Environment(persian_rummy_env.PersianRummyVecEnv, (persian_rummy_env.env,), _vector),
    "gymnasium": Environment(persian_rummy_env.PersianRummyGymEnv, (persian_rummy_env.env,), _gymnasium),
    "gymnasium_vector": Environment(
        persian_rummy_env.PersianRummyGymVectorEnv,
        (persian_rummy_env.PersianRummyGymEnv, persian_rummy_env.env),
        _gymnasium_vector,
    ),
}
"""By the name of the page."""


def meanings(thing: Any) -> dict[str, str]:
    """What a docstring says of each argument, as Markdown on one line."""
    section = re.search(r"^Args:\n(.*?)(?=^\S|\Z)", inspect.getdoc(thing) or "", re.MULTILINE | re.DOTALL)
    found = ENTRY.findall(section[1]) if section else []
    return {name: " ".join(text.split()).replace("``", "`") for name, text in found}


def values_of(annotation: Any) -> str:
    """The values that a type takes, in words."""
    known = {NoneType: "None", Policy: "a policy", RuleSet: "a `RuleSet`"}
    if annotation in known:
        return known[annotation]
    if get_origin(annotation) is Literal:
        return ", ".join(code(repr(value).replace("'", '"')) for value in get_args(annotation))
    if isinstance(annotation, type) and not get_args(annotation):
        return {"str": "a text", "int": "an integer", "bool": "True, False", "Enum": "Gymnasium's `AutoresetMode`"}[
            annotation.__name__
        ]
    origin = get_origin(annotation)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "a mapping"
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return "a sequence"
    return ", ".join(dict.fromkeys(map(values_of, get_args(annotation))))


def options_table(environment: Environment) -> str:
    """Name, values, default and meaning of every option.

    Raises:
        KeyError: no docstring says what an option means.
    """
    make = environment.make
    called = make.__init__ if isinstance(make, type) else make
    explained = {}
    for thing in reversed((make, *environment.like)):
        explained |= meanings(thing)
    types = get_type_hints(called, localns={"Policy": Policy})
    rows = []
    for name, parameter in inspect.signature(called).parameters.items():
        if name == "self":
            continue
        default = "required" if parameter.default is inspect.Parameter.empty else code(repr(parameter.default))
        rows.append([code(name), values_of(types[name]), default.replace("'", '"'), explained[name]])
    return table(["option", "values", "default", "meaning"], rows)


def spaces_table(environment: Environment) -> str:
    return table(["of", "space"], [(name, code(space)) for name, space in environment.spaces().items()])


def pages() -> dict[str, str]:
    """The pages as they should be, by path from the root."""
    made = {}
    for name, environment in ENVIRONMENTS.items():
        tables = {
            f"options: {name}": options_table(environment),
            f"spaces: {name}": spaces_table(environment),
        }
        made[f"docs/{name}.md"] = with_tables((DOCS / f"{name}.md").read_text(encoding="utf-8"), tables)
    return made


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.environment_pages", description="print options into docs/")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a page is out of date")
    check = parser.parse_args(argv).check
    changed = {name: page for name, page in pages().items() if (DOCS.parent / name).read_text("utf-8") != page}
    for name, page in changed.items():
        if check:
            sys.stderr.write(f"{name}: out of date: python -m tools.environment_pages\n")
        else:
            write_whole(DOCS.parent / name, page)
            print(f"wrote {name}")
    return int(check and bool(changed))


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m tools.environment_pages", main))
