"""Bots that play from their own machines: the client that connects them, and how each line counts once."""
