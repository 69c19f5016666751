"""Claims on how strong players are; each names the command that plays it."""
