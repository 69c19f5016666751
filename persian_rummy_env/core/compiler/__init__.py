"""Compilation of the core: the decorator, the cache of compiled code, and the kernel groups."""
