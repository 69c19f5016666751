"""Credit: who is paid for what, by hand and against the definition."""

from pathlib import Path

import numpy as np
import pytest

from train.gae import advantages

PAGE = Path(__file__).resolve().parents[2] / "docs" / "training.md"

# The example of docs/training.md, in points. Each row: seat, what its team earns by the action, the critic's value to
# the seat before it; None: the decision was forced and is not learnt from.
EXAMPLE = (
    (0, 0, 40.0),  # takes the queen of spades from the pile
    (0, 30, 44.0),  # melds it
    (0, 0, 16.0),  # discards
    (1, 0, -30.0),  # draws
    (1, 10, -20.0),  # lays off the king
    (1, 0, None),  # discards the only card it has
    (2, 0, 20.0),  # draws
    (2, 0, 22.0),  # discards
    (3, 0, -18.0),  # draws
    (3, 0, -24.0),  # discards
    (0, 0, 20.0),  # draws
    (0, 15, 30.0),  # lays off the ace and goes out
)
END = 20.0
"""What team 0 earns at the end: the 25, less what is left in its hands, and what is left in the others' hands."""
LAMBDA = 0.5
BY_HAND = {
    0: 5.0625, 1: 2.125, 2: 0.25, 3: 7.5, 4: -5.0, 6: 8.5, 7: 13.0, 8: -11.5, 9: -11.0, 10: 12.5, 11: 5.0,
}  # fmt: skip


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
    shown = [row for row in rows if row[0].isdecimal()]
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
