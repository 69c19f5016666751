"""The compiled core: the rules of the game and what a seat sees of it."""
