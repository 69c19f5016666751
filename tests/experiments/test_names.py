"""Names of policies in tables and pictures are text, whatever stands in them."""

from experiments.matches.page import grid_picture, wrapped
from experiments.shared.markdown import table

HOSTILE = "a|b\x1b[31m\nrow\u202e"


def test_a_name_ends_no_cell_and_no_line_of_a_table() -> None:
    head, ruler, row = table(["policy", "margin"], [[HOSTILE, "1"]]).splitlines()
    assert (head, ruler) == ("| policy | margin |", "| --- | ---: |")
    assert row == r"| a\|b\x1b[31m\nrow\u202e | 1 |"


def test_a_name_is_no_formula_of_a_picture() -> None:
    assert "\x1b" not in wrapped(HOSTILE)
    name = "$\\nonsense{$"
    assert grid_picture([name], [[None]], "title").startswith(b"\x89PNG")
