"""Shared parts of experiments: result files, digests of behaviour, timing, Markdown."""
