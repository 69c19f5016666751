"""``python -m persian_rummy_env`` is ``persian-rummy``."""

import sys

from .cli.program import main

sys.exit(main())
