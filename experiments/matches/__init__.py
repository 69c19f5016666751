"""Shared parts of experiments with matches: options, tables and pictures."""
