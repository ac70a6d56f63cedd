"""A tournament plan, from YAML to a checked value."""
