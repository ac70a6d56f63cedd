"""The keys of a `bot.yaml`; a module of its own, because workers do without pydantic, which checks them."""

from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator


class GameKeys(BaseModel):
    """What the bot says that it supports of a game."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    seats: int | list[int] | None = None
    options: dict[str, Any] = {}

    @field_validator("seats", mode="before")
    @classmethod
    def check_seats(cls, value: object) -> object:
        if value == []:
            raise ValueError("should be a number of seats, or several")
        return value


class Manifest(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str | None = None
    author: str | None = None
    version: str | None = None
    games: list[str] | dict[str, GameKeys | None] | None = None
    build: list[str] | None = None
    run: list[str]
    files: list[str] | None = None

    @field_validator("run", "build")
    @classmethod
    def check_command(cls, value: list[str] | None) -> list[str] | None:
        if value is not None and value[:1] in ([], [""]):
            raise ValueError("should be a command, as a list of words")
        return value
