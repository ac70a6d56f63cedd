"""Measures the cost of the arena on this machine, and how good its ratings are."""
