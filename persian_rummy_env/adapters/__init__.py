"""Adapters to learning libraries, one module each; nothing else imports them, and each needs its own library."""
