"""Inspect AI: the champion, which reads prompts alone, plays pairs of games with the points of the AEC environment."""

import argparse
import tempfile

import inspect_ai
from inspect_ai.model import ModelOutput, ModelUsage, get_model

import persian_rummy_env
from persian_rummy_env import RuleSet
from persian_rummy_env.adapters.inspect_task import duplicate_deals
from persian_rummy_env.players.policy_io import choose
from persian_rummy_env.text.prompt_player import PromptPlayer


def aec_margin(players: list, seed: int) -> int:
    """The points of team 0 less those of team 1 in a deal of the AEC environment."""
    env = persian_rummy_env.env(rules=RuleSet(deals=1))
    env.reset(seed=seed)
    while not env.terminations[env.agent_selection]:
        seat = env.possible_agents.index(env.agent_selection)
        env.step(int(choose(env.unwrapped.get_state(), players[seat])[0]))
    first, second = env.unwrapped.get_state()["score"][0].tolist()
    return first - second


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=50)
    args = parser.parse_args()
    champion, expert = persian_rummy_env.load("champion"), persian_rummy_env.load("expert")
    player = PromptPlayer(champion)

    def answer(messages, tools, tool_choice, config):  # noqa: ARG001  # Inspect passes all four
        output = ModelOutput.from_content("mockllm", player.answer(messages[-1].text))
        output.usage = ModelUsage()  # without it, mockllm counts tokens with a file that it downloads
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    same = 0
    with tempfile.TemporaryDirectory() as logs:  # the samples of a log are read from its file
        [log] = inspect_ai.eval(duplicate_deals(range(args.pairs)), model=model, display="none", log_dir=logs)
        assert log.status == "success", log.error
        for seed, sample in enumerate(log.samples):
            played = [game["margin"] for game in sample.scores["points_a_deal"].metadata["games"]]
            first, second = aec_margin([champion, expert] * 2, seed), -aec_margin([expert, champion] * 2, seed)
            same += (played[0] == first) + (played[1] == second)
    metrics = next(score for score in log.results.scores if score.name == "points").metrics
    print(
        f"champion by prompts: {metrics['mean'].value:+.1f} ± {1.96 * metrics['stderr'].value:.1f} points a deal "
        f"against expert, {args.pairs} pairs; {same} of {2 * args.pairs} deals with the points of the AEC environment"
    )
    assert same == 2 * args.pairs
