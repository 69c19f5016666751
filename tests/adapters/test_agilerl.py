"""AgileRL: the acting seat's view against the AEC environment, IPPO's masks, and what its losses do with them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("agilerl", reason="AgileRL is not installed: nox -s agilerl")

import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns of itself when it is imported
    from agilerl.algorithms import IPPO, PPO
    from agilerl.rollouts import collect_rollouts
    from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv
    from agilerl.wrappers.agent import AsyncAgentsWrapper

    from persian_rummy_env.adapters.agilerl import NAMES, AgileTable, SeatIPPO

from persian_rummy_env import PersianRummyGymVectorEnv
from persian_rummy_env.actions import PASS
from tests.adapters import contract
from tests.env.aec_play import lively, uniform

pytestmark = pytest.mark.filterwarnings("ignore")
NET = {"latent_dim": 16, "encoder_config": {"hidden_size": [16]}, "head_config": {"hidden_size": [16]}}


class Tables:
    """The view as a table; when a deal is over, all seats act once more, and are paid."""

    def __init__(self, **options: Any) -> None:
        self.env = AgileTable(**options)

    def begin(self, seed: int, options: dict[str, Any] | None) -> None:
        self.seen, self.infos = self.env.reset(seed=seed, options=options)
        self.ended = False, False

    def seat(self) -> int:
        [name] = self.seen
        assert list(self.infos) == [name]
        return NAMES.index(name)

    def shown(self) -> tuple[Any, Any]:
        name = NAMES[self.seat()]
        return self.seen[name], self.infos[name]["action_mask"]

    def step(self, action: int) -> None:
        self.got = np.zeros(4)
        self._act(action)
        while self.env._left:
            assert np.flatnonzero(self.shown()[1]).tolist() == [PASS.start]
            self._act(PASS.start)

    def _act(self, action: int) -> None:
        actor = self.seat()
        self.seen, paid, terminated, truncated, self.infos = self.env.step({NAMES[actor]: np.array([action])})
        assert [name for name in NAMES if paid[name]] in ([], [NAMES[actor]])
        self.got += [paid[name] for name in NAMES]
        [self.ended] = set(zip(terminated.values(), truncated.values(), strict=True))

    def paid(self) -> Sequence[float]:
        return self.got.tolist()

    def flags(self) -> tuple[bool, bool]:
        return self.ended


@pytest.mark.parametrize(("choose", "options", "flags"), contract.ENDINGS[:2])
def test_a_deal_is_that_of_the_aec_environment(choose: Any, options: dict[str, Any], flags: tuple[bool, bool]) -> None:
    contract.follow(Tables(**options), options, choose, flags)


def test_a_deal_cut_short_ends_both_ways_and_pays_all_four() -> None:
    tables, rng = Tables(max_decisions=40), np.random.default_rng(0)
    total = np.zeros(4)
    tables.begin(3, None)
    while not any(tables.flags()):
        tables.step(lively(tables.shown()[1], rng))
        total += tables.paid()
    points = tables.env.aec.get_state()["points"][0].astype(float)
    margin = (points[0] - points[1]) / 100
    assert tables.flags() == (True, True)
    assert total.tolist() == pytest.approx([margin, -margin, margin, -margin])
    assert margin != 0


def test_a_deal_over_in_the_first_turn_pays_all_four() -> None:
    contract.first_turn(Tables())


def test_nothing_hidden_is_shown() -> None:
    table = AgileTable()
    table.reset(seed=0)

    def show(state: np.ndarray, seat: int) -> list[Any]:
        table.aec.set_state(state)
        if table.seat != seat:
            return list(table.aec.observe(f"player_{seat}").values())
        shown, infos = table._shown()
        return [*shown.values(), *infos[NAMES[seat]].values()]

    contract.nothing_hidden(show)


def test_what_was_handed_out_does_not_change() -> None:
    tables, rng = Tables(), np.random.default_rng(0)

    def steps() -> Any:
        tables.begin(1, None)
        for _ in range(60):
            yield list(tables.shown())
            tables.step(uniform(tables.shown()[1], rng))
            if any(tables.flags()):
                tables.begin(2, None)

    contract.not_shared(steps())


def ippo(kind: type[IPPO], names: tuple[str, ...] = NAMES) -> Any:
    table = AgileTable(names)
    spaces = [[environment(name) for name in names] for environment in (table.observation_space, table.action_space)]
    return AsyncAgentsWrapper(kind(*spaces, agent_ids=list(names), batch_size=64, learn_step=64, net_config=NET))


def test_spawned_tables_and_masks_that_fit_the_rows() -> None:
    """Every action that IPPO samples is legal, over several deals. The library's own IPPO does not get that far."""
    tables = AsyncPettingZooVecEnv([AgileTable], context="spawn")
    try:
        observations, infos = tables.reset(seed=1)
        with pytest.raises((ValueError, AssertionError)):
            ippo(IPPO).get_action(obs=dict(observations), infos=infos)
        team, ends = ippo(SeatIPPO), 0
        for _ in range(300):
            [acting] = [name for name in NAMES if infos[name]]
            actions = team.get_action(obs=observations, infos=infos)[0]
            assert list(actions) == [acting]
            assert infos[acting]["action_mask"][0][int(actions[acting][0])] == 1
            observations, _, terminated, _, infos = tables.step(actions)
            ends += bool(terminated[acting][0])
        assert ends >= 2
    finally:
        tables.close()


def test_ippos_loss_does_not_mask() -> None:
    """What docs/agilerl.md says: the log-probability that its loss computes is not that of sampling."""
    table = AgileTable()
    shown, infos = table.reset(seed=1)
    [name] = shown
    team = ippo(SeatIPPO).agent
    action, log_prob, _, _ = team.get_action(obs={name: shown[name][None]}, infos={name: infos[name]})
    actor = team.actors[name]
    actor(torch.as_tensor(shown[name][None]))  # as ``_learn_individual`` calls it
    in_the_loss = actor.action_log_prob(torch.as_tensor(action[name]))
    legal = int(infos[name]["action_mask"].sum())
    assert float(in_the_loss) < float(log_prob[name].item()) - 0.5 * np.log(547 / legal)


def test_the_single_agent_ppo_masks_in_sampling_and_in_the_loss() -> None:
    tables = PersianRummyGymVectorEnv(8, opponents="random", observation="flat", seed=1)
    agent = PPO(
        tables.single_observation_space,
        tables.single_action_space,
        num_envs=8,
        batch_size=64,
        learn_step=256,
        net_config=NET,
    )
    collect_rollouts(agent, tables)
    stored = agent.rollout_buffer.get_tensor_batch()
    masks, actions = stored["action_masks"], stored["actions"].long().reshape(-1)
    assert masks[torch.arange(len(actions)), actions].all()
    log_probs, _, _ = agent.evaluate_actions(stored["observations"], actions, action_mask=masks)
    assert (log_probs - stored["log_probs"].reshape(-1)).abs().max() < 1e-4
    assert np.isfinite(agent.learn())


def test_the_hash_seed_changes_nothing() -> None:
    contract.same_under_two_hash_seeds(
        "import hashlib, numpy as np\n"
        "from tests.adapters.test_agilerl import Tables, uniform\n"
        "tables, rng, told = Tables(), np.random.default_rng(0), hashlib.sha256()\n"
        "tables.begin(1, None)\n"
        "while not any(tables.flags()):\n"
        "    told.update(tables.shown()[0].tobytes())\n"
        "    tables.step(uniform(tables.shown()[1], rng))\n"
        "    told.update(repr(tables.paid()).encode())\n"
        "print(told.hexdigest())"
    )


def test_names_that_do_not_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="4 different names"):
        AgileTable(("a_0", "a_0", "b_0", "c_0"))
    table = AgileTable()
    table.reset(seed=1)
    with pytest.raises(ValueError, match="who is to act"):
        table.step({})


def test_what_is_no_action_is_refused() -> None:
    table = AgileTable()
    table.reset(seed=1)
    name = table.possible_agents[table.seat]
    contract.takes_actions_alone(lambda action: table.step({name: action}))
    for actions in (None, 0, [0], "a"):
        with pytest.raises(TypeError, match="expected a mapping"):
            table.step(actions)  # type: ignore[arg-type]
