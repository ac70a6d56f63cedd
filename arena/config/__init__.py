"""Errors in one line, YAML files with line numbers, types of keys, files of SQLite, texts in messages."""

PUBLIC = "document sqlite text values"  # the modules for other packages
