"""Ratings: computes strengths and their errors from the outcomes of games, and chooses the next games."""

PUBLIC = "experiments outcomes settings standings"  # the modules for other packages
