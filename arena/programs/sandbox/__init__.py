"""Confines bots, to protect the machine and other bots. README.md lists the promises.

Theory of operation
-------------------
Each worker has one supervisor, whose children are its bots:

    coordinator - worker - supervisor - bot ...                    in the tier limits
                                      - bwrap - bwrap - bot ...    in the tier bubblewrap: one bwrap outside
                                                                   the box, and one inside

`policy` chooses the tier of a run and makes the command of each bot. The worker asks its supervisor over a
socket to start a bot (`client`), and passes the bot's ends of three pipes. The worker keeps the other ends:
no line of a game passes through the supervisor. `supervisor` starts, checks and kills the bots; `linux` wraps
the kernel's interfaces.

If a worker is killed, its supervisor kills the bots. If a supervisor is killed, its bots become children of
the worker, which is also a subreaper and kills them (`SupervisorClient.close`). If all are killed at once,
the next arena kills the remaining bots (`stale`). Workers exit when the coordinator closes their pipe, or is
killed.
"""
