"""A contest: entrants hand in bots, which are unpacked, built and checked in the box, and play on a ladder.

`contest` reads the folder of a contest, and `database` opens contest.db. Each table has a module with its
SQL, which reads rows as values: `entrants`, `entries`, `scrimmages`, `notices`, `questions`, `alarms`,
`settings`. `intake` brings entries from the hand-in to the ladder.
"""

PUBLIC = "contest create entrants final"  # the modules for other packages
