"""The tables of docs/performance.md on speed, from a result of ``experiments.speed``."""

from __future__ import annotations

from ..shared.markdown import Result, number, run_line, spread, table, times

PEER_NAMES = {"openspiel": "OpenSpiel", "pettingzoo": "PettingZoo", "pgx": "Pgx", "rlcard": "RLCard"}


def speed_tables(result: Result) -> dict[str, str]:
    """Every table of a speed result, by its name in the page."""
    return {
        "speed: goals": goals_table(result["ours"], result["peers"]),
        "speed: vector": vector_table(result["ours"]),
        "speed: others": others_table(result["ours"]),
        "speed: peers": peers_table(result),
        "speed: run": run_line(result),
    }


def goals_table(own: Result, peers: Result) -> str:
    """The goals of the environment and the measured figures."""
    rows = [[what, goal, reached, "yes" if met else "**no**"] for what, goal, reached, met in goals(own, peers)]
    return table(["figure (median)", "goal", "measured", "reached"], rows)


def goals(own: Result, peers: Result) -> list[tuple[str, str, str, bool]]:
    """(figure, goal, measured, reached) for the figures that the result has."""
    vector, started = own["vector"], own["startup"]
    found: list[tuple[str, str, str, bool]] = []

    def at_least(what: str, value: float, goal: float, unit: str = "/s") -> None:
        found.append((what, f"≥ {number(goal)}{unit}", f"{number(value)}{unit}", value >= goal))

    def below(what: str, value: float, goal: float, unit: str) -> None:
        found.append((what, f"< {number(goal)} {unit}", f"{number(value)} {unit}", value < goal))

    for lanes in own["marked"]:
        at_least(
            f"vector decisions, n = {int(lanes):,}, actions drawn beforehand", vector["step"][lanes]["median"], 6e6
        )
        at_least(f"the same and drawing, n = {int(lanes):,}", vector["step_and_drawing"][lanes]["median"], 4e6)
    most = own["marked"][-1]
    two, one = (vector[name][most]["median"] for name in ("step_two_threads", "step"))
    at_least(f"two threads, against one, n = {int(most):,}", two / one, 1.8, " ×")
    by_size = [figure["median"] for lanes, figure in vector["step"].items() if int(lanes) >= 64]
    below("slowest to fastest n, 64 to 65,536", max(by_size) / min(by_size), 1.6, "×")
    aec = {name: figure["median"] for name, figure in own["aec"].items()}
    at_least("AEC decisions, `env()`", aec["env"], 50e3)
    at_least("AEC decisions, `raw_env()`", aec["raw_env"], 80e3)
    if figures := peers.get("pettingzoo", {}).get("figures"):
        at_least("`env()`, against PettingZoo gin_rummy_v4", aec["env"] / figures[0]["median"], 10, " ×")
    below("one `step` call of the vector environment, n = 1", own["one_step_call"]["median"], 5, "µs")
    below("`clone`, a game", own["copies"]["clone"]["median"] / 1e3, 1, "µs")
    below("record copy, a game", own["copies"]["record_copy"]["median"] / 1e3, 1, "µs")
    at_least(f"deals, {own['bots']['bot']} bots in all seats", own["bots"]["deals"]["median"], 20e3)
    below("import, with an environment, without compile", started["import_vector_face"]["median"], 0.7, "s")
    below("process start to first step, cache present", started["first_step"]["median"], 2, "s")
    if "first_compile" in started:
        below("first compile of the game engine", started["first_compile"]["median"], 40, "s")
    return found


def vector_table(own: Result) -> str:
    """Decisions per second by batch size."""
    vector = own["vector"]
    columns = {
        "step": "step",
        "step_and_drawing": "step and drawing",
        "step_copy": "step, arrays to keep",
        "step_bits": "step, observation as bits",
        "step_two_threads": "step, two threads",
        "step_two_apart": "two batches of n/2, a thread each",
    }
    columns = {name: title for name, title in columns.items() if name in vector}  # an older result lacks the newer
    rows = [
        [f"{int(lanes):,}", *(spread(vector[name][lanes]) if lanes in vector[name] else "" for name in columns)]
        for lanes in vector["step"]
    ]
    return table(["n", *columns.values()], rows)


def others_table(own: Result) -> str:
    """All figures that do not depend on a batch size."""
    copies, started = own["copies"], own["startup"]
    figures = {
        "AEC loop, `env()`": own["aec"]["env"],
        "AEC loop, `raw_env()`": own["aec"]["raw_env"],
        "one `step` call of the vector environment, n = 1": own["one_step_call"],
        "`clone()`, 4,096 games": copies["clone"],
        "`get_state()`, 4,096 games": copies["get_state"],
        "copy of 4,096 records into an array at hand": copies["record_copy"],
        f"deals, {own['bots']['bot']} bots in all seats": own["bots"]["deals"],
        "their decisions": own["bots"]["decisions"],
        "`import persian_rummy_env`": started["import"],
        "`from persian_rummy_env import PersianRummyVecEnv`": started["import_vector_face"],
        "`from persian_rummy_env import env`": started["import_aec_face"],
        "process start to first step": started["first_step"],
    }
    if "first_compile" in started:
        figures["first compile, game engine"] = started["first_compile"]
        figures["first compile, bots and records"] = started["first_compile"]["other_parts"]
    return table(["figure", "median (least–most)", "unit"], [[n, spread(f), f["unit"]] for n, f in figures.items()])


def peers_table(result: Result) -> str:
    """The figures of this package and of the peers, and the ratio for the same interface."""
    own = result["ours"]
    most = own["marked"][-1]
    batched = {True: own["vector"]["step_and_drawing"][most], False: own["vector"]["step"][most]}
    single = own["aec"]["env"]
    seen = [own["observation"], f"{own['observation_bytes']:,} + {own['mask_bytes']}", str(own["actions"])]
    seen_single = [own["aec_observation"], f"{own['aec_observation_bytes']:,} + {own['mask_bytes']}", seen[-1]]
    rows = [
        [f"**ours**, vector environment, n = {int(most):,}", *seen, spread(batched[False]), "1"],
        [f"**ours**, vector environment, n = {int(most):,}, and drawing", *seen, spread(batched[True]), "1"],
        ["**ours**, AEC `env()`", *seen_single, spread(single), "1"],
    ]
    for name, peer in result["peers"].items():
        shown = PEER_NAMES.get(name, name)
        if "failed" in peer:
            rows.append([shown, "", "", "", f"not measured: {peer['failed']}", ""])
        for figure in peer.get("figures", []):
            alone = figure["batch"] == 1
            mine = single if alone else batched[figure["drawing"]]
            size = "" if alone else f", n = {figure['batch']:,}" + (", and drawing" if figure["drawing"] else "")
            ratios = [times(mine["median"] / figure["median"])]
            if alone:
                ratios.append(times(batched[True]["median"] / figure["median"]))
            about = [figure["observation"], f"{figure['observation_bytes']:,}", str(figure["actions"])]
            rows.append([f"{shown} {figure['name']}{size}", *about, spread(figure), " / ".join(ratios)])
    return table(["environment", "observation", "bytes", "actions", "decisions/s", "ours is × times as fast"], rows)
