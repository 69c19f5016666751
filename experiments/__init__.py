"""Commands that measure speed, correctness and strength; anybody can run them again."""
