"""Claims about training; each names the command that proves it."""
