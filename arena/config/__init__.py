"""Errors in one line, YAML files with line numbers, types of keys, texts in messages."""

PUBLIC = """
    document loader regular text tracebacks values
"""  # the modules for other packages
