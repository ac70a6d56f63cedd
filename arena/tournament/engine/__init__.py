"""Engines play batches of games, with processes of this machine or the workers of a Dask cluster."""
