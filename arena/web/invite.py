"""The tokens of remote bots, which the operator hands to their authors."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena import __distribution__
from arena.web.database import Database
from arena.web.settings import ServerSettings
from arena.web.tokens import Holder, Tokens
from arena.web.wheel import NAME

_FOLDER = "bots"  # in the folder of the state


def invite(settings: ServerSettings, names: Sequence[str]) -> Iterator[str]:
    """Write a token for each of these remote bots without a valid one; yields lines with instructions."""
    if not names:
        return
    database = Database(settings.folder / "server.db")
    folder = settings.folder / _FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    for name in names:
        _write_token(folder / f"{name}.token", Tokens(database), Holder("bot", name))
    database.close()
    yield f"tokens of remote bots: {folder}/NAME.token, only for their authors; to play, they run:"
    yield f"  pip install '{__distribution__}[web] @ {settings.address.url}/{NAME}'"
    yield f"  arena connect {settings.address.url} --token-file NAME.token -- COMMAND"


def _write_token(path: Path, tokens: Tokens, holder: Holder) -> None:
    """Write a new token to the file unless it has a valid one; earlier tokens are revoked."""
    if path.exists() and tokens.holder(path.read_text().strip(), "bearer") == holder:
        return
    tokens.revoke(holder)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(tokens.issue(holder, "bearer") + "\n")
