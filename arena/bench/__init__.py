"""Measures the cost of games on this machine, for `arena bench`.

`referee` measures an ask, `starts` a sandbox, `runs` complete tournaments and the shortest time limit, with
the minimal bots of `bots`.
"""

PUBLIC = "bots referee runs starts"
