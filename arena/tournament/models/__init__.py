"""Language models in a run: whom their keys may go to, and the ledger of their calls."""

PUBLIC = ("access", "approval", "ledger")
