"""A call in a thread of its own, so that the loop goes on while a model thinks."""

import os
from collections.abc import Mapping
from contextlib import suppress
from threading import Thread
from typing import Any

from arena.models.calls import ModelReply
from arena.models.request import Messages
from arena.models.retry import Caller


class Errand:
    """Runs one call in a thread, which at its end sets `outcome` and writes a byte to the pipe `bell`.

    `outcome` is None until then: afterwards the reply, or the exception that the call has raised.
    """

    def __init__(self, caller: Caller, messages: Messages, schema: Mapping[str, Any], bell: int):
        self.caller = caller
        self.outcome: ModelReply | Exception | None = None
        self._bell = os.dup(bell)  # of its own: the player may have closed its one by then
        # A daemon: the process may exit while a server is being waited for.
        Thread(target=self._run, args=(tuple(messages), schema), daemon=True).start()

    def cancel(self) -> None:
        """Have the call end early, without waiting for its end; `outcome` may be set already."""
        self.caller.cancel()

    def _run(self, messages: Messages, schema: Mapping[str, Any]) -> None:
        try:
            self.outcome = self.caller.call(messages, schema)
        except Exception as error:  # the thread that plays the game raises it
            self.outcome = error
        finally:
            with suppress(OSError):
                os.write(self._bell, b"\n")
            os.close(self._bell)
