"""How bots are confined, so that they hurt neither the machine nor each other (README.md: what is promised).

Theory of operation.

*Processes.* Each worker of the referee has one supervisor (`supervisor/`), and each bot is a child of it:

    coordinator - worker - supervisor - bot ...                    in the tier limits
                                      - bwrap - bwrap - bot ...    in the tier bubblewrap: outside, inside the
                                        box

The supervisor is a small single-threaded program of the standard library, because a start costs a copy of the
page tables of the process that forks, and because it must outlive whatever the referee does. The worker
speaks to it through a `SupervisorClient`, and knows each bot as a `SandboxedProcess` (`client.py`); the
supervisor has a `SupervisedProcess` for it (`supervisor/process.py`). `policy.py` chooses the tier of a run
and makes the command of each bot, `promises.py` says what each tier is good for, `linux/` wraps what the
kernel offers, `stale.py` cleans up after an arena that was killed.

*Sockets and pipes.* Between worker and supervisor is a socket with lines of JSON (`supervisor/main.py`). With
the request for a start come the bot's ends of three pipes; the worker keeps the others, and no line of a game
ever passes the supervisor.

*Who kills whom.* The supervisor kills a bot that breaks a limit, a bot whose end is requested, and everything
when its socket closes, which the kernel does also if the worker is killed. It finds all that a bot has
started: in a control group the kernel has the list and kills it whole; a box is a process namespace, which
ends with its first process; in the tier limits the supervisor is the subreaper, to which the kernel gives all
orphans. The worker is a subreaper, too: if the supervisor is killed, its bots come to the worker, which kills
them (`client.SupervisorClient.close`). If all are killed at once, a list of processes in the folder of the
supervisor is left, and the next arena kills those (`stale.py`). Workers end themselves when the coordinator
closes their pipe, or is killed.

*Who measures.* The kernel counts memory, CPU time and tasks of a bot with a control group. For the rest the
supervisor reads /proc every 20 ms, but only of bots that have computed since, and for at most a hundredth of
a core for each.
"""
