"""Video of a deal: Gymnasium's RecordVideo (PettingZoo's of the same name does it for the AEC environment). Needs
moviepy."""

from pathlib import Path
from tempfile import mkdtemp

import gymnasium
from gymnasium.wrappers import RecordVideo

folder = Path(mkdtemp())
table = gymnasium.make("persian_rummy_env:PersianRummy-v0", render_mode="rgb_array", opponents="expert")
env = RecordVideo(table, str(folder / "videos"), fps=2)
observation, info = env.reset(seed=1)
over = False
while not over:
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)
    over = terminated or truncated
env.close()
print(*(f"{path.name}, {path.stat().st_size // 1024} KiB" for path in (folder / "videos").iterdir()))
