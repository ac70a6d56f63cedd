"""Intrigue: see `intrigue.md`."""
