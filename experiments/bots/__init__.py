"""What is said of the bots, and what of it is measured."""
