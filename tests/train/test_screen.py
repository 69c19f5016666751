"""The display: a table on a terminal, lines where there is none."""

import io

from rich.console import Console

from persian_rummy_env.evaluation.match import MatchResult
from train.run.screen import Screen, result_table

ROW = dict.fromkeys(
    ("update", "decisions", "deals", "decisions_per_second", "deal_length", "out_rate", "entropy", "kl"), 1.0
)
SHOWN = {"entropy": "entropy {:.3f}", "kl": "KL {:.4f}", "q_loss": "loss {:.3f}"}
MATCH = MatchResult("a", "greedy", 512, 38.12, 34.0, 42.24, 70.0, 100.0, 0.6, 0.58, 0.62, 0.9, 60.0, 1.0)


def shown(terminal: bool, times: int = 3) -> str:
    text = io.StringIO()
    with Screen("runs/a", Console(file=text, force_terminal=terminal, width=100, highlight=False), SHOWN) as screen:
        for _ in range(times):
            screen.show(ROW, "4:59", [MATCH], new=False)
        screen.show(ROW, "4:58", [MATCH], new=True)
    return text.getvalue()


def test_plain_lines_without_a_terminal():
    text = shown(terminal=False)
    assert "\x1b" not in text
    assert len(text.splitlines()) == 2  # the first, and the one with news; not one an update
    assert "greedy +38.1 ± 4.1" in text.splitlines()[1]
    assert "4:58 left" in text
    assert "entropy 1.000, KL 1.0000" in text
    assert "loss" not in text


def test_a_table_on_a_terminal():
    text = shown(terminal=True)
    assert "against greedy" in text
    assert "+38.1 ± 4.1 points a deal" in text


def test_the_closing_table():
    text = io.StringIO()
    Console(file=text, width=100).print(result_table([MATCH]))
    for cell in ("greedy", "+38.1 ± 4.1", "+34.0 to +42.2", "60.0%", "512"):
        assert cell in text.getvalue()
