"""Credit: who is paid for what, by hand and against the definition."""

from pathlib import Path

import numpy as np
import pytest

from tests.train.credit import BY_HAND, END, EXAMPLE, LAMBDA
from train.data.gae import advantages

PAGE = Path(__file__).resolve().parents[2] / "docs" / "training.md"


def example() -> tuple[np.ndarray, ...]:
    """Arrays of the kept decisions of ``EXAMPLE``, and what team 0 had earned before each step."""
    earned = [0.0]
    for seat, points, _ in EXAMPLE:
        earned.append(earned[-1] + (points if seat % 2 == 0 else -points))
    earned[-1] += END
    kept = [(time, seat, value) for time, (seat, _, value) in enumerate(EXAMPLE) if value is not None]
    time, seat, value = (np.array(column) for column in zip(*kept, strict=True))
    return np.zeros(len(kept), dtype=np.int64), seat, time, value.astype(np.float32), np.array(earned)[:, None]


def test_the_example_worked_by_hand():
    lane, seat, time, value, earned = example()
    got = advantages(lane, seat, time, value, earned, LAMBDA)
    assert dict(zip(time.tolist(), got.tolist(), strict=True)) == BY_HAND


def test_the_page_shows_these_numbers():
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.read_text().splitlines() if "|" in line]
    shown = [row for row in rows if row and row[0].isdecimal()]
    example_rows = [
        (int(seat), float(points), None if value == "forced" else float(value))
        for _, seat, _, points, value, *_ in shown
    ]
    assert example_rows == list(EXAMPLE)
    assert {int(row[0]): float(row[-1].strip("*")) for row in shown if row[-1]} == BY_HAND


def slow(lane, seat, time, value, earned, gae_lambda):
    """The definition: for each seat of each lane apart, sum the discounted surprises of what follows."""
    result = np.zeros(len(lane))
    for table in set(lane.tolist()):
        for who in range(4):
            mine = np.flatnonzero((lane == table) & (seat == who))
            sign = 1 if who in (0, 2) else -1
            money = [sign * earned[time[i], table] for i in mine] + [sign * earned[-1, table]]
            worth = [*value[mine].tolist(), 0.0]
            for k, i in enumerate(mine):
                for later in range(k, len(mine)):
                    surprise = money[later + 1] - money[later] + worth[later + 1] - worth[later]
                    result[i] += gae_lambda ** (later - k) * surprise
    return result


def random_case(seed: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    steps, lanes = 40, 3
    earned = np.cumsum(np.vstack([np.zeros(lanes), rng.integers(-3, 4, size=(steps, lanes))]), axis=0).astype(float)
    time, lane = np.nonzero(rng.random((steps, lanes)) < 0.7)
    seat = rng.integers(4, size=len(time))
    return lane, seat, time, rng.normal(size=len(time)).astype(np.float32), earned


@pytest.mark.parametrize("gae_lambda", [0.0, 0.6, 0.95, 1.0])
def test_it_agrees_with_the_definition(gae_lambda: float):
    for seed in range(5):
        case = random_case(seed)
        assert np.allclose(advantages(*case, gae_lambda), slow(*case, gae_lambda), atol=1e-4)


def test_at_lambda_one_the_critic_cancels():
    """What is left is what the seat's team earned from its decision to the end of the deal: the last to move is not the
    only one to be paid."""
    lane, seat, time, value, earned = random_case(9)
    sign = np.where(seat % 2 == 0, 1, -1)
    assert np.allclose(
        advantages(lane, seat, time, value, earned, 1.0) + value,
        sign * (earned[-1, lane] - earned[time, lane]),
        atol=1e-4,
    )


def test_a_right_critic_leaves_no_advantage():
    """Values that say what each seat will earn, with their signs, are no surprise at any lambda; a sign that is wrong
    for one seat would be."""
    lane, seat, time, _, earned = random_case(10)
    value = (np.where(seat % 2 == 0, 1, -1) * (earned[-1, lane] - earned[time, lane])).astype(np.float32)
    assert np.abs(advantages(lane, seat, time, value, earned, 0.7)).max() < 1e-5


def test_the_end_reaches_the_last_decision_of_all_four_seats():
    lane, seat, time = np.zeros(4, dtype=np.int64), np.arange(4), np.arange(4)
    earned = np.zeros((5, 1))
    earned[-1] = 7.0
    value = np.zeros(4, dtype=np.float32)
    assert advantages(lane, seat, time, value, earned, 0.95).tolist() == [7.0, -7.0, 7.0, -7.0]
