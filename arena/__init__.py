"""A referee for games of bluff and bargaining between external programs."""

__version__ = "0.3.0"
