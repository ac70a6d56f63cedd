"""The intake: brings entries from the hand-in to the ladder. `python -m arena.contest.intake`."""

from threading import Event

from arena.web.log import use_log
from arena.web.settings import read_settings, when_parent_ends


def _main() -> None:
    use_log()
    read_settings()
    stop = Event()
    when_parent_ends(stop.set)
    stop.wait()


if __name__ == "__main__":
    _main()
