"""What several experiments share: result files, digests of behaviour, timing, Markdown."""
