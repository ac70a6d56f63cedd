"""Bots that play from their own machines: the program that connects them, and how lines are counted."""
