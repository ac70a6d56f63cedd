"""Reads a tournament plan from YAML and checks it."""
