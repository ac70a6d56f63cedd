"""What people and other programs see of the results."""

FORMATS = ("text", "markdown", "html", "latex", "csv", "json")
MATRICES = ("los", "head-to-head")
