"""Language models in a run: approves hosts for API keys, and keeps the keys from bots."""

PUBLIC = ("access", "approval")
