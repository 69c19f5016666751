"""Results as tables in docs/. If the first test fails: ``python -m tools.result_pages``."""

from __future__ import annotations

import pytest

from experiments.shared.markdown import with_tables
from experiments.tables import expert
from tools.result_pages import changed_pages, main


def test_pages_are_as_their_results_have_them() -> None:
    assert list(changed_pages()) == []


def test_another_weight_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(expert.WEIGHTS, next(iter(expert.WEIGHTS)), 99.0)
    assert list(changed_pages()) == ["docs/bots.md"]
    assert main(["--check"]) == 1


def test_a_table_goes_where_the_page_has_a_place_for_it() -> None:
    text = "before\n<!-- a -->\nold\n<!-- end a -->\nafter\n"
    once = with_tables(text, {"a": r"| new \1 |"})
    assert once == "before\n<!-- a -->\n| new \\1 |\n<!-- end a -->\nafter\n"
    assert with_tables(once, {"a": r"| new \1 |"}) == once
    with pytest.raises(ValueError, match="'b'"):
        with_tables(text, {"b": ""})
