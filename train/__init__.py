"""Making players by self-play: one script (``python -m train.selfplay``) over small parts."""
