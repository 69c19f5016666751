"""RLlib: the multi-agent environment against the bare AEC environment, its own bookkeeping, and a masked update."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="RLlib is not installed: nox -s rllib")

import gymnasium
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

import persian_rummy_env
from persian_rummy_env.adapters.rllib import PersianRummyRLlib, SelfPlay, copy_module, one_module, team_modules
from persian_rummy_env.adapters.rllib_module import LegalAtRandom, MaskedActorCritic
from persian_rummy_env.envs.testing import exchange_hidden
from tests.adapters import contract
from tests.adapters.processes import check_hash_seeds, printed_under, run_page
from tests.env.aec_play import GOING_OUT, OUT_AT_ONCE, highest, mask_of, never_meld, over, uniform

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own
AGENTS = ["player_0", "player_1", "player_2", "player_3"]


@pytest.mark.parametrize(
    ("choose", "options", "cut"),
    [(uniform, {}, False), (never_meld, {}, False), (highest, {"max_decisions": 33}, True)],
    ids=["random", "stock", "cap"],
)
def test_a_deal_is_that_of_the_aec_environment(choose: Any, options: dict[str, Any], cut: bool) -> None:
    """Masks bit for bit over 500 decisions, rewards, how it ends for all four, and what RLlib makes of them."""
    options = {"episode": "deal", **options}
    env, aec, rng = PersianRummyRLlib(options), persian_rummy_env.env(**options), np.random.default_rng(1)
    decisions = seed = 0
    while decisions < 500:
        shown, infos = env.reset(seed=seed)
        aec.reset(seed=seed)
        episode = MultiAgentEpisode()
        episode.add_env_reset(observations=shown, infos=infos)
        acted: set[str] = set()
        paid, earned = dict.fromkeys(AGENTS, 0.0), dict.fromkeys(AGENTS, 0.0)
        flags: Any = None
        while not over(aec):
            agent, mask = aec.agent_selection, mask_of(aec)
            assert list(shown) == [agent]
            assert env.observation_spaces[agent].contains(shown[agent])
            assert (shown[agent]["action_mask"] == mask).all()
            assert (shown[agent]["observations"] == aec.observe(agent)["observation"]).all()
            action = choose(mask, rng)
            aec.step(action)
            shown, rewards, terminated, truncated, infos = env.step({agent: action})
            acted.add(agent)
            assert all(rewards[seat] == aec.rewards[seat] for seat in acted - {agent})
            episode.add_env_step(shown, {agent: action}, rewards, infos, terminateds=terminated, truncateds=truncated)
            flags = terminated, truncated
            decisions += 1
            paid = {seat: paid[seat] + rewards[seat] for seat in AGENTS}
            earned = {seat: earned[seat] + aec.rewards[seat] for seat in AGENTS}
        assert list(shown) == AGENTS
        assert all(env.observation_spaces[agent].contains(one) for agent, one in shown.items())
        assert not any(one["action_mask"].any() for one in shown.values())
        assert [set(flag.values()) for flag in flags] == [{not cut}, {cut}]
        assert all(list(flag) == [*AGENTS, "__all__"] for flag in flags)
        assert episode.is_done
        returns = {agent: episode.agent_episodes[agent].get_return() for agent in AGENTS}
        assert paid == pytest.approx(earned, abs=1e-6)
        assert returns == pytest.approx(earned, abs=1e-6)
        seed += 1


def test_a_deal_over_in_the_first_turn_pays_all_four() -> None:
    env = PersianRummyRLlib({"episode": "deal"})
    shown, _ = env.reset(options={"decks": [OUT_AT_ONCE], "dealer": 3})
    episode = MultiAgentEpisode()
    episode.add_env_reset(observations=shown)
    paid = dict.fromkeys(AGENTS, 0.0)
    for name in GOING_OUT:
        action = {"player_0": persian_rummy_env.encode_action(name)}
        shown, rewards, terminated, truncated, _ = env.step(action)
        episode.add_env_step(shown, action, rewards, terminateds=terminated, truncateds=truncated)
        paid = {agent: paid[agent] + rewards[agent] for agent in AGENTS}
    assert terminated["__all__"]
    assert not truncated["__all__"]
    score = env.aec.get_state()["score"][0]
    margin = (int(score[0]) - int(score[1])) / 100
    assert list(paid.values()) == pytest.approx([margin, -margin, margin, -margin])
    assert episode.agent_episodes["player_0"].get_return() == pytest.approx(margin)
    shown, _ = env.reset(seed=1)
    assert len(shown) == 1


def test_rllibs_check_is_content_and_leaves_gymnasium_alone() -> None:
    before = dict(gymnasium.Env.metadata)
    env = PersianRummyRLlib({"episode": "deal"})
    check_multiagent_environments(env)
    env.metadata["autoreset_mode"] = "next_step"  # as its vector environment does
    assert gymnasium.Env.metadata == before


def test_only_the_seat_to_move_may_act() -> None:
    env = PersianRummyRLlib({"episode": "deal", "illegal_action": "raise"})
    [agent] = env.reset(seed=1)[0]
    before = env.aec.get_state()
    other = next(seat for seat in AGENTS if seat != agent)
    for actions in ({other: 0}, {agent: 0, other: 0}, {}):
        with pytest.raises(ValueError, match=f"{agent} is to move"):
            env.step(actions)
    with pytest.raises(ValueError, match="is not legal"):
        env.step({agent: 546})
    assert (env.aec.get_state() == before).all()
    forfeits = PersianRummyRLlib({"episode": "deal"})
    [agent] = forfeits.reset(seed=1)[0]
    _, rewards, terminated, truncated, _ = forfeits.step({agent: 546})
    assert rewards[agent] == -1
    assert sum(rewards.values()) == 0
    assert (terminated["__all__"], truncated["__all__"]) == (True, False)


def test_nothing_hidden_is_shown() -> None:
    env, rng = PersianRummyRLlib({"episode": "deal"}), np.random.default_rng(0)
    shown, _ = env.reset(seed=4)
    for _ in range(80):
        [agent] = shown
        states = env.aec.get_state()
        other = exchange_hidden(states, int(agent[-1]), rng)
        assert (other["decks"] != states["decks"]).any()
        env.aec.set_state(other)
        again = env._seen([agent])
        assert all((again[agent][key] == shown[agent][key]).all() for key in shown[agent])
        env.aec.set_state(states)
        shown, _, terminated, _, infos = env.step({agent: uniform(shown[agent]["action_mask"], rng)})
        assert infos == {}
        if terminated["__all__"]:
            shown, _ = env.reset()


def test_what_was_handed_out_does_not_change() -> None:
    env, rng = PersianRummyRLlib({"episode": "deal"}), np.random.default_rng(0)
    shown, _ = env.reset(seed=4)
    kept = []
    for _ in range(60):
        [agent] = shown
        shown, rewards, terminated, *_ = env.step({agent: uniform(shown[agent]["action_mask"], rng)})
        arrays = [array for one in shown.values() for array in one.values()]
        kept += [(array, array.copy()) for array in arrays]
        kept += [(np.array(list(rewards.values())), np.array(list(rewards.values())))]
        if terminated["__all__"]:
            break
    assert all((array == copy).all() for array, copy in kept)


def test_partners_are_one_module_for_a_whole_episode() -> None:
    """And each side of the table, and each opponent, comes about as often."""
    mapping = SelfPlay("player", ("past", "random"))
    seen = []
    for number in range(400):
        episode = SimpleNamespace(id_=f"{number:032x}")
        modules = [mapping(agent, episode) for agent in AGENTS]
        assert modules == [mapping(agent, episode) for agent in AGENTS]
        assert modules[0] == modules[2]
        assert modules[1] == modules[3]
        assert sorted(module == "player" for module in modules) == [False, False, True, True]
        seen.append((modules[0], modules[1]))
    counts = {pair: seen.count(pair) for pair in set(seen)}
    assert len(counts) == 4
    assert min(counts.values()) > 60
    assert {one_module(agent, None) for agent in AGENTS} == {"player"}
    assert [team_modules(agent, None) for agent in AGENTS] == ["team_0", "team_1"] * 2


TRACE = """
import hashlib
from types import SimpleNamespace
from persian_rummy_env.adapters.rllib import PersianRummyRLlib, SelfPlay
env = PersianRummyRLlib({"episode": "deal"})
shown, _ = env.reset(seed=3)
digest, over = hashlib.sha256(), False
while not over:
    [agent] = shown
    action = int(shown[agent]["action_mask"].argmax())
    shown, rewards, terminated, _, _ = env.step({agent: action})
    over = terminated["__all__"]
    for agent, one in shown.items():
        digest.update(agent.encode() + one["observations"].tobytes() + one["action_mask"].tobytes())
    digest.update(str(rewards).encode())
mapping = SelfPlay("player", ("past", "random"))
print(digest.hexdigest(), [mapping("player_0", SimpleNamespace(id_=str(number))) for number in range(50)])
"""


def test_the_hash_seed_changes_nothing() -> None:
    check_hash_seeds(TRACE)


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A small Ray, which is shut down after."""
    ray.init(num_cpus=3, object_store_memory=100_000_000, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def algorithm(mapping: Any, modules: dict[str, Any], train: list[str], **runners: Any) -> Any:
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec

    specs = {name: RLModuleSpec(module_class=module, model_config={"hidden": 16}) for name, module in modules.items()}
    return (
        PPOConfig()
        .environment(PersianRummyRLlib, env_config={"episode": "deal"})
        .env_runners(num_env_runners=0, **runners)
        .multi_agent(policies=set(modules), policy_mapping_fn=mapping, policies_to_train=train)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=specs))
        .training(train_batch_size_per_learner=300, minibatch_size=300, num_epochs=1, lr=1e-3)
        .debugging(seed=1, log_level="ERROR")
        .build_algo()
    )


def test_team_modules_learn_and_their_first_ratios_are_one(cluster: None) -> None:
    """One minibatch of all that was played, once: were the mask forgotten on either side, the divergence would show."""
    modules = {"team_0": MaskedActorCritic, "team_1": MaskedActorCritic}
    algo = algorithm(team_modules, modules, list(modules), num_envs_per_env_runner=2)
    try:
        before = {name: algo.get_module(name).get_state()["actor.2.weight"].copy() for name in modules}
        learned = algo.train()["learners"]
        for name in modules:
            assert np.isfinite(float(learned[name]["total_loss"]))
            assert abs(float(learned[name]["mean_kl_loss"])) < 1e-6
            assert (algo.get_module(name).get_state()["actor.2.weight"] != before[name]).any()
        [episode] = algo.env_runner.sample(num_episodes=1)[:1]
        for agent in episode.agent_episodes.values():
            masks, actions = agent.get_observations(), agent.get_actions()
            masks = masks["action_mask"] if isinstance(masks, dict) else [one["action_mask"] for one in masks]
            assert all(masks[step][action] == 1 for step, action in enumerate(actions))
    finally:
        algo.stop()


def test_an_opponent_takes_the_learners_weights_and_is_not_trained(cluster: None) -> None:
    modules = {"player": MaskedActorCritic, "past": MaskedActorCritic, "random": LegalAtRandom}
    algo = algorithm(SelfPlay("player", ("past", "random")), modules, ["player"], num_envs_per_env_runner=2)
    try:
        first = algo.get_module("past").get_state()["actor.0.weight"].copy()
        algo.train()
        assert (algo.get_module("past").get_state()["actor.0.weight"] == first).all()
        copy_module(algo, "player", "past")
        mine = algo.get_module("player").get_state()["actor.0.weight"]
        assert (algo.get_module("past").get_state()["actor.0.weight"] == mine).all()
        assert (mine != first).any()
    finally:
        algo.stop()


def test_a_network_gives_no_probability_to_what_is_illegal() -> None:
    env = PersianRummyRLlib({"episode": "deal"})
    [seen] = env.reset(seed=1)[0].values()
    space, actions = env.observation_spaces["player_0"], env.action_spaces["player_0"]
    batch = {"obs": {key: torch.from_numpy(value)[None] for key, value in seen.items()}}
    module = MaskedActorCritic(observation_space=space, action_space=actions, model_config={"hidden": 8})
    for forward in (module.forward_exploration, module.forward_inference, module.forward_train):
        logits = forward(batch)["action_dist_inputs"]
        likely = torch.distributions.Categorical(logits=logits)
        assert (likely.probs[0, seen["action_mask"] == 0] == 0).all()
        assert torch.isfinite(likely.entropy()).all()
    many = {"obs": {key: value.repeat(2000, 1) for key, value in batch["obs"].items()}}
    drawn = LegalAtRandom(observation_space=space, action_space=actions).forward_exploration(many)["actions"]
    assert set(drawn.tolist()) == set(np.flatnonzero(seen["action_mask"]).tolist())


def test_a_table_travels_to_another_process(tmp_path: Path) -> None:
    """As Ray sends them, in mid-game; its workers are never forked."""
    env = PersianRummyRLlib({"episode": "deal"})
    shown, _ = env.reset(seed=1)
    for _ in range(10):
        [agent] = shown
        shown = env.step({agent: highest(shown[agent]["action_mask"], np.random.default_rng(0))})[0]
    [agent] = shown
    (tmp_path / "table").write_bytes(pickle.dumps(env))
    there = f"""
import pickle
env = pickle.load(open({str(tmp_path / "table")!r}, "rb"))
[(agent, seen)] = env._seen([env.aec.agent_selection]).items()
print(agent, seen["observations"].tobytes().hex(), seen["action_mask"].tobytes().hex())
"""
    mine = (agent, shown[agent]["observations"].tobytes().hex(), shown[agent]["action_mask"].tobytes().hex())
    assert printed_under("0", there).split() == list(mine)


def test_the_page_runs(cluster: None) -> None:
    names = run_page("rllib.md")
    assert names["result"]["learners"]["player"]


def test_what_is_no_action_is_refused() -> None:
    table = PersianRummyRLlib()
    table.reset(seed=1)
    contract.takes_actions_alone(lambda action: table.step({table.aec.agent_selection: action}))
    for actions in (None, 0, [0], "a"):
        with pytest.raises(TypeError, match="expected a mapping"):
            table.step(actions)  # type: ignore[arg-type]
