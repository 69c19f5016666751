"""Python imports this module at its start when this folder is on its path: for the build of PufferLib 3.0.0 alone.

Built without its games (``NO_OCEAN=1``), its setup.py reads a list of paths that it has not defined.
"""

import builtins

builtins.c_extension_paths = []  # type: ignore[attr-defined]
