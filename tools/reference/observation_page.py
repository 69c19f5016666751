"""docs/observation.md."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from persian_rummy_env import cards, observation, observation_bits, state
from persian_rummy_env.actions import encode_action
from persian_rummy_env.cards import (
    CARD_NAMES,
    JOKER,
    JOKER_NAME,
    NUM_CARDS,
    NUM_JOKERS,
    NUM_PLAIN,
    NUM_RANKS,
    RANKS,
    SUITS,
)
from persian_rummy_env.observation import BLOCK, BLOCKS, RELATIVE_SEATS, SIZE, Block, blocks_of
from persian_rummy_env.observation_bits import NUMBERS
from persian_rummy_env.rules import NUM_SEATS, RuleSet

from .form import NOTE, block_table, code, table


def observation_page() -> str:
    hand_size = observation.BLOCK["hand_size"]
    seats = [[f"seat {seat}", *((seat + k) % NUM_SEATS for k in range(NUM_SEATS))] for seat in range(NUM_SEATS)]
    return f"""\
{NOTE}

# The observation

The observation of a seat is one flat vector of **{SIZE} bytes** (`uint8`), layout version {observation.VERSION}. It
holds everything that a careful person at the table knows, and nothing else. Each fact can be decoded from it card by
card. No card that the seat cannot see changes a byte of it (`persian_rummy_env.envs.testing.check_no_leak` tests this).

- **Vector environment:** the raw bytes, `(n, {SIZE})`.
- **AEC and Gymnasium environments:** `float32` in [0, 1], each byte divided by the `high` of its block:
  `float32(raw) / float32(high)`. `observation.as_float(raw)` gives the same numbers.
- **Example:** `{hand_size.name}` has high {hand_size.high}. A hand of 8 cards is the byte 8, or
  {np.float32(8) / np.float32(hand_size.high):.6f} as a float. Most blocks are flags with high 1, equal in both forms.

## Seats

Seats are relative to the viewer, so that one network can play every seat. *left* plays next, *partner* sits opposite,
*right* plays before. *us* are me and my partner. If the whole table rotates by a seat, every vector stays the same.

{table(["viewer", *RELATIVE_SEATS], seats)}

## Planes of cards

A block of {NUM_CARDS} places is a plane of cards. Card `suit × {NUM_RANKS} + rank` is at its own place, suits
`{SUITS}`, ranks `{RANKS}`:

{table(["suit", *RANKS], [[suit, *(s * NUM_RANKS + r for r in range(NUM_RANKS))] for s, suit in enumerate(SUITS)])}

The four jokers are interchangeable, so places {JOKER} to {NUM_CARDS - 1} count them: at least one, two, three, four. In
the planes of the pile (`pile`, `pile_depth`, `discarded_…`) these places are the jokers of the pile in their order from
the top, as in `take JK1`. `runs` has no joker places, and `owed` has one for all.

## Blocks

{block_table(BLOCKS)}

`points` and `score` are scaled inputs for networks; `points_bits_…` and `score_bits_…` are exact.

{bits_section()}

## How to read it

```python
from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.observation import blocks_of

result = PersianRummyVecEnv(8).reset(seed=7)
blocks = blocks_of(result.observation)  # views of the same memory, by name, for one vector or a batch
print(blocks["hand"].shape, "cards in hand:", blocks["hand"].sum(axis=1))  # (8, {NUM_CARDS})
```

{observation_example()}
"""


EXAMPLE_HANDS = ("3S 4S 5S 7S KD 9C JK", "6S 8C 8D 8H TC TD TH", "2D 3D 4D JK JK 9D QS", "2C 3C 4C 6D 9H QC AD")
EXAMPLE_STOCK = "JD KC"
EXAMPLE_ACTIONS = ("draw", "meld 3S 4S 5S", "discard 7S", "take 7S")
EXAMPLE_DEALER = 3
EXAMPLE_SEAT = 2


def example_states(played: Sequence[str] = EXAMPLE_ACTIONS, hands_of: Sequence[str] = EXAMPLE_HANDS) -> np.ndarray:
    """(n + 1,) STATE: the example deal before each of n actions, and after them."""
    from persian_rummy_env.records.replay import play

    hands = [hand.split() for hand in hands_of]
    deck = [hands[(EXAMPLE_DEALER + 1 + place) % NUM_SEATS][place // NUM_SEATS] for place in range(state.FIRST_TURNED)]
    deck += EXAMPLE_STOCK.split()
    rest = [*CARD_NAMES[:NUM_PLAIN], *[JOKER_NAME] * NUM_JOKERS]
    for card in deck:
        rest.remove(card)
    ids = np.array([encode_action(action) for action in played])
    again = play(RuleSet(deals=1), EXAMPLE_DEALER, cards.parse_deck(deck + rest)[None], ids)
    assert again.played == len(ids), f"{played[again.played]} is not legal"
    return again.states


def bits_section() -> str:
    """The observation as bits, and what each word of it holds."""
    numbers = [f"`{name}`, byte {place}" if BLOCK[name].length > 1 else code(name) for name, place in NUMBERS]
    numbers.append("`owed`: the card + 1, or 0")
    planes = [f"plane {code(name)}" for name in observation_bits.PLANES]
    depths = [f"bit {bit} of `pile_depth` of each card" for bit in range(observation_bits.DEPTH_BITS)]
    flags = "the blocks from `points_bits_us` to `rules`, from the lowest bit"
    words = [*planes, *depths, flags]
    rows = [(word, words[word], numbers[word] if word < len(numbers) else "") for word in range(len(words))]
    return f"""\
## As bits

`PersianRummyVecEnv(observation="bits")` returns {observation_bits.WORDS} words (`uint64`) instead of {SIZE} bytes.
`observation_bits.unpack` makes the bytes of them. Bit `i` of a plane is place `i` of its block. The eight highest bits
of a word hold one number; in the word of flags they are flags.

{table(["word", "bits 0 to 55", "number in bits 56 to 63"], rows)}"""


def observation_example() -> str:
    """Every block of the example that is not all zeros, as seen from one seat."""
    from persian_rummy_env.envs.batch import observe_states

    seen = observe_states(example_states()[-1:], np.array([EXAMPLE_SEAT]))[0]
    rows = []
    for name, values in blocks_of(seen).items():
        if values.any():
            places = np.flatnonzero(values)
            high = observation.BLOCK[name].high
            raw = ", ".join(str(place) if high == 1 else f"{place}: {values[place]}" for place in places)
            rows.append((code(name), raw, reading(observation.BLOCK[name], values)))
    played = ", ".join(map(code, EXAMPLE_ACTIONS))
    absent = [block.name for block in BLOCKS if not seen[block.slice].any()]
    return f"""\
**An example.** Seat {EXAMPLE_DEALER} dealt and J♦ was turned up. Seat 0 and seat 1 played {played}: seat 1 has taken
the card that seat 0 discarded, and owes it to the table. The table is the observation of seat {EXAMPLE_SEAT}, the
partner of seat 0. Places count within the block; blocks with a high above 1 show the byte too.

{table(["block", "places that are not 0", "reads"], rows)}

All other blocks are zeros: {", ".join(map(code, absent))}."""


def reading(block: Block, values: np.ndarray) -> str:
    """What a block of the example says, in words."""
    places = np.flatnonzero(values).tolist()
    if block.length in (NUM_CARDS, NUM_PLAIN, cards.NUM_KINDS):
        return " ".join(CARD_NAMES[min(place, JOKER)] for place in places)
    if block.name.startswith("points_bits"):
        return str(sum(1 << place for place in places))
    if block.name == "phase":
        return state.PHASES[places[0]]
    if block.name == "score":
        return ", ".join(f"{observation.SCORE_STEP * (int(value) - observation.SCORE_ZERO)}" for value in values)
    if block.name in ("to_move", "dealer", "out"):
        return RELATIVE_SEATS[places[0]]
    return ", ".join(str(int(value)) for value in values)
