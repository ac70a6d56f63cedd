"""Measures the cost of games on this machine, for `arena bench`."""
