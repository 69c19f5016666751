"""Playing in the terminal: ``python -m agents.play``."""
