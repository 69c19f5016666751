"""The printed pages are as the code's tables have them now."""

import re
from pathlib import Path

import pytest

from persian_rummy_env.actions import ACTION_NAMES, NUM_ACTIONS, RANGES
from persian_rummy_env.observation import BLOCKS, FULL_BLOCKS, SIZE
from persian_rummy_env.state import FIELDS, STATE
from tools import reference_pages
from tools.reference.form import NOTE, WIDTH, wrapped

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    return reference_pages.pages()


@pytest.mark.parametrize("name", ["observation.md", "actions.md", "state.md"])
def test_a_committed_page_is_what_the_code_prints(name: str, printed: dict[str, str]) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == printed[name], "run python -m tools.reference_pages"


def test_no_printed_page_is_left_out_of_the_comparison(printed: dict[str, str]) -> None:
    marked = {path.name for path in DOCS.glob("*.md") if path.read_text(encoding="utf-8").startswith(NOTE)}
    assert marked == set(printed)


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without the two lines of its head."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.split("\n") if line.startswith("|")]
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines[2:]]


def first_and_last(cell: str) -> tuple[int, int]:
    first, _, last = cell.partition("–")
    return int(first), int(last or first)


def test_the_observation_page_lists_every_byte_once(printed: dict[str, str]) -> None:
    listed = rows(printed["observation.md"], "Blocks")
    assert [row[0] for row in listed] == [block.name for block in BLOCKS]
    places = [place for row in listed for place in range(first_and_last(row[1])[0], first_and_last(row[1])[1] + 1)]
    assert places == list(range(SIZE))
    assert [int(row[2]) for row in listed] == [block.length for block in BLOCKS]
    assert [int(row[3]) for row in listed] == [block.high for block in BLOCKS]


def test_the_actions_page_lists_every_action_once(printed: dict[str, str]) -> None:
    listed = rows(printed["actions.md"], "Ranges")
    assert [row[0] for row in listed] == [part.name for part in RANGES]
    ids = [action for row in listed for action in range(first_and_last(row[1])[0], first_and_last(row[1])[1] + 1)]
    assert ids == list(range(NUM_ACTIONS))
    for row in listed:
        first, last = first_and_last(row[1])
        assert row[-2:] == [ACTION_NAMES[first], ACTION_NAMES[last]]
    for action, number in re.findall(r"`([^`]+)` is (\d+)", printed["actions.md"]):
        assert ACTION_NAMES[int(number)] == action


def test_the_recipe_for_runs_finds_every_run(printed: dict[str, str]) -> None:
    """The table of run lengths, followed by hand, gives each of the 264 numbers."""
    section = rows(printed["actions.md"], "Numbers within a range")
    starts = [int(cell) for cell in next(row for row in section if row[0] == "first in its suit")[1:]]
    found = []
    for suit in range(4):
        for length, start in zip(range(3, 14), starts, strict=True):
            for low in range(14 - length):
                action = 125 + 66 * suit + start + low
                cards = ["23456789TJQKA"[low + k] + "CDHS"[suit] for k in range(length)]
                assert ACTION_NAMES[action] == "meld " + " ".join(cards)
                found.append(action)
    assert sorted(found) == list(range(125, 389))


def test_the_state_page_lists_every_field_and_hidden_block(printed: dict[str, str]) -> None:
    listed = rows(printed["state.md"], "Fields")
    assert [row[0] for row in listed] == list(STATE.names or ()) == [field.name for field in FIELDS]
    assert [int(row[3]) for row in listed] == [(STATE.fields or {})[field.name][1] for field in FIELDS]
    hidden = rows(printed["state.md"], "The full information as a vector")
    assert [row[0] for row in hidden] == [block.name for block in FULL_BLOCKS[: len(hidden)]]
    assert len(hidden) == len(FULL_BLOCKS) - len(BLOCKS)


def test_check_fails_on_a_page_that_was_changed_and_writing_mends_it(
    tmp_path: Path, printed: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reference_pages, "DOCS", tmp_path)
    monkeypatch.setattr(reference_pages, "pages", lambda: printed)
    assert reference_pages.main(["--check"]) == 1
    assert not list(tmp_path.iterdir())
    assert reference_pages.main([]) == 0
    assert reference_pages.main(["--check"]) == 0
    (tmp_path / "state.md").write_text("something else")
    capsys.readouterr()
    assert reference_pages.main(["--check"]) == 1
    assert capsys.readouterr().out == "docs/state.md: out of date\n"
    assert (tmp_path / "state.md").read_text() == "something else"


def test_paragraphs_are_filled_and_the_rest_is_left_alone() -> None:
    long = "word " * 40 + "`meld JS QS KS AS`."
    page = f"# A heading that is long {'x' * 120}\n\n{long}\n\n- {long}\n- two\n\n| a | b |\n\n```\na  b\n\nc  d\n```\n"
    filled = wrapped(page)
    assert filled.startswith(f"# A heading that is long {'x' * 120}\n\nword word")
    assert max(map(len, filled.split("\n")[1:])) <= WIDTH
    assert filled.count("`meld JS QS KS AS`") == 2
    assert "\n- two\n\n| a | b |\n\n```\na  b\n\nc  d\n```\n" in filled
    assert wrapped(filled) == filled
