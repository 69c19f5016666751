"""Playing in the browser: ``python -m persian_rummy_env.apps.web``."""
