"""The local variant of Complots: see `local.md`."""
