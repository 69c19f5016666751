"""The rules page and the tests in step: every rule is proved by a test, and no test names a rule that is not there.

A test names the rules it proves with `@pytest.mark.rules("R12", "R13")`, on a test function or a test class.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "rules.md"


def rules_of(page: str) -> list[str]:
    """The numbers of the rules that a page states, in order."""
    return re.findall(r"^- \*\*(R\d+)\.\*\* ", page, flags=re.MULTILINE)


def markers_in(source: str) -> Iterator[tuple[str, str]]:
    """Each (test, rule number) that the markers of a test file claim."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not node.name.startswith(("test_", "Test")):
                continue
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.rules":
                    for number in decorator.args:
                        yield node.name, ast.literal_eval(number)


@pytest.fixture(scope="module")
def claims() -> dict[str, list[str]]:
    """For each rule number that some test names, the tests that name it."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for test, number in markers_in(path.read_text(encoding="utf-8")):
            found.setdefault(number, []).append(f"{path.relative_to(TESTS)}::{test}")
    return found


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_rules_are_numbered_without_gaps(page: str) -> None:
    rules = rules_of(page)
    assert rules == [f"R{number}" for number in range(1, len(rules) + 1)]
    assert len(rules) > 40


def test_every_number_in_the_page_heads_a_rule(page: str) -> None:
    assert set(re.findall(r"\bR\d+\b", page)) == set(rules_of(page))


def test_every_rule_is_proved_by_a_test(page: str, claims: dict[str, list[str]]) -> None:
    missing = [rule for rule in rules_of(page) if rule not in claims]
    assert not missing, f"no test names {', '.join(missing)}"


def test_no_test_names_an_unknown_rule(page: str, claims: dict[str, list[str]]) -> None:
    unknown = {number: tests for number, tests in claims.items() if number not in rules_of(page)}
    assert not unknown


def test_markers_are_found_where_they_count() -> None:
    source = """
@pytest.mark.rules("R1", "R2")
@pytest.mark.slow
def test_a(): ...

@pytest.mark.rules("R3")
class TestB:
    @pytest.mark.rules("R4")
    def test_c(self): ...

@pytest.mark.rules("R5")
def helper(): ...

def test_d():
    "R6"
    pytest.mark.rules("R7")
"""
    found = sorted(markers_in(source), key=lambda claim: claim[1])
    assert found == [("test_a", "R1"), ("test_a", "R2"), ("TestB", "R3"), ("test_c", "R4")]
