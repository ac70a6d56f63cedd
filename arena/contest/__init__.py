"""A contest: entrants hand in bots, which are unpacked, built and checked in the box, and play on a ladder.

`contest` reads the folder of one, `database` has what changes. `intake` brings entries from the hand-in to
the ladder; its states are in `entries`.
"""

PUBLIC = "contest create database entrants entries final handin moments"  # the modules for other packages
