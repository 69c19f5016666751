"""The settings: presets that load, and what is refused, by name."""

from dataclasses import dataclass, fields, replace
from pathlib import Path

import pytest

import train.config.dmc
import train.config.expert_iteration
import train.imitate
from persian_rummy_env.system.stored import later
from train.command import parse
from train.config.dmc import DmcConfig
from train.config.expert_iteration import ExpertConfig
from train.config.settings import PRESETS, Config, resumed
from train.imitate import ImitateConfig
from train.scale.workers import jobs_of
from train.selfplay import setup


@pytest.mark.parametrize("name", list(PRESETS))
def test_every_preset_is_whole(name: str):
    config = PRESETS[name]
    assert config.preset == name
    assert Config.from_dict(config.as_dict()) == config
    assert parse(["--preset", name], "test", PRESETS)[0] == config


@pytest.mark.parametrize("name", ["quick", "two-cores"])
def test_presets_for_a_cpu_start(name: str):
    shards, _, learner = setup(PRESETS[name])
    jobs = jobs_of(PRESETS[name], 0, 0)
    assert sum(len(job.deals) for job in jobs) == PRESETS[name].deals
    assert len(jobs) == shards.count == PRESETS[name].threads
    assert learner.actor.shape == PRESETS[name].shape
    shards.close()


SETTINGS = {
    "train.selfplay": (Config, PRESETS),
    "train.dmc": (DmcConfig, train.config.dmc.PRESETS),
    "train.imitate": (ImitateConfig, train.imitate.PRESETS),
    "train.expert_iteration": (ExpertConfig, train.config.expert_iteration.PRESETS),
}
"""Of every way to train."""


@pytest.mark.parametrize("module", SETTINGS)
def test_every_setting_is_explained(module: str):
    config, _ = SETTINGS[module]
    said = "".join((kind.__doc__ or "").split("Raises:")[0] for kind in config.__mro__)
    for field in fields(config):
        assert f"\n        {field.name}: " in said, field.name


@pytest.mark.parametrize("module", SETTINGS)
def test_help_tells_of_every_setting_with_its_default(module: str, capsys: pytest.CaptureFixture[str]):
    config, presets = SETTINGS[module]
    with pytest.raises(SystemExit) as left:
        parse(["--help"], f"python -m {module}", presets)
    assert left.value.code == 0
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for field in fields(config):
        assert f"--{field.name.replace('_', '-')}" in said, field.name
    assert "Adam's epsilon. (default: 1e-05)" in said
    if config is Config:
        assert "0: never. (default: 0.02)" in said
        assert "0: none. (default: 0.15)" in said


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"minutes": 1.0, "updates": 3}, ("minutes", "updates")),
        ({"minutes": None, "updates": None}, ("minutes", "updates")),
        ({"minutes": 0.0}, ("minutes",)),
        ({"updates": 0, "minutes": None}, ("updates",)),
        ({"updates": 3, "pause_after": 5, "minutes": None}, ("pause_after", "updates")),
        ({"deals": 1, "threads": 2}, ("deals", "threads")),
        ({"minibatch": 1, "threads": 2}, ("minibatch", "threads")),
        ({"suits": "learn", "epochs": 1}, ("suits", "epochs")),
        ({"gae_lambda": 1.5}, ("gae_lambda",)),
        ({"lr": (0.0, 0.0)}, ("lr",)),
        ({"entropy": (-0.1, 0.0)}, ("entropy",)),
        ({"kl_stop": -1.0}, ("kl_stop",)),
        ({"width": 30}, ("width",)),
        ({"threads": 0}, ("threads",)),
        ({"epochs": True}, ("epochs",)),
        ({"seed": -1}, ("seed",)),
        ({"bots": ("greedy", "great"), "bot_share": 0.1}, ("great", "expert")),
        ({"bots": ("greedy",)}, ("bots", "bot_share")),
        ({"bot_share": 0.1}, ("bots", "bot_share")),
        ({"bots": ("greedy",), "bot_share": 0.8, "pool_share": 0.3}, ("pool_share", "bot_share")),
        ({"sharpen": 2.0}, ("sharpen", "start")),
        ({"taught": 1.0}, ("taught",)),
        ({"taught": 0.5, "start": Path("x")}, ("taught", "start", "--taught 0")),
        ({"teacher": "experd"}, ("experd", "expert")),
        ({"lessons": 0}, ("lessons",)),
        ({"settled": 1.5}, ("settled",)),
        ({"settled": 0.1, "objective": "win"}, ("settled", "objective")),
        ({"taught": 0.5, "settled": 0.6}, ("taught", "settled")),
        ({"temperature": 0.0}, ("temperature",)),
        ({"settle_lr": (1e-3, -1.0)}, ("settle_lr",)),
        ({"sharpen": 0.0, "start": Path("x")}, ("sharpen",)),
    ],
)
def test_what_cannot_be_is_refused_by_name(wrong: dict, named: tuple[str, ...]):
    with pytest.raises(ValueError) as refused:
        replace(Config(), **wrong)
    assert all(name in str(refused.value) for name in named)


def test_unknown_settings_are_refused_by_name():
    with pytest.raises(ValueError, match="unknown settings: warmth"):
        Config.from_dict({**Config().as_dict(), "warmth": 3})


@dataclass(frozen=True)
class Planted(Config):
    """Settings of tomorrow: one whose default is what was done before, and one where it is not."""

    calm: float = 0.5
    haste: int = later(absent=0, default=9)


def test_a_setting_that_came_later_means_what_was_done_before():
    made = Planted.from_dict(Config().as_dict())
    assert (made.calm, made.haste, Planted().haste) == (0.5, 0, 9)
    assert Planted.from_dict(made.as_dict()) == made


def test_a_rule_that_came_later_means_what_the_rule_says_of_files_without_it():
    settings = {name: value for name, value in Config(stock_out="end").as_dict().items() if name != "stock_out"}
    assert Config.from_dict(settings).stock_out == "pass"


def test_a_setting_that_was_given_up_is_passed_over():
    saved = train.config.expert_iteration.PRESETS["quick"]
    assert ExpertConfig.from_dict({**saved.as_dict(), "lean": 3.0}) == saved


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("width", "16"), ("width", 16.0), ("width", True), ("seed", 2**64), ("seed", 2**70), ("seed", -1)),
        *(("lr", [1e-3]), ("lr", [1e-3, float("nan")]), ("lr", [1e-3, float("inf")]), ("lr", 1e-3), ("lr", "ab")),
        *(("minutes", float("inf")), ("minutes", "5"), ("bots", "greedy"), ("bots", [1]), ("out", 3), ("wandb", 1)),
        *(("preset", "x"), ("preset", None), ("threads", 10**9), ("deals", 10**9), ("width", 2**31), ("blocks", 10**9)),
        *(("clip_norm", float("nan")), ("entropy", [0.0, float("nan")]), ("unread", {}), ("start", 7)),
    ],
)
def test_a_setting_of_another_type_or_size_is_refused_by_name(name: str, value: object):
    with pytest.raises(ValueError, match=name if name != "bots" else "bot"):
        Config.from_dict({**Config().as_dict(), name: value})


def test_what_a_network_is_follows_from_the_settings_in_one_place():
    assert all("shape" not in vars(kind) for kind in (Config, DmcConfig, ImitateConfig, ExpertConfig))
    assert replace(Config(), objective="win").shape.games
    assert not Config().shape.games


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nonsense", "3"], "nonsense"),
        (["--minutes", "1", "--updates", "3"], "minutes=1.0, updates=3"),
        (["--epochs", "two"], "epochs"),
        (["--device", "gpu9"], None),
    ],
)
def test_the_command_line_refuses_and_says_so(words: list[str], said: str | None, capsys: pytest.CaptureFixture[str]):
    if said is None:
        with pytest.raises(SystemExit) as left:
            setup(parse(words, "test", PRESETS)[0])
        said = "gpu9"
    else:
        with pytest.raises(SystemExit) as left:
            parse(words, "test", PRESETS)
    assert left.value.code not in (0, None)
    assert said in capsys.readouterr().err


def test_a_budget_in_updates_takes_the_place_of_minutes():
    config, saved = parse(["--updates", "7", "--out", "somewhere"], "test", PRESETS)
    assert (config.updates, config.minutes, config.out, saved) == (7, None, Path("somewhere"), None)


def test_a_resumed_run_keeps_all_but_its_budget():
    saved = replace(Config(), minutes=None, updates=10)
    assert resumed(saved, replace(saved, updates=20, resume=Path("x"))).updates == 20
    with pytest.raises(ValueError, match=r"lr, clip: a resumed run keeps"):
        resumed(saved, replace(saved, lr=(1.0, 1.0), clip=0.3))
