"""The measurements and plots of ``experiments.speed`` and ``experiments.profile``."""
