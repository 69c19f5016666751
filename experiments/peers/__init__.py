"""Other card environments for comparison: the measured versions (``NAME.txt``) and the driver of each
(``NAME_driver.py``). A driver runs in the virtual environment of its peer, so it may import only its peer, the standard
library, and those modules of ``experiments.speeds`` that need nothing else."""
