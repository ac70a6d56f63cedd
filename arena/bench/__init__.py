"""Measures what games cost on this machine, for `arena bench`."""
