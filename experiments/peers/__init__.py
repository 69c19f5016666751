"""Other card environments, to compare with: the versions measured (``NAME.txt``) and how each is driven
(``NAME_driver.py``). A driver runs in its peer's own environment, so all that it may import is its peer, the standard
library and ``experiments.speeds`` as far as that is standard library too."""
