"""Ratings: computes strengths and their errors from the outcomes of games, and chooses the next games."""
