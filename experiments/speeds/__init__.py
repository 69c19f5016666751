"""The parts of ``experiments.speed`` and ``experiments.profile``: what is measured, and how it is shown."""
