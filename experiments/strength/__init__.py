"""Claims about the strength of players; each names the command that proves it."""
