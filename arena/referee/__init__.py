"""The referee of one game, without I/O: lines in, lines out."""
