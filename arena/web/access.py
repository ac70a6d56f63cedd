"""What a server shows to whom: `Access`, of which a contest has its own (`arena/contest/pages/server.py`)."""

from collections.abc import Container, Mapping

from arena.web.requests import Refusal
from arena.web.tokens import Holder


class Access:
    """The access to a server without a contest: all see all runs, and a remote bot has a token of its own."""

    uploads: Mapping[str, int] = {}
    """The paths that take a PUT, with the most bytes of each."""

    def withheld(self) -> Container[str]:
        """The names of runs that are not shown now."""
        return ()

    def reserved(self) -> Container[str]:
        """The names of runs that only the operator sees now."""
        return ()

    def aliases(self) -> Mapping[str, str]:
        """By name of a bot: the name that is shown in its place."""
        return {}

    def bot_of(self, holder: Holder | None) -> str:
        """The remote bot that the holder of a token plays.

        Raises:
            Refusal: It plays none.
        """
        if holder is None or holder.role != "bot":
            raise Refusal(401, "the token is not valid there (or not any more)")
        return holder.subject
