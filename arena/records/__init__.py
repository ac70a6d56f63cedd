"""Fixtures (games to play), their deals, and records (games that were played)."""
