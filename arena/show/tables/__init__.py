"""Presents results: text, Markdown, HTML and LaTeX for people, CSV and JSON for programs."""

FORMATS = ("text", "markdown", "html", "latex", "csv", "json")
