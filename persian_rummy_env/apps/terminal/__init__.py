"""The game in the terminal: ``persian-rummy play``."""
