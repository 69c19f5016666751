"""Playing in the terminal: ``python -m persian_rummy_env.apps.terminal``."""
