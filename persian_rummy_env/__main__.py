"""``python -m persian_rummy_env`` is ``persian-rummy``."""

import sys

from .cli import main

sys.exit(main())
