"""Bots that play from their own machines: their client, and the exchange that counts each line once."""
