"""Bots at a referee: the only place that starts them, waits for them and measures them."""
