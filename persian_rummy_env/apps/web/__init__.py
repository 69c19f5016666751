"""Playing in the browser: ``persian-rummy serve``."""
