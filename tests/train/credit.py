"""Credit, worked by hand."""

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
