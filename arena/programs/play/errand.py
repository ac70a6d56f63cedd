"""A call in its own thread: the loop goes on while a model thinks."""

import os
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread

from arena.models.asking import Caller
from arena.models.calls import Messages, ModelReply


class Errand:
    """Runs one call in a thread, which at its end sets `outcome` and writes a byte to the pipe `bell`.

    `outcome` is None until then, and afterwards the reply, or the exception that the call raised.
    """

    def __init__(self, caller: Caller, messages: Messages, options: Sequence[str], bell: int):
        self.caller = caller
        self.outcome: ModelReply | Exception | None = None
        self._bell = os.dup(bell)  # the player may have closed its own by then
        # The process may exit while a call waits for a server, so this is a daemon thread.
        Thread(target=self._run, args=(tuple(messages), tuple(options)), daemon=True).start()

    def cancel(self) -> None:
        """Tell the call to end early, without waiting for its end; `outcome` may be set already."""
        self.caller.cancel()

    def _run(self, messages: Messages, options: Sequence[str]) -> None:
        try:
            self.outcome = self.caller.call(messages, options)
        except Exception as error:  # the game's thread raises it
            self.outcome = error
        finally:
            with suppress(OSError):
                os.write(self._bell, b"\n")
            os.close(self._bell)
