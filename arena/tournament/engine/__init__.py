"""Engines, which play batches of games: processes of this machine, or the workers of a Dask cluster."""
