"""Claims on training; each names the command that trains."""
