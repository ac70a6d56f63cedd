"""A contest: entrants hand in bots, which are unpacked, built and checked in the box, and play on a ladder.

`contest` reads the folder of a contest, `database` has what changes. `intake` brings entries from the
hand-in to the ladder; the states of an entry are in `entries`.
"""

PUBLIC = "contest create database entrants entries final handin moments"  # the modules for other packages
