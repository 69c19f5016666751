"""Playing in the browser: ``python -m agents.serve``."""
