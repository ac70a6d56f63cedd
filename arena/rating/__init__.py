"""Ratings: from the outcomes of games to strengths, honest errors, and the choice of the next games."""
