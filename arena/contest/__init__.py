"""A contest: entrants hand in bots, which are unpacked, built and checked in the box, and play on a ladder.

`contest` reads the folder of a contest, and `database` opens contest.db. Each table has a module with
all of its SQL, which reads rows as values: `entrants`, `entries`, `scrimmages`, `notices`, `questions`,
`alarms`, `settings`. `intake` brings entries from the hand-in to the ladder.

The path of an entry:

1. `handin` counts the bytes of an archive into a file. When all are on the disk, one transaction names
   the file by its number and adds the row: from then on the entry is accepted.
2. `intake` takes up the entry of the entrant whose turn is longest ago, and starts a process for it.
3. `stages` is this process. `unpacker` unpacks the archive inside the box; then it is built and checked
   there, under the organiser's names, each in a state of its own.
4. `accept` in `entries` puts the folder into its place and changes the state, together. The player finds
   it there, as any ladder does, and sets it to playing.
5. After a kill the row says what to do again. If the row changes, as by a withdrawal or an exclusion,
   the intake makes the folders agree (`folders`).

Both players are a `ContestPlayer` (`playing`), which opens, plays and stops runs. The pages are in
`pages`: a view is a dataclass with the values of a page, and becomes its JSON.
"""

PUBLIC = "contest create entrants final"  # the modules for other packages
