"""What each way of playing, writing and training makes of a planted rule; run by ``test_planted_rule`` in a copy of the
packages. The rule, ``ace_out``: who discards an ace goes out."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import persian_rummy_env
from persian_rummy_env import PersianRummyGymEnv, PersianRummyGymVectorEnv, PersianRummyVecEnv, RuleSet, decode_action
from persian_rummy_env.observation import BLOCK, LATER_RULES, SIZE
from persian_rummy_env.records.record import dumps, loads, read
from persian_rummy_env.records.recorder import record_of, simulate
from persian_rummy_env.records.replay import replay, verify
from persian_rummy_env.rules import RULES_HELP
from persian_rummy_env.state import STATE, rules_of

OUT: Any = RuleSet(deals=1, ace_out="yes")  # type: ignore[call-arg]  # planted
PLAIN = RuleSet(deals=1)
REPOSITORY = Path(os.environ["REPOSITORY"])


def ends_by_an_ace(actions: list[str]) -> bool:
    """Whether a deal was played by the rule, and an ace shows it."""
    aces = [number for number, action in enumerate(actions) if action.startswith("discard A")]
    assert aces, "a deal without an ace discarded shows nothing: take another seed"
    return aces[0] == len(actions) - 1


def test_this_is_the_copy() -> None:
    assert Path.cwd() in Path(persian_rummy_env.__file__).parents
    assert STATE.names is not None
    assert "ace_out" in STATE.names
    assert OUT != PLAIN


def test_text() -> None:
    assert RuleSet.parse("ace_out=yes,deals=1") == OUT
    assert "ace_out=no|yes (no)" in RULES_HELP
    with pytest.raises(ValueError, match="ace_out='maybe': expected one of no, yes"):
        RuleSet.parse("ace_out=maybe")


@pytest.mark.parametrize("rules", [OUT, PLAIN], ids=["yes", "no"])
def test_vector(rules: Any) -> None:
    env = PersianRummyVecEnv(1, rules=rules, autoreset_mode="DISABLED")
    batch = env.reset(seed=3)
    names = []
    while not batch.terminated[0]:
        assert batch.observation[0, BLOCK["rule_ace_out"].offset] == (rules is OUT)
        assert not batch.observation[0, BLOCK["spare"].slice].any()
        actions = env.sample_actions()
        names.append(decode_action(int(actions[0])))
        batch = env.step(actions)
    assert ends_by_an_ace(names) == (rules is OUT)
    assert rules_of(env.get_state()[0]) == rules
    assert record_of(env.get_state()[0], names)["rules"] == rules.as_dict()


@pytest.mark.parametrize("rules", [OUT, PLAIN], ids=["yes", "no"])
def test_aec(rules: Any) -> None:
    table = persian_rummy_env.env(rules=rules)
    table.reset(seed=3)
    rng = np.random.default_rng(1)
    names = []
    for agent in table.agent_iter():
        observation, _, terminated, truncated, _ = table.last()
        action = None
        if not (terminated or truncated):
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            names.append(decode_action(action))
        table.step(action)
        assert agent
    assert ends_by_an_ace(names) == (rules is OUT)


def first_ace(mask: np.ndarray) -> int:
    """An ace to discard if there is one, or the first legal action."""
    legal = np.flatnonzero(mask).tolist()
    return next((action for action in legal if decode_action(action).startswith("discard A")), legal[0])


@pytest.mark.parametrize("rules", [OUT, PLAIN], ids=["yes", "no"])
def test_gymnasium(rules: Any) -> None:
    env = PersianRummyGymEnv(opponents="random", rules=rules, episode="deal")
    for seed in range(5):
        _, info = env.reset(seed=seed)
        over, ended = False, []
        while not over:
            action = first_ace(info["action_mask"])
            _, _, over, _, info = env.step(action)
            if decode_action(action).startswith("discard A"):
                ended.append(over)
        if ended:
            assert ended[-1] == over if rules is OUT else not all(ended)
            assert not any(ended[:-1])
            break
    else:
        pytest.fail("no learner has had an ace")


def test_gymnasium_vector() -> None:
    env = PersianRummyGymVectorEnv(2, opponents="random", rules=OUT, episode="deal")
    env.reset(seed=1)
    assert [rules_of(state) for state in env.get_state()] == [OUT, OUT]


def test_matches() -> None:
    from persian_rummy_env.evaluation.arena import new_games, play
    from persian_rummy_env.evaluation.match import play_match
    from persian_rummy_env.players.load import load

    bots = load("random"), load("random")
    out, plain = (play_match(*bots, 3, 1, rules=rules) for rules in (OUT, PLAIN))
    assert out.out_rate == 1.0
    assert out.decisions < 0.7 * plain.decisions

    class Stranger:
        def act(self, batch: Any) -> np.ndarray:
            return np.array([first_ace(mask) for mask in batch.action_mask])

    games = new_games(np.arange(3, dtype=np.uint64), np.zeros(3, dtype=np.int8), OUT)
    play(games, [Stranger()], np.zeros((3, 4), dtype=np.int64))  # type: ignore[list-item]
    assert [rules_of(game) for game in games] == [OUT] * 3
    assert (games["out"] < 4).all()


def test_tables() -> None:
    from persian_rummy_env.apps.game import TableGame

    table = TableGame(OUT, seed=4)
    rng = np.random.default_rng(0)
    while not table.over:
        saved = table.unfinished(["a", "b", "c", "d"], ["human"] * 4)
        table.play(str(rng.choice(table.legal)))
    assert ends_by_an_ace([decode_action(played.action) for played in table.played])
    assert TableGame.resume(json.loads(json.dumps(saved))).rules == OUT
    assert verify(table.record(["a", "b", "c", "d"])) is None


def test_records_and_replays() -> None:
    from persian_rummy_env.records.transcript import transcript

    out, plain = (next(simulate(1, 3, "random", rules=rules)) for rules in (OUT, PLAIN))
    assert out["rules"]["ace_out"] == "yes"
    assert ends_by_an_ace(out["deals"][0]["actions"])
    assert not ends_by_an_ace(plain["deals"][0]["actions"])
    for record in (out, plain):
        again = loads(dumps(record))
        assert verify(again) is None
        assert rules_of(replay(again).states[-1]) == RuleSet.from_dict(record["rules"])
        again["rules"]["ace_out"] = {"yes": "no", "no": "yes"}[again["rules"]["ace_out"]]
        assert verify(again) is not None
    assert "ace_out yes" in transcript(out)
    del plain["rules"]["ace_out"]
    assert verify(loads(dumps(plain))) is None
    del out["rules"]["ace_out"]
    assert verify(loads(dumps(out))) is not None


@pytest.mark.parametrize("name", ["chain_take", "first_pass", "only_jacks"])
def test_records_from_before_the_rule(name: str) -> None:
    [record] = read(REPOSITORY / "tests" / "golden" / f"{name}.jsonl")
    assert "ace_out" not in record["rules"]
    assert verify(record) is None


def test_policies_from_before_the_rule() -> None:
    """The observation has grown, and the champion plays as it did."""
    from agents.learned import LearnedPolicy
    from persian_rummy_env.evaluation.arena import show
    from persian_rummy_env.players.bundled import CHAMPION
    from persian_rummy_env.players.load import load

    assert SIZE == 1024
    assert [rule.name for rule in LATER_RULES] == ["ace_out"]
    policy = LearnedPolicy(CHAMPION)
    [record] = read(REPOSITORY / "tests" / "golden" / "whole_game.jsonl")
    games = replay(record).states[:60]
    assert policy.act(show(games, np.arange(60))).tolist() == json.loads(os.environ["CHAMPION_ACTIONS"])
    assert policy.rules == RuleSet()
    from persian_rummy_env.players.policy import check_rules

    with pytest.raises(ValueError, match=r"champion .*ace_out=no.*ace_out=yes"):
        check_rules(load("champion"), OUT)


def test_training(tmp_path: Path) -> None:
    from agents.learned import LearnedPolicy, policy_bytes
    from train.config.presets import PRESETS
    from train.run.command import parse
    from train.selfplay import SelfPlay

    small = [
        *(
            "--preset",
            "scratch",
            "--deals",
            "4",
            "--network.width",
            "8",
            "--network.blocks",
            "1",
            "--optim.minibatch",
            "64",
        ),
        *("--threads", "1", "--updates", "1", "--out", str(tmp_path), "--pool.share", "0"),
    ]
    lengths = {}
    for word in ("yes", "no"):
        config, _ = parse([*small, "--rules.ace-out", word], PRESETS)
        assert config.rule_set.as_dict()["ace_out"] == word
        run = SelfPlay(config)
        row = run.ppo_step(0.0).row
        lengths[word] = row["deal_length"]
        assert word == "no" or row["out_rate"] == 1.0
        (tmp_path / word).write_bytes(policy_bytes(run.learner.actor, {"rules": json.dumps(config.rule_set.as_dict())}))
        assert LearnedPolicy(tmp_path / word).rules == config.rule_set
        run.close()
    assert lengths["yes"] < 0.7 * lengths["no"]


def test_runs_from_before_the_rule(tmp_path: Path) -> None:
    """A run of commit f4f9678, with its games and the moments of its optimiser."""
    from train.run.checkpoint import Checkpoint
    from train.selfplay import SelfPlay

    for packed in (REPOSITORY / "tests" / "train" / "data" / "run_f4f9678").glob("*.gz"):
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    checkpoint = Checkpoint.read(tmp_path)
    assert checkpoint.config.rule_set == RuleSet()
    run = SelfPlay(checkpoint.config)
    checkpoint.restore(run.learner, run.collectors)
    states = [collector.state()[0] for collector in run.collectors]
    assert all(rules_of(game).as_dict()["ace_out"] == "no" for games in states for game in games)
    moments = [tensor for name, tensor in checkpoint.tensors.items() if tensor.shape[:1] == (SIZE,)]
    assert len(moments) >= 3
    for tensor in moments:
        assert not tensor[1020:].any()
    run.close()


# OpenSpiel ------------------------------------------------------------------------------------------------------------


class Anything(SimpleNamespace):
    """Keeps what it is made of."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *_: Any, **kwargs: Any) -> Any:
        return Anything(**kwargs)


class Game:
    def __init__(self, game_type: Any, info: Any, params: Any) -> None:
        self.said = game_type, info, params


class State:
    def __init__(self, game: Any) -> None:
        self.game = game

    def get_game(self) -> Any:
        return self.game


@pytest.fixture
def openspiel(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The adapter, on a stand-in for the library where that is not installed."""
    try:
        import pyspiel  # noqa: F401
        from open_spiel.python.algorithms import mcts  # noqa: F401
    except ImportError:
        library: Any = ModuleType("pyspiel")
        library.__dict__.update(
            GameType=Anything(), GameInfo=Anything(), Game=Game, State=State, Bot=object, register_game=Anything(),
            PlayerId=SimpleNamespace(TERMINAL=-4, CHANCE=-1), IIGObservationType=Anything(),
            PrivateInfoType=SimpleNamespace(),
        )  # fmt: skip
        algorithms: Any = ModuleType("open_spiel.python.algorithms")
        algorithms.__dict__.update(
            ismcts=SimpleNamespace(ISMCTSBot=object), mcts=SimpleNamespace(Evaluator=object, MCTSBot=object)
        )
        monkeypatch.setitem(sys.modules, "pyspiel", library)
        monkeypatch.setitem(sys.modules, "open_spiel", ModuleType("open_spiel"))
        monkeypatch.setitem(sys.modules, "open_spiel.python", ModuleType("open_spiel.python"))
        monkeypatch.setitem(sys.modules, "open_spiel.python.algorithms", algorithms)
    from persian_rummy_env.adapters import openspiel as adapter

    return adapter


@pytest.mark.parametrize("rules", [OUT, PLAIN], ids=["yes", "no"])
def test_openspiel(openspiel: Any, rules: Any) -> None:
    assert openspiel.GAME_TYPE.parameter_specification["ace_out"] == "no"
    game = openspiel.PersianRummyGame({**rules.as_dict(), "dealer": 0})
    state = game.new_initial_state()
    rng = np.random.default_rng(2)
    names = []
    while not state.is_terminal():
        player = state.current_player()
        if player < 0:
            state._apply_action(int(rng.choice([action for action, _ in state.chance_outcomes()])))
        else:
            action = int(rng.choice(state._legal_actions(player)))
            names.append(decode_action(action))
            state._apply_action(action)
    assert ends_by_an_ace(names) == (rules is OUT)


def test_openspiel_bots(openspiel: Any) -> None:
    from persian_rummy_env.adapters.openspiel_bots import OpenSpielPolicy
    from persian_rummy_env.evaluation.arena import new_games, show

    met = []

    class First:
        def restart_at(self, state: Any) -> None:
            met.append(state.get_game().rules)

        def step(self, state: Any) -> int:
            return state._legal_actions(state.current_player())[0]

    games = new_games(np.arange(2, dtype=np.uint64), np.zeros(2, dtype=np.int8), OUT)
    OpenSpielPolicy(lambda _: First()).act(show(games, np.arange(2), views=True))
    assert met == [OUT, OUT]
    assert openspiel
