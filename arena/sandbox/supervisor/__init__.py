"""The program that starts bots, watches them and ends them. It imports the standard library alone."""
