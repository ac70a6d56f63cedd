"""`Access`: the rights of visitors to a server. A contest has its own (`arena/contest/pages/server.py`)."""

from collections.abc import Container, Mapping

from arena.web.requests import Refusal
from arena.web.tokens import Holder


class Access:
    """The access to a server without a contest: all see all runs, and a remote bot has a token of its own."""

    uploads: Mapping[str, int] = {}
    """The paths that take a PUT, each with its maximum number of bytes."""

    def withheld(self) -> Container[str]:
        """The names of runs that are not shown now."""
        return ()

    def reserved(self) -> Container[str]:
        """The names of runs that only the operator sees now."""
        return ()

    def aliases(self) -> Mapping[str, str]:
        """The names that are shown in place of bots' names, by bot name."""
        return {}

    def bot_of(self, holder: Holder | None) -> str:
        """The remote bot that the holder of a token plays.

        Raises:
            Refusal: The holder plays none.
        """
        if holder is None or holder.role != "bot":
            raise Refusal(401, "the token is not valid there (or not any more)")
        return holder.subject
