"""The recording wrappers of Gymnasium and PettingZoo make a video of a game: as many frames as there were positions."""

import subprocess
from pathlib import Path

import gymnasium
import numpy as np
import pytest

pytest.importorskip("moviepy", reason="pip install moviepy (nox -s video)")
imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")

from gymnasium.wrappers import RecordVideo  # noqa: E402

from persian_rummy_env import env  # noqa: E402


def frames(folder: Path) -> np.ndarray:
    """The frames of the only video in a folder: (n, 800, 1280, 3) uint8."""
    [video] = folder.glob("*.mp4")
    read = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", video, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = subprocess.run(read, stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, 800, 1280, 3)


def show_the_game(read: np.ndarray, drawn: list[np.ndarray]) -> None:
    """Frame by frame the pictures that were drawn, as near as a video comes to them."""
    assert len(read) == len(drawn)
    for frame, picture in zip(read, drawn, strict=True):
        apart = float(abs(frame.astype(int) - picture).mean())
        assert apart < 3
    different = len({picture.tobytes() for picture in drawn})
    assert different > len(drawn) // 2


def test_gymnasium_records_a_deal(tmp_path: Path) -> None:
    folder = tmp_path / "videos"
    table = gymnasium.make(
        "persian_rummy_env:PersianRummy-v0", render_mode="rgb_array", opponents="greedy", max_decisions=60
    )
    recorded = RecordVideo(table, str(folder))
    _, info = recorded.reset(seed=1)
    drawn, over = [table.render()], False
    while not over:
        _, _, terminated, truncated, info = recorded.step(int(np.flatnonzero(info["action_mask"])[-1]))
        drawn.append(table.render())
        over = terminated or truncated
    recorded.close()
    assert len(drawn) > 10
    show_the_game(frames(folder), drawn)


def test_pettingzoo_records_a_deal(tmp_path: Path) -> None:
    wrappers = pytest.importorskip(
        "pettingzoo.utils.wrappers.record_video", reason="came with PettingZoo 1.25 or later"
    )
    folder = tmp_path / "videos"
    table = env(render_mode="rgb_array", episode="deal", max_decisions=20)
    recorded = wrappers.RecordVideo(table, str(folder))
    recorded.reset(seed=1)
    drawn = [table.render()]
    for _ in recorded.agent_iter():
        observation, _, termination, truncation, _ = recorded.last()
        over = termination or truncation
        recorded.step(None if over else int(np.flatnonzero(observation["action_mask"])[-1]))
        drawn.append(table.render())
    recorded.close()
    assert len(drawn) == 25
    show_the_game(frames(folder), drawn)
