"""Shows a recorded game in full screen in a terminal, step by step."""
