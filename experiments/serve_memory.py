"""The memory of a server whose tables are left for good."""

from .shared.claim import Claim

CLAIM = Claim(
    text="the server's memory stays bounded while tables are opened and left for good",
    command=(
        "python -m experiments.serve_load --tables 60 --seconds 900 --leave 0.5 --port 8775 --out "
        "experiments/results/serve_memory.json"
    ),
    expected=(
        "108 MB at the start, 189 after 2 minutes, 206 after 10 and no more; 1,486 tables opened, 770 left, "
        "nothing lost"
    ),
    minutes=16,
    result="serve_memory.json",
)
