"""Claims about trained networks without torch."""
