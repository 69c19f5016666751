"""Policies for Persian Rummy: scripted, learned, searching; ``load.load`` makes them by name."""
