"""The one table of old names: the settings and log columns of commit f4f9678, by their names of today.

Files of that time hold settings without groups. Files of today never go through this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SHARED = {
    "exists": "if_exists",
    "start": "init_from",
    "unread": "masked_blocks",
    "width": "network.width",
    "blocks": "network.blocks",
    "lr": "optim.lr",
    "clip_norm": "optim.clip_norm",
    "adam_eps": "optim.adam_eps",
    "minibatch": "optim.minibatch",
    "epochs": "optim.epochs",
    "eval_every": "eval.every",
    "eval_pairs": "eval.pairs",
    "final_pairs": "eval.final_pairs",
    "bots": "bots.names",
    "bot_share": "bots.share",
    "quad_bonus": "rules.quad_bonus",
    "stock_out": "rules.stock_out",
}
SELF_PLAY = {
    "taught": "bc.fraction",
    "teacher": "bc.teacher",
    "lessons": "bc.batch_size",
    "teach_lr": "bc.lr",
    "sharpen": "bc.logit_scale",
    "settled": "distill.fraction",
    "settle_lr": "distill.lr",
    "temperature": "distill.temperature",
    "hidden_hands": "ppo.privileged_critic",
    "clip": "ppo.clip",
    "gae_lambda": "ppo.gae_lambda",
    "kl_stop": "ppo.target_kl",
    "entropy": "ppo.entropy",
    "critic_updates": "ppo.critic_warmup_updates",
    "magnet": "ppo.magnet",
    "magnet_policy": "ppo.magnet_policy",
    "magnet_every": "ppo.magnet_every",
    "suits": "suit_permutation",
    "objective": "reward.kind",
    "win_sd": "reward.win_sd",
    "points": "reward.scale",
    "pool_share": "pool.share",
    "pool_after": "pool.after",
    "pool_size": "pool.size",
    "pool_every": "pool.every",
    "pool_teams": "pool.teams",
}
SEARCH = {
    "searched": "search.fraction",
    "rounds": "search.rounds",
    "worlds": "search.worlds",
    "playouts": "search.playouts",
    "prior_worlds": "search.prior_worlds",
    "passes": "search.passes",
    "search_lr": "search.lr",
}
NAMES: Mapping[str, Mapping[str, str]] = {
    "selfplay": SHARED | SELF_PLAY,
    "expert_iteration": SHARED | SELF_PLAY | SEARCH,
    "dmc": SHARED | {"points": "dmc.reward_scale", "epsilon": "dmc.epsilon"},
    "imitate": SHARED
    | {
        "bot": "imitate.teacher",
        "lessons": "imitate.batch_size",
        "random_share": "imitate.epsilon",
        "reorder": "imitate.permute_suits",
    },
}
"""By algorithm: a setting of then, and its full name of today."""
VALUES = {"suits": {"as_dealt": "none", "partners": "per_seat"}}
DELETED = {"paid": "as_earned", "suits": ("as_dealt", "partners")}
"""Settings that were deleted, and the value by which a run goes on: what is done today."""
COLUMNS = {"teaching_loss": "bc_loss"}
"""Columns of logs."""
STAGES = {"teaching": "cloning", "settling": "distilling"}
"""Stages of a run, in the counters of its checkpoint."""


def today(settings: Any, algorithm: str) -> Any:
    """Settings of a file by their names of today; those of today as they are.

    Raises:
        ValueError: a deleted setting has a value that nothing does today.
    """
    if not isinstance(settings, Mapping) or any(isinstance(value, Mapping) for value in settings.values()):
        return settings
    names = NAMES[algorithm]
    renamed: dict[str, Any] = {}
    for name, value in settings.items():
        allowed = DELETED.get(name)
        if allowed is not None and value not in (allowed if isinstance(allowed, tuple) else (allowed,)):
            raise ValueError(f"{name}={str(value)[:40]!r}: this setting was deleted; only runs with {allowed!r} go on")
        if name == "lean" or (name in DELETED and name not in names):
            continue
        new = VALUES[name][value] if name in VALUES else value
        group, dot, rest = names.get(name, name).partition(".")
        if dot:
            renamed.setdefault(group, {})[rest] = new
        else:
            renamed[group] = new
    return renamed


def algorithm_of(settings: Any) -> str:
    """Which algorithm wrote the settings of a checkpoint that does not name it: each has a setting of its own."""
    own = {"searched": "expert_iteration", "epsilon": "dmc", "random_share": "imitate"}
    return next((algorithm for name, algorithm in own.items() if name in settings), "selfplay")


def stages_today(counters: Any) -> Any:
    """Counters of a checkpoint, with the stage by its name of today."""
    if not isinstance(counters, Mapping) or not isinstance(counters.get("stage"), str):
        return counters
    return {**counters, "stage": STAGES.get(counters["stage"], counters["stage"])}


def columns_today(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """A row of a log, with the columns by their names of today."""
    return {COLUMNS.get(name, name): cell for name, cell in row.items()}
