"""Playing in the terminal: ``persian-rummy play``."""
