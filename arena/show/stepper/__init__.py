"""A recorded game in full screen in a terminal, watched step by step."""
