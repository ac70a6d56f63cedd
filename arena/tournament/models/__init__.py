"""Language models in a run: which hosts may get their API keys, and how the keys are kept from bots."""

PUBLIC = ("access", "approval")
