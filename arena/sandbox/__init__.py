"""How bots are kept away from the machine and from each other: the tiers, and the supervisor that holds them.

A supervisor is a program of its own that knows nothing but the standard library, so nothing is imported here.
"""
