"""OpenSpiel: its information-set tree search, with playouts by a bot of ours, against random bots of theirs."""

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.bots.uniform_random import UniformRandomBot

from persian_rummy_env.adapters.openspiel_bots import BotEvaluator

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--deals", type=int, default=10)
    parser.add_argument("--simulations", type=int, default=30)
    args = parser.parse_args()
    game = pyspiel.load_game("python_persian_rummy(deals=1)")
    rng = np.random.RandomState(1)
    search = ISMCTSBot(game, BotEvaluator("deepest"), 1.0, args.simulations, random_state=rng)
    search.set_resampler(lambda state, player: state.resample_from_infostate(player, rng.random_sample))
    bots = [search, UniformRandomBot(1, rng), search, UniformRandomBot(3, rng)]
    margins = []
    for _ in range(args.deals):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choice(outcomes, p=chances))
            else:
                state.apply_action(bots[state.current_player()].step(state))
        margins.append(100 * state.returns()[0])
    half = 1.96 * np.std(margins) / len(margins) ** 0.5
    print(
        f"IS-MCTS, {args.simulations} simulations a decision: {np.mean(margins):+.1f} ± {half:.1f} points a deal "
        f"against random, {args.deals} deals"
    )
