"""Plays games at a referee: starts the bots, carries their lines, waits for them and measures them."""
