"""Tokens: with one, a browser or a bot acts for a seat, for a bot, or as the operator.

A token has 128 random bits, and only its SHA-256 is stored: a copy of the database opens nothing. There are
three kinds. A *link* is in the fragment of an address, which browsers do not send, and is exchanged by POST
for a *cookie*. So no token is in a path, a log or a Referer. A *bearer* token is sent by programs, in the
header Authorization. A remote bot has one, and an entrant of a contest, whose link has the same token. The
look-up is by the hash: its time reveals nothing about a stored token. The comparison below is in constant
time all the same.
"""

from collections.abc import Callable
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe
from time import time
from typing import Literal, NamedTuple, get_args

from arena.web.database import Database

Kind = Literal["link", "cookie", "bearer"]
Role = Literal["operator", "seat", "bot", "entrant"]
ROLES = get_args(Role)
_BYTES = 16
_DAYS = {"link": 30, "cookie": 30, "bearer": 366}
_DAY_S = 86400


class Holder(NamedTuple):
    """The holder of a token: the operator, a seat (subject TABLE/N), a bot or an entrant (its name)."""

    role: Role
    subject: str = ""


class Tokens:
    """The tokens of a server, in its database. `clock` gives the seconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], float] = time):
        self._database, self._clock = database, clock

    def issue(self, holder: Holder, kind: Kind) -> str:
        """Make and return a new token. The earlier ones of this holder stay valid until `revoke`."""
        token = token_urlsafe(_BYTES)
        now = self._clock()
        with self._database.transaction():
            self._database.write("DELETE FROM token WHERE expires < ?", now)
            values = (_hash(token), kind, *holder, now + _DAYS[kind] * _DAY_S)
            self._database.write("INSERT INTO token VALUES (?, ?, ?, ?, ?)", *values)
        return token

    def holder(self, token: str, kind: Kind) -> Holder | None:
        """The holder of this token; None if it is unknown, revoked, out of date, or of another kind."""
        digest = _hash(token)
        for row in self._database.rows("SELECT * FROM token WHERE hash = ?", digest):
            is_valid = compare_digest(row["hash"], digest) and row["kind"] == kind
            if is_valid and row["expires"] >= self._clock():
                return Holder(row["role"], row["subject"])
        return None

    def exchange(self, token: str, role: Role) -> tuple[Holder, str] | None:
        """The holder of the link with this token, and a new cookie; None: it is no valid link of this role.

        The link of a seat works once, other links many times.
        """
        holder = self.holder(token, "bearer" if role == "entrant" else "link")
        if not holder or holder.role != role:
            return None
        if role == "seat" and not self._database.write("DELETE FROM token WHERE hash = ?", _hash(token)):
            return None  # another process has exchanged it since
        return holder, self.issue(holder, "cookie")

    def holders(self) -> dict[Holder, list[str]]:
        """The kinds of valid tokens that each holder has."""
        sql = "SELECT DISTINCT role, subject, kind FROM token WHERE expires >= ? ORDER BY role, subject, kind"
        found: dict[Holder, list[str]] = {}
        for row in self._database.rows(sql, self._clock()):
            found.setdefault(Holder(row["role"], row["subject"]), []).append(row["kind"])
        return found

    def expires(self, holder: Holder, kind: Kind) -> float | None:
        """The time at which the holder's newest token of this kind is out of date; None: it has none."""
        sql = "SELECT max(expires) AS last FROM token WHERE role = ? AND subject = ? AND kind = ?"
        last: float | None = self._database.rows(sql, *holder, kind)[0]["last"]
        return last

    def revoke(self, holder: Holder, *kinds: Kind) -> int:
        """Delete the tokens of this holder, of these kinds or of all; returns how many there were."""
        marks = ", ".join("?" * len(kinds or _DAYS))
        sql = f"DELETE FROM token WHERE role = ? AND subject = ? AND kind IN ({marks})"
        return self._database.write(sql, *holder, *(kinds or _DAYS))


def _hash(token: str) -> bytes:
    return sha256(token.encode(errors="replace")).digest()
