"""The examples in the docstrings of the public names run, and print what they say."""

import doctest
import inspect

import pytest

import persian_rummy_env

SHOWN = {
    "PersianRummyGymEnv",
    "PersianRummyGymVectorEnv",
    "PersianRummyVecEnv",
    "RuleSet",
    "decode_action",
    "decode_card",
    "encode_action",
    "encode_card",
    "env",
    "lane_seeds",
    "parse_deck",
}
"""The names that have an example."""


def examples_of(name: str) -> list[doctest.DocTest]:
    thing = getattr(persian_rummy_env, name)
    module = inspect.getmodule(thing)
    assert module is not None
    finder = doctest.DocTestFinder(recurse=False)
    return finder.find(thing, name, module, globs=dict(vars(module)))


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_the_example_of_a_name_runs(name: str) -> None:
    [example] = examples_of(name)
    assert example.examples
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=report.append)
    assert result.failed == 0, "".join(report)
