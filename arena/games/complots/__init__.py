"""Complots: see `complots.md`."""
