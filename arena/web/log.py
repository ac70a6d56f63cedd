"""The log of a server: one line of JSON for each event, on stderr. No path has a token."""

import json
import logging
import sys
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType

from arena.config.document import ConfigError


def log(event: str, **values: object) -> None:
    """Write a line to the log. JSON escapes control characters that a stranger may have put into a value."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"time": now, "event": event, **values}, default=str)
    with suppress(OSError):  # a log on a full disk
        print(line, file=sys.stderr, flush=True)


# Uvicorn calls any refusal of a WebSocket with a body a failure; the request has a line of its own.
_NOISE = "ASGI callable returned without completing handshake."


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if record.msg == _NOISE:
            return
        values = {"level": record.levelname.lower(), "message": record.getMessage()[:2000]}
        if record.exc_info:
            values["traceback"] = logging.Formatter().formatException(record.exc_info)
        log("server", **values)


def use_log() -> None:
    """Write the warnings and errors that libraries log as lines of JSON.

    A ConfigError that ends this process becomes a line as well, without a traceback.
    """
    logging.basicConfig(handlers=[_Lines()], level=logging.WARNING, force=True)
    sys.excepthook = _log_end


def _log_end(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if isinstance(error, ConfigError):
        log("error", message=str(error))
    else:
        sys.__excepthook__(kind, error, traceback)
