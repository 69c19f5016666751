"""The settings: presets that load, and what is refused, by name."""

from contextlib import nullcontext
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path

import pytest

import train.config.dmc
import train.config.expert_iteration
import train.config.imitate
from persian_rummy_env.system.stored import later
from train.config.base import flat, resumed, with_settings
from train.config.checks import full_name
from train.config.dmc import DmcConfig
from train.config.expert_iteration import ExpertConfig
from train.config.old_names import NAMES
from train.config.ppo import Config
from train.config.presets import PRESETS
from train.imitate import ImitateConfig
from train.run.command import parse
from train.scale.workers import jobs_of
from train.selfplay import SelfPlay, main


@pytest.mark.parametrize("name", list(PRESETS))
def test_every_preset_is_whole(name: str):
    config = PRESETS[name]
    assert config.preset == name
    assert Config.from_dict(config.as_dict()) == config
    assert parse(["--preset", name], PRESETS)[0] == config


@pytest.mark.parametrize("name", ["quick", "two-cores"])
def test_presets_for_a_cpu_start(name: str):
    trainer = SelfPlay(PRESETS[name])
    jobs = jobs_of(PRESETS[name], 0, 0)
    assert sum(len(job.deals) for job in jobs) == PRESETS[name].deals
    assert len(jobs) == trainer.shards.count == PRESETS[name].threads
    assert trainer.learner.actor.shape == PRESETS[name].shape
    trainer.close()


SETTINGS = {
    "train.selfplay": PRESETS,
    "train.dmc": train.config.dmc.PRESETS,
    "train.imitate": train.config.imitate.PRESETS,
    "train.expert_iteration": train.config.expert_iteration.PRESETS,
}
"""The presets of every way to train."""


def groups_of(config: object) -> list[object]:
    return [config, *(value for value in vars(config).values() if is_dataclass(value))]


@pytest.mark.parametrize("module", SETTINGS)
def test_every_setting_is_explained(module: str):
    for group in groups_of(SETTINGS[module]["quick"]):
        docs = "".join((kind.__doc__ or "").split("Raises:")[0] for kind in type(group).__mro__)
        for field in fields(group):
            assert f"\n        {field.name}: " in docs, field.name


@pytest.mark.parametrize("module", SETTINGS)
def test_help_names_every_setting_with_its_default(module: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as left:
        parse(["--help"], SETTINGS[module])
    assert left.value.code == 0
    printed = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for name in flat(SETTINGS[module]["quick"]):
        group, _, rest = name.rpartition(".")
        flag = f"--{group}.{rest.replace('_', '-')}" if group else f"--{name.replace('_', '-')}"
        assert (flag in printed) == (name != "parts"), name
    assert "(default: 1024)" in printed


@pytest.mark.parametrize("module", SETTINGS)
def test_presets_are_printed_as_a_table(module: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as left:
        parse(["--presets"], SETTINGS[module])
    assert left.value.code == 0
    printed = capsys.readouterr().out
    for name in ("quick", *(["minutes"] if len(SETTINGS[module]) > 1 else [])):
        assert name in printed


def test_parts_follow_from_the_threads_and_are_no_setting_of_the_command_line():
    with pytest.raises(SystemExit):
        parse(["--parts", "2"], PRESETS)
    started = replace(Config(), threads=3).completed(ranks=2)
    assert started.parts == 6
    assert replace(started, workers="ray:2").completed().part_count == 6, "a resumed run keeps them"


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"minutes": 1.0, "updates": 3}, ("minutes", "updates")),
        ({"minutes": None, "updates": None}, ("minutes", "updates")),
        ({"minutes": 0.0}, ("minutes",)),
        ({"updates": 0, "minutes": None}, ("updates",)),
        ({"updates": 3, "pause_after": 5, "minutes": None}, ("pause_after", "updates")),
        ({"deals": 1, "threads": 2}, ("deals", "threads")),
        ({"optim.minibatch": 1, "threads": 2}, ("minibatch", "threads")),
        ({"ppo.gae_lambda": 1.5}, ("gae_lambda",)),
        ({"optim.lr": (0.0, 0.0)}, ("lr",)),
        ({"ppo.entropy": (-0.1, 0.0)}, ("entropy",)),
        ({"ppo.target_kl": -1.0}, ("ppo.target_kl",)),
        ({"network.width": 30}, ("network.width",)),
        ({"ppo.critic_width": 30}, ("ppo.critic_width",)),
        ({"ppo.critic_width": -8}, ("ppo.critic_width",)),
        ({"threads": 0}, ("threads",)),
        ({"optim.epochs": True}, ("epochs",)),
        ({"seed": -1}, ("seed",)),
        ({"bots.names": ("greedy", "great"), "bots.share": 0.1}, ("great", "expert")),
        ({"bots.names": ("greedy",)}, ("bots.names", "bots.share")),
        ({"bots.share": 0.1}, ("bots.names", "bots.share")),
        ({"bots.names": ("greedy",), "bots.share": 0.8, "pool.share": 0.3}, ("pool.share", "bots.share")),
        ({"bc.logit_scale": 2.0}, ("bc.logit_scale", "init_from")),
        ({"bc.fraction": 1.0}, ("bc.fraction",)),
        ({"bc.fraction": 0.5, "init_from": Path("x")}, ("bc.fraction", "init_from", "--bc.fraction 0")),
        ({"bc.teacher": "experd"}, ("experd", "expert")),
        ({"bc.batch_size": 0}, ("bc.batch_size",)),
        ({"distill.fraction": 1.5}, ("distill.fraction",)),
        ({"distill.fraction": 0.1, "reward.kind": "win"}, ("distill.fraction", "reward.kind")),
        ({"bc.fraction": 0.5, "distill.fraction": 0.6}, ("bc.fraction", "distill.fraction")),
        ({"distill.temperature": 0.0}, ("distill.temperature",)),
        ({"distill.lr": (1e-3, -1.0)}, ("distill.lr",)),
        ({"bc.logit_scale": 0.0, "init_from": Path("x")}, ("bc.logit_scale",)),
    ],
)
def test_what_cannot_be_is_refused_by_name(wrong: dict, named: tuple[str, ...]):
    with pytest.raises(ValueError) as refused:
        with_settings(Config(), wrong)
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
    settings = with_settings(Config(), {"rules.stock_out": "end"}).as_dict()
    del settings["rules"]["stock_out"]
    assert Config.from_dict(settings).rules.stock_out == "pass"


OLD = {
    "preset": "quick",
    "resume": None,
    "out": "runs/old",
    "exists": "number",
    "minutes": None,
    "updates": 4,
    "width": 8,
    "lr": [1e-3, 1e-4],
    "bots": ["greedy"],
    "bot_share": 0.25,
    "stock_out": "end",
    "taught": 0.25,
    "hidden_hands": False,
    "suits": "partners",
    "objective": "margin",
    "points": 40.0,
    "paid": "as_earned",
    "kl_stop": 0.1,
    "unread": [],
    "eval_every": 9.0,
    "pool_share": 0.125,
    "lean": 3.0,
}


def test_flat_settings_of_older_files_have_their_names_of_today():
    settings = flat(Config.from_dict(OLD))
    expected = {
        "if_exists": "number",
        "network.width": 8,
        "optim.lr": (1e-3, 1e-4),
        "bots.names": ("greedy",),
        "bots.share": 0.25,
        "rules.stock_out": "end",
        "bc.fraction": 0.25,
        "ppo.privileged_critic": False,
        "suit_permutation": "per_seat",
        "reward.kind": "margin",
        "reward.scale": 40.0,
        "ppo.target_kl": 0.1,
        "eval.every": 9.0,
        "pool.share": 0.125,
    }
    assert {name: settings[name] for name in expected} == expected


@pytest.mark.parametrize("value", [False, True])
def test_a_setting_that_was_given_up_is_left_out(value: bool):
    """``eval.report`` chose the deals of the final matches, which now have no choice."""
    settings = Config().as_dict()
    settings["eval"]["report"] = value
    assert Config.from_dict(settings) == Config()
    settings["optim"]["report"] = value
    with pytest.raises(ValueError, match="unknown settings: report"):
        Config.from_dict(settings)


@pytest.mark.parametrize(("name", "value"), [("paid", "at_the_end"), ("suits", "learn"), ("warmth", 3)])
def test_a_deleted_setting_that_did_something_is_refused(name: str, value: object):
    with pytest.raises(ValueError, match=name):
        Config.from_dict({**OLD, name: value})


@pytest.mark.parametrize(("name", "same", "other"), [("clip_norm", 0.5, 2.0), ("adam_eps", 1e-5, 1e-8)])
def test_a_setting_that_was_removed_may_have_the_value_of_today(name: str, same: float, other: float):
    """In files with groups and in older files without."""
    grouped = Config().as_dict()
    grouped["optim"][name] = same
    assert Config.from_dict(grouped) == Config()
    assert Config.from_dict({**OLD, name: same}) == Config.from_dict(OLD)
    grouped["optim"][name] = other
    for settings in (grouped, {**OLD, name: other}):
        with pytest.raises(ValueError, match=rf"{name}={other}.*{name}={same}"):
            Config.from_dict(settings)


def given_up_of(config: object) -> set[str]:
    """Full names of the settings that a configuration had once."""
    return {full_name(group, name) for group in groups_of(config) for name in getattr(group, "given_up", {})}


def test_every_old_name_is_a_setting_of_today_or_was_given_up():
    for algorithm, names in NAMES.items():
        [presets] = [presets for presets in SETTINGS.values() if presets["quick"].algorithm == algorithm]
        settings = presets["quick"]
        assert set(names.values()) <= set(flat(settings)) | given_up_of(settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("network.width", "16"), ("network.width", 16.0), ("network.width", True), ("network.width", 2**31)),
        *(("seed", 2**64), ("seed", 2**70), ("seed", -1), ("threads", 10**9), ("deals", 10**9)),
        *(("optim.lr", [1e-3]), ("optim.lr", [1e-3, float("nan")]), ("optim.lr", [1e-3, float("inf")])),
        *(("optim.lr", 1e-3), ("optim.lr", "ab"), ("minutes", float("inf")), ("minutes", "5")),
        *(("bots.names", "greedy"), ("bots.names", [1]), ("out", 3), ("wandb", 1), ("preset", "x"), ("preset", None)),
        *(("network.blocks", 10**9), ("save_every", float("nan")), ("ppo.entropy", [0.0, float("nan")])),
        ("init_from", 7),
    ],
)
def test_a_setting_of_another_type_or_size_is_refused_by_name(name: str, value: object):
    settings = Config().as_dict()
    group, _, rest = name.rpartition(".")
    (settings[group] if group else settings)[rest] = value
    with pytest.raises(ValueError, match=rest):
        Config.from_dict(settings)


@pytest.mark.parametrize("value", [None, 3, [], {}, {"clip": 0.1, "warmth": 2}])
def test_a_group_of_another_form_is_refused(value: object):
    with pytest.raises(ValueError, match=r"settings|warmth") if value != {} else nullcontext():
        Config.from_dict({**Config().as_dict(), "ppo": value})


def test_what_a_network_is_follows_from_the_settings_in_one_place():
    assert all("shape" not in vars(kind) for kind in (Config, DmcConfig, ImitateConfig, ExpertConfig))
    assert with_settings(Config(), {"reward.kind": "win"}).shape.games
    assert not Config().shape.games


def test_the_critic_of_a_file_without_its_width_is_as_wide_as_the_actor():
    settings = with_settings(Config(), {"network.width": 64, "ppo.critic_width": 32}).as_dict()
    assert Config.from_dict(settings).critic_shape.width == 32
    del settings["ppo"]["critic_width"]
    assert Config.from_dict(settings).critic_shape.width == 64


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nonsense", "3"], "nonsense"),
        (["--minutes", "1", "--updates", "3"], "minutes=1.0, updates=3"),
        (["--optim.epochs", "two"], "epochs"),
        (["--device", "gpu9"], None),
    ],
)
def test_the_command_line_refuses_and_says_so(
    words: list[str], said: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    if said is None:
        with pytest.raises(SystemExit) as left:
            main([*words, "--out", str(tmp_path / "a")])
        said = "gpu9"
    else:
        with pytest.raises(SystemExit) as left:
            parse(words, PRESETS)
    assert left.value.code not in (0, None)
    assert said in capsys.readouterr().err


def test_a_budget_in_updates_takes_the_place_of_minutes():
    config, saved = parse(["--updates", "7", "--out", "somewhere"], PRESETS)
    assert (config.updates, config.minutes, config.out, saved) == (7, None, Path("somewhere"), None)


def test_a_resumed_run_keeps_all_but_its_budget():
    saved = replace(Config(), minutes=None, updates=10)
    assert resumed(saved, replace(saved, updates=20, resume=Path("x"))).updates == 20
    with pytest.raises(ValueError, match=r"optim.lr, ppo.clip: a resumed run keeps"):
        resumed(saved, with_settings(saved, {"optim.lr": (1.0, 1.0), "ppo.clip": 0.3}))
