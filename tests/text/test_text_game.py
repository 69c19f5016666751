"""Games played by text: the same points as the engine, refusals, forfeits, and what leaves the process."""

import pytest

import persian_rummy_env
from persian_rummy_env.apps.game import TableError
from persian_rummy_env.apps.text_game import FORFEIT_POINTS, TextGame
from persian_rummy_env.records.replay import replay
from persian_rummy_env.text import Notation
from persian_rummy_env.text.prompt_player import PromptPlayer
from tests.env.play import scaled
from tests.text.same_deals import ONE_DEAL, points

DEALS = scaled(6, least=2)


@pytest.mark.parametrize("notation_seed", [None, 3])
def test_a_policy_that_reads_the_prompt_scores_the_points_of_the_engine(notation_seed: int | None):
    notation = Notation(notation_seed)
    player = PromptPlayer(persian_rummy_env.load("expert"), notation)
    for seed in range(DEALS):
        game = TextGame(["text"] * 4, rules=ONE_DEAL, seed=seed, notation=notation)
        while not game.over:
            assert game.answer(player.answer(game.prompt())).accepted
        assert game.result().score == points([persian_rummy_env.load("expert")] * 4, seed)


def test_one_text_seat_among_policies_replays_as_a_record():
    player = PromptPlayer(persian_rummy_env.load("greedy"))
    game = TextGame(["expert", "text", "greedy", "expert"], seed=5)
    prompts = []
    while not game.over:
        assert game.seat == 1
        prompts.append(game.prompt())
        game.answer(player.answer(prompts[-1]))
    result = game.result()
    record = result.record
    assert record is not None
    assert record["players"] == ["expert", "text", "greedy", "expert"]
    assert tuple(replay(record).states[-1]["score"].tolist()) == result.score
    assert result.answers[1].accepted == len(prompts)
    assert list(result.answers) == [1]
    assert any("Since your last turn:" in prompt for prompt in prompts)


def test_refused_answers_change_nothing_and_then_the_seat_forfeits():
    game = TextGame(["text"] * 4, rules=ONE_DEAL, seed=2, attempts=3)
    seat, prompt = game.seat, game.prompt()
    for _ in range(2):
        reply = game.answer("fold")
        assert not reply.accepted
        assert not reply.over
        assert "fold" in reply.message
        assert (game.seat, game.prompt()) == (seat, prompt)
    assert game.answer("fold").over
    assert game.over
    result = game.result()
    assert result.forfeited == seat
    assert result.record is None
    assert result.margin * (1 if seat % 2 == 0 else -1) == -FORFEIT_POINTS
    assert result.answers[seat].refused == {"unreadable": 3}
    with pytest.raises(TableError, match="over"):
        game.answer("draw")


def test_an_accepted_answer_resets_the_attempts():
    game = TextGame(["text"] * 4, rules=ONE_DEAL, seed=2, attempts=2)
    for _ in range(3):
        assert not game.answer("fold").over
        assert game.answer("draw").accepted
        assert not game.answer("fold").over
        player = PromptPlayer(persian_rummy_env.load("greedy"))
        assert game.answer(player.answer(game.prompt())).accepted
        while "phase: meld" in game.prompt():
            game.answer(player.answer(game.prompt()))


def test_a_fallback_policy_finishes_the_turn():
    game = TextGame(["text"] * 4, rules=ONE_DEAL, seed=2, attempts=1, fallback="expert")
    seats = []
    while not game.over:
        seats.append(game.seat)
        assert not game.answer("?").accepted
    result = game.result()
    assert result.record is not None
    assert result.forfeited is None
    assert sum(count.replaced for count in result.answers.values()) == len(seats)
    assert result.score == points([persian_rummy_env.load("expert")] * 4, 2)


def test_legal_actions_are_a_setting():
    game = TextGame(["text"] * 4, seed=1, show_legal=True)
    assert "Legal actions: draw" in game.prompt()
    assert "Legal actions: draw" in game.answer("fold").message
    game = TextGame(["text"] * 4, seed=1)
    assert "Legal" not in game.prompt()
    assert "Legal" not in game.answer("fold").message


def test_neither_seed_nor_result_is_told_before_the_end():
    game = TextGame(["text"] * 4, seed=123456789)
    assert "123456789" not in game.prompt() + game.instructions() + repr(game) + str(vars(game).get("seed", ""))
    with pytest.raises(TableError, match="not over"):
        game.result()


def test_players_are_checked():
    with pytest.raises(ValueError, match="expected 4 players"):
        TextGame(["text"])
    with pytest.raises(ValueError, match="unknown policy 'champ'"):
        TextGame(["text", "champ", "text", "text"])
