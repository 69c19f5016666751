"""Gymnasium: a thousand learners against the bot `greedy`."""

import gymnasium

import persian_rummy_env  # noqa: F401  # enters PersianRummy-v0 into the registry

envs = gymnasium.make_vec("PersianRummy-v0", num_envs=1024, opponents="greedy")
observations, infos = envs.reset(seed=1)
total, deals = 0.0, 0
for _ in range(100):
    actions = envs.unwrapped.sample_actions()  # a policy reads observations["observation"] and ["action_mask"]
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    total += rewards.sum()
    deals += int((terminated | truncated).sum())
print(f"{deals} deals, {100 * total / deals:+.1f} points a deal")
