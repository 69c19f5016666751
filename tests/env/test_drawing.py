"""The drawing: everything that must be read is readable, hidden cards are nowhere in it, and both formats are one."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest
from PIL import ImageFont

from persian_rummy_env import drawing
from persian_rummy_env.cards import CARD_NAMES, NUM_CARDS, bits_of, cards_in
from persian_rummy_env.drawing import Look, card_face, contents, draw_table, look, raster, scene, stamps, symbols
from persian_rummy_env.drawing.scene import HEIGHT, WIDTH, Label, Panel, Part, Stamp
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.state import MAX_PILE, NOBODY, NOTHING_OWED, OVER, STATE
from tests.env.play import PACK, POLICIES, position, put, scaled
from tests.env.play import play as play_vector

SVG = "{http://www.w3.org/2000/svg}"
VIEWERS = (None, 0, 1, 2, 3)
FOUR = Look(four_colours=True)
SETS = [[f"{rank}{suit}" for suit in "CDHS"] for rank in "23456789TJQKA"]
NAMES = ("Ada", "search(deepest, worlds=160)", "Ελένη Παπαδοπούλου-Βασιλείου", "W" * 60)


def parts_of(game: np.void, viewer: int | None = None, **options: Any) -> list[Part]:
    given = {"players": NAMES, "recent": (), "look": Look(), **options}
    return drawing.parts(game, viewer, given["players"], given["recent"], given["look"])


def random_game(rng: np.random.Generator) -> np.void:
    """A table as full as it may be in one way or another: many melds, a long pile, or one long hand."""
    game = np.zeros(1, STATE)[0]
    rest = [PACK[index] for index in rng.permutation(NUM_CARDS)]
    laid: list[list[str]] = [[] for _ in range(4)]
    sets, runs, lows = [], [], []
    candidates = [*SETS, ["JK"] * 4]
    candidates += [[f"{rank}{suit}" for rank in "23456789TJQKA"[low : low + length]]
                   for suit in "CDHS" for low in range(11) for length in (3, 5, 13 - low)]  # fmt: skip
    for number in rng.permutation(len(candidates))[: rng.integers(0, 60)]:
        meld = candidates[number]
        if len(meld) == 4 and rng.random() < 0.7:
            meld = np.delete(meld, rng.integers(4)).tolist()
        if Counter(meld) - Counter(rest):
            continue
        for card in meld:
            rest.remove(card)
            laid[rng.integers(4)].append(card)
        (sets if meld[0][0] == meld[1][0] else runs).extend(meld)
        if meld[0][0] != meld[1][0]:
            lows.append(meld[0])
    piled = rest[: min(MAX_PILE, rng.integers(0, MAX_PILE + 1), len(rest))]
    rest = rest[len(piled) :]
    stock = int(min(len(rest), rng.integers(0, MAX_PILE - len(piled) + 1)))
    rest = rest[stock:]
    shares = rng.multinomial(len(rest), rng.dirichlet([0.3] * 4))
    for seat, share in enumerate(shares):
        held, rest = rest[:share], rest[share:]
        game["hand"][seat] = bits_of(held)
        game["known"][seat] = bits_of(held[: rng.integers(0, len(held) + 1)])
        game["laid"][seat] = bits_of(laid[seat])
    game["sets"], game["runs"], game["run_low"] = bits_of(sets), bits_of(runs), bits_of(lows)
    game["pile"], game["pile_size"], game["stock_size"] = bits_of(piled), len(piled), stock
    game["pile_card"][: len(piled)] = [CARD_NAMES.index(card) for card in piled]
    game["pile_seat"][: len(piled)] = rng.integers(0, 5, len(piled))
    game["seat"], game["dealer"], game["phase"] = rng.integers(4), rng.integers(4), rng.integers(3)
    game["ended"] = game["phase"] == OVER
    game["deals"], game["deal"], game["out"] = 4, rng.integers(4), rng.integers(5)
    game["score"], game["points"] = rng.integers(-3908, 3909, 2), rng.integers(0, 953, 2)
    game["last_score"], game["passes"] = rng.integers(-952, 978, 2), rng.integers(0, 4)
    known = cards_in(game["known"][int(game["seat"])])
    game["owed"] = CARD_NAMES.index(str(rng.choice(known))) if known and rng.random() < 0.5 else NOTHING_OWED
    return game


def random_actions(rng: np.random.Generator) -> list[tuple[int, str]]:
    texts = ["draw", "pass", "take JK4", "discard TD", "layoff TC run", "meld TC TD TH TS", "meld JK JK JK JK"]
    texts += ["meld 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"]
    return [(int(rng.integers(4)), str(rng.choice(texts))) for _ in range(rng.integers(0, 12))]


# What must be read ----------------------------------------------------------------------------------------------------


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


def box(item: Panel | Stamp | Label) -> Box:
    """What an item covers."""
    if isinstance(item, Label):
        width = scene.text_width(item.text, item.size, item.bold)
        left = item.x - width * {"start": 0, "middle": 0.5, "end": 1}[item.anchor]
        return Box(left, item.y - 0.76 * item.size, left + width, item.y + 0.22 * item.size)
    return Box(item.x, item.y, item.x + item.width, item.y + item.height)


def must_be_read(item: Panel | Stamp | Label) -> Box | None:
    """Of a card its rank and suit, of a back enough to be counted; marks and words as a whole."""
    if isinstance(item, Panel) or (isinstance(item, Stamp) and item.piece in ("slot", "frame")):
        return None
    whole = box(item)
    if isinstance(item, Stamp) and item.piece.startswith("card-"):
        left, top, right, bottom = (0, 0, 7, 50) if item.piece == "card-back" else (2, 4, 19, 41)
        one = item.width / 56
        return Box(item.x + left * one, item.y + top * one, item.x + right * one, item.y + bottom * one)
    return whole


def covers(item: Panel | Stamp | Label) -> list[Box]:
    """What an item hides of those below it; a frame is hollow."""
    whole = box(item)
    if isinstance(item, Stamp) and item.piece == "frame":
        edge = item.width * 4 / 62
        left, top, right, bottom = whole
        return [Box(left, top, right, top + edge), Box(left, bottom - edge, right, bottom),
                Box(left, top, left + edge, bottom), Box(right - edge, top, right, bottom)]  # fmt: skip
    return [whole]


def faults(parts: list[Part]) -> list[str]:
    """What is covered by something above it, or reaches out of the picture."""
    items = [item for part in parts for item in part.items]
    read = [(number, needed) for number, item in enumerate(items) if (needed := must_be_read(item)) is not None]
    hiding = [(number, one) for number, item in enumerate(items) for one in covers(item)]
    order, boxes = np.array([n for n, _ in read]), np.array([b for _, b in read])
    above, hides = np.array([n for n, _ in hiding]), np.array([b for _, b in hiding])
    meet = (
        (order[:, None] < above)
        & (boxes[:, None, 0] < hides[:, 2] - 0.01)
        & (hides[:, 0] < boxes[:, None, 2] - 0.01)
        & (boxes[:, None, 1] < hides[:, 3] - 0.01)
        & (hides[:, 1] < boxes[:, None, 3] - 0.01)
    )
    found = [f"{items[order[a]]} is covered by {items[above[b]]}" for a, b in np.argwhere(meet)]
    for part in parts:
        for item in part.items:
            left, top, right, bottom = box(item)
            if left < 0 or top < 0 or right > WIDTH or bottom > HEIGHT:
                found.append(f"{item} reaches out of the picture")
            if isinstance(item, Stamp) and part.name.startswith("hand") and item.piece.startswith("card-"):
                assert item.width >= 42
    return found


def test_nothing_that_must_be_read_is_covered() -> None:
    rng = np.random.default_rng(1)
    longest: Counter[str] = Counter()
    for number in range(scaled(2000, least=200)):
        game = random_game(rng)
        parts = parts_of(game, VIEWERS[number % 5], recent=random_actions(rng))
        assert faults(parts) == []
        cards = {
            part.name: sum(getattr(item, "piece", "").startswith("card-") for item in part.items) for part in parts
        }
        longest |= Counter(cards)
    assert longest["pile"] == MAX_PILE
    assert longest["melds"] >= 45
    assert max(longest[f"hand-{seat}"] for seat in range(4)) >= 35


def test_positions_of_play_are_drawn_without_a_fault() -> None:
    for number, (game, recent) in enumerate(positions(seed=1, steps=scaled(600, least=80))):
        assert faults(parts_of(game, VIEWERS[number % 5], recent=recent)) == []


def test_the_fullest_table_that_the_cards_allow() -> None:
    melds = [(number % 4, " ".join(cards[:3])) for number, cards in enumerate(SETS)] + [(0, "JK JK JK JK")]
    melds += [(1, "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS")]
    for viewer in VIEWERS:
        assert faults(parts_of(position({}, table=melds, stock="", pile="").get_state()[0], viewer)) == []
        for seat in range(4):
            for held in (35, 28):
                whole = position({seat: " ".join(PACK[:held])}, pile=" ".join(PACK[held:]), stock="")
                assert faults(parts_of(whole.get_state()[0], viewer)) == []


def positions(seed: int, steps: int) -> Iterator[tuple[np.void, list[tuple[int, str]]]]:
    """Lively random play of games of two deals, with what was played."""
    table = position({0: "2C"}, deals=2)
    rng = np.random.default_rng(seed)
    batch, recent = table.reset(seed=seed), []
    for _ in range(steps):
        game = table.get_state()[0].copy()
        yield game, recent
        if game["ended"]:
            batch, recent = table.reset(), []
            continue
        action = POLICIES["always take"](table, batch.action_mask[0].astype(bool), rng)
        recent = [*recent, (int(game["seat"]), drawing_action(action))][-10:]
        batch = table.step([action])


def drawing_action(action: int) -> str:
    from persian_rummy_env.actions import ACTION_NAMES

    return ACTION_NAMES[action]


# What is on it --------------------------------------------------------------------------------------------------------


def drawn(game: np.void, viewer: int | None = None, **options: Any) -> dict[str, ET.Element]:
    """The parts of a drawing by name; what it uses is in its own symbols."""
    root = ET.fromstring(draw_table(game, viewer, **options))
    assert root.get("viewBox") == "0 0 1280 800"
    assert root.get("role") == "img"
    defined = [symbol.get("id") for symbol in root.iter(f"{SVG}symbol")]
    used = {str(use.get("href")).removeprefix("#") for use in root.iter(f"{SVG}use")}
    assert sorted(used) == defined
    parts = {str(group.get("data-part")): group for group in root.iter(f"{SVG}g")}
    wanted = {"page", "heading", "scores", "stock", "pile", "melds", "owed", "recent"}
    assert parts.keys() == wanted | {f"hand-{seat}" for seat in range(4)}
    return parts


def pieces(part: ET.Element) -> list[str]:
    return [str(use.get("href")).removeprefix("#") for use in part.iter(f"{SVG}use")]


def cards(part: ET.Element) -> list[str]:
    """The cards of a part that are seen."""
    named = [str(use.get("data-card")) for use in part.iter(f"{SVG}use") if use.get("data-card")]
    assert [f"card-{name}" for name in named] == [
        one for one in pieces(part) if one.startswith("card-") and one != "card-back"
    ]
    return named


def words(part: ET.Element) -> list[str]:
    return ["".join(text.itertext()).replace("\ufe0e", "") for text in part.iter(f"{SVG}text")]


def test_cards_lie_where_they_are_and_point_to_who_put_them_there() -> None:
    for number, (game, _) in enumerate(positions(seed=2, steps=scaled(300, least=60))):
        viewer = VIEWERS[number % 5]
        parts = drawn(game, viewer)
        bottom = viewer or 0
        by = [f"by-{stamps.PLACES[(seat - bottom) % 4]}-{seat % 2}" for seat in range(4)]
        pile = [(CARD_NAMES[card], by[seat] if seat != NOBODY else None) for card, seat in contents.pile(game)]
        shown = iter([*pieces(parts["pile"]), ""])
        current = next(shown)
        for name, arrow in pile:
            assert current == f"card-{name}"
            current = next(shown)
            if arrow:
                assert current == arrow
                current = next(shown)
        assert current in ("", "slot")
        laid = [
            (CARD_NAMES[card], by[seat])
            for meld in contents.melds(game)
            for card, seat in zip(meld.cards, meld.seats, strict=True)
        ]
        assert pieces(parts["melds"]) == [one for card, arrow in laid for one in (f"card-{card}", arrow)]
        for seat in range(4):
            hand = contents.hand(game, seat, viewer)
            assert cards(parts[f"hand-{seat}"]) == [CARD_NAMES[card] for card in hand.cards]
            assert pieces(parts[f"hand-{seat}"]).count("card-back") == hand.hidden
            assert pieces(parts[f"hand-{seat}"]).count("eye") == sum(hand.known)
            assert by[seat] in pieces(parts[f"hand-{seat}"])


def test_the_words_say_how_the_game_stands() -> None:
    table = position({1: "7C 7D 2S", 2: "3S"}, pile="4H 7H 5H", stock="2C", seat=1)
    state = table.get_state()
    state["score"], state["points"], state["deals"], state["deal"] = (120, -45), (15, 60), 2, 1
    state["last_score"], state["out"], state["dealer"] = (120, -45), 3, 0
    put(table, state)
    play_vector(table, "take 7H")
    parts = drawn(
        table.get_state()[0], 3, players=("Ada", "Bo", "Cy", "Di"), recent=[(0, "discard TH"), (1, "take 7H")]
    )
    assert words(parts["heading"]) == ["Deal 2 of 2", "dealt by Ada", "Bo to meld", "as Di sees it"]
    assert [text for text in words(parts["scores"]) if text not in ("score", "laid")] == [
        "Ada", "Cy", "120", "+15", "Bo", "Di", "\u221245", "+60", "last deal 120 to \u221245; Di out",
    ]  # fmt: skip
    assert words(parts["recent"]) == ["Last actions", "discard 10♥", "take 7♥"]
    assert cards(parts["owed"]) == ["7H"]
    assert words(parts["owed"])[-1] == "Bo"
    assert pieces(parts["hand-1"]).index("frame") == pieces(parts["hand-1"]).index("card-7H") + 1
    assert words(parts["hand-1"]) == ["Bo", "to meld, 5 cards"]
    assert words(parts["hand-2"]) == ["Cy", "1 card"]
    assert words(parts["hand-0"]) == ["Ada", "no cards"]
    assert "dealer" in pieces(parts["hand-0"])
    assert words(parts["stock"]) == ["stock 1"]
    assert words(parts["pile"]) == ["discard pile 1"]


def test_at_the_end_nobody_is_to_move() -> None:
    game = position({1: "7C"}).get_state()[0]
    game["ended"] = 1
    parts = drawn(game)
    assert words(parts["heading"])[-1] == "Broken off"
    assert not any("to draw" in text for seat in range(4) for text in words(parts[f"hand-{seat}"]))
    game["phase"] = OVER
    assert words(drawn(game)["heading"])[-1] == "The game is over"


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", 'a"b&c', "nul\x00\x1b[31m\ud800", "🂡" * 9, ""])
def test_any_name_is_text(name: str) -> None:
    svg = draw_table(position({1: "7C"}).get_state()[0], players=(name, "b", "c", name))
    root = ET.fromstring(svg.encode())
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg", "title", "defs", "symbol", "g", "rect", "use", "path", "circle", "text",
    }  # fmt: skip


# What is hidden -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("viewer", range(4))
def test_a_view_is_the_same_for_all_that_may_be_hidden(viewer: int) -> None:
    """Other cards planted where the seat cannot see change no byte, and no hidden card is named anywhere."""
    rng = np.random.default_rng(viewer)
    others_saw_it = hidden_cards = 0
    for game, recent in positions(seed=10 + viewer, steps=scaled(150, least=30)):
        planted = exchange_hidden(np.array([game]), viewer, rng)[0]
        svg = draw_table(game, viewer, recent=recent)
        assert svg == draw_table(planted, viewer, recent=recent)
        others_saw_it += draw_table(game, None) != draw_table(planted, None)
        seen = {CARD_NAMES[card] for seat in range(4) for card in contents.hand(game, seat, viewer).cards}
        seen |= {CARD_NAMES[card] for card, _ in contents.pile(game)}
        seen |= {CARD_NAMES[card] for meld in contents.melds(game) for card in meld.cards}
        assert set(re.findall(r"card-([2-9TJQKA][CDHS]|JK)", svg)) == seen
        hidden_cards += 53 - len(seen)
    assert others_saw_it
    assert hidden_cards


# Looks ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("looks", [Look(), FOUR])
def test_every_card_is_told_from_every_other_by_its_corner(looks: Look) -> None:
    """At 200 pixels, and as small as a hand ever shows it."""
    for width, least in ((200, 400), (42, 12)):
        corner = (slice(0, width * 41 // 56), slice(0, width * 19 // 56))
        faces = [
            np.asarray(raster.rasterise(card_face(card, look=looks, width=width)).convert("RGB"))[corner].astype(int)
            for card in CARD_NAMES
        ]
        for one, other in combinations(faces, 2):
            assert (abs(one - other) > 80).any(axis=-1).sum() >= least


def contrast(one: str, other: str) -> float:
    """Of two colours, as WCAG 2 has it."""

    def light(colour: str) -> float:
        part = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
        return float(
            np.where(part <= 0.03928, part / 12.92, ((part + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
        )

    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


def test_colours_stand_out() -> None:
    text = [(colour, look.PAPER) for colour in {**look.SUITS, **look.FOUR_SUITS}.values()]
    text += [(colour, look.PAGE) for colour in (look.INK, look.SOFT, *look.TEAMS, *look.FOUR_SUITS.values())]
    text += [(look.ON_FELT, look.FELT), (look.INK, look.GOLD)]
    assert [pair for pair in text if contrast(*pair) < 4.5] == []
    marks = [(team, ground) for team in look.TEAMS for ground in (look.PAPER, look.GOLD)] + [(look.HOT, look.PAPER)]
    assert [pair for pair in marks if contrast(*pair) < 3] == []


def test_four_colours_are_four() -> None:
    assert len({FOUR.suit(f"2{suit}") for suit in "CDHS"}) == 4
    assert len({Look().suit(f"2{suit}") for suit in "CDHS"}) == 2
    assert draw_table(position({1: "7C"}).get_state()[0], look=FOUR) != draw_table(position({1: "7C"}).get_state()[0])


@pytest.mark.parametrize("viewer", [None, 2])
def test_the_raster_is_the_drawing(viewer: int | None) -> None:
    """Put together from pieces, it has the pixels of the whole SVG; letters, drawn by another library, nearly so."""
    for number, (game, recent) in enumerate(positions(seed=20, steps=scaled(60, least=10))):
        if number % 10 == 9:
            whole = raster.rasterise(draw_table(game, viewer, recent=recent, width=WIDTH), raster.FONTS).convert("RGB")
            quick = raster.rgb_array(game, viewer, recent=recent)
            assert quick.shape == (HEIGHT, WIDTH, 3)
            apart = abs(np.asarray(whole).astype(int) - quick).max(axis=-1)
            for part in parts_of(game, viewer, players=drawing.PLAYERS, recent=recent):
                for label in part.items:
                    if isinstance(label, Label):
                        left, top, right, bottom = map(round, box(label))
                        written = apart[top - 2 : bottom + 2, left - 2 : right + 2]
                        assert written.mean() < 12, label
                        written[:] = 0
            assert apart.max() <= 8


def test_words_are_measured_as_they_are_drawn() -> None:
    for bold, path in enumerate(raster.FONTS):
        font = ImageFont.truetype(str(path), 1000, layout_engine=ImageFont.Layout.BASIC)
        for code in range(32, 127):
            assert abs(font.getlength(chr(code)) - 10 * scene.text_width(chr(code), 100, bool(bold))) <= 6
    assert scene.fit("Ada", 40, 15) == "Ada"
    assert scene.fit("Ada", 14, 15) == ""
    for room in range(30, 120, 7):
        short = scene.fit("search(deepest, worlds=40)", room, 15, bold=True)
        assert short.endswith("…")
        assert scene.text_width(short, 15, bold=True) <= room


# The functions --------------------------------------------------------------------------------------------------------


def test_symbols_are_all_pieces_and_a_page_that_has_them_needs_no_others() -> None:
    root = ET.fromstring(symbols())
    faces = {str(symbol.get("id")) for symbol in root if symbol.get("viewBox") == "0 0 56 80"}
    assert faces >= {*(f"card-{name}" for name in CARD_NAMES), "card-back"}
    ids = {str(symbol.get("id")) for symbol in root}
    for game, recent in positions(seed=3, steps=40):
        bare = draw_table(game, recent=recent, defs=False)
        assert "<symbol" not in bare
        assert {one.removeprefix("#") for one in re.findall(r'href="([^"]+)"', bare)} <= ids


def test_a_card_by_itself() -> None:
    assert card_face("7S") == card_face(CARD_NAMES.index("7S"))
    assert card_face("JK") == card_face(55)
    back = ET.fromstring(card_face(None, width=200))
    assert (back.get("width"), back.get("height"), back.get("viewBox")) == ("200", "286", "0 0 56 80")
    assert back.findtext(f"{SVG}title") == "a hidden card"
    assert ET.fromstring(draw_table(position({1: "7C"}).get_state()[0], width=640)).get("height") == "400"


def test_what_cannot_be_drawn_is_refused() -> None:
    game = position({1: "7C"}).get_state()[0]
    with pytest.raises(ValueError, match=r"viewer=4: expected a seat 0\.\.3, or None"):
        draw_table(game, 4)
    with pytest.raises(ValueError, match="expected 4 names, got 3"):
        draw_table(game, players=("a", "b", "c"))
    with pytest.raises(ValueError, match=r"recent: \(7, 'draw'\): expected a seat"):
        draw_table(game, recent=[(7, "draw")])
    with pytest.raises(ValueError, match="'1S' is not a card"):
        card_face("1S")
