"""Language models in a run: whom their keys may go to, and how bots cannot read them."""

PUBLIC = ("access", "approval")
