"""Compiles the C of this folder, and has its structures for ctypes."""

import ctypes
import hashlib
import os
import subprocess
from ctypes import POINTER, c_double, c_float, c_int, c_long, c_uint8, c_uint16, c_uint64
from pathlib import Path

SOURCES = ("complots.c", "legal.c", "memory.c", "duel.c", "field.c", "house.c", "counting.c")
HEADERS = ("complots.h", "duel.h", "field.h", "house.h")
HOUSE = ("counting", "honest", "bluffer", "miser", "first", "random")
HOUSE_BOTS = len(HOUSE)
SEATS, CARDS, MOST = 6, 5, 64
FEATURES, WORDS, SECRETS = 64 + 5 * 21, 37, 25
FLAGS = ("-O2", "-ffp-contract=off", "-shared", "-fPIC")  # the same floats on each machine of a kind


_NUMBERS = (
    *("seats", "inquisitor", "phase", "asked", "actor", "verb", "target", "claimant", "claim", "blocker"),
    *("challenger", "draws", "cause", "shown", "then", "treasury", "living"),
)
_BY_SEAT = ("fallen", "last", "claimed", "denied", "lies", "truths", "heard", "doubts")


class Game(ctypes.Structure):
    """A position, as in complots.h."""

    _fields_ = [
        *((name, c_uint8) for name in _NUMBERS),
        *((name, c_uint8 * SEATS) for name in ("coins", "cards")),
        *((name, c_uint8 * CARDS * SEATS) for name in ("hand", "lost")),
        ("court", c_uint8 * CARDS),
        ("picked", c_uint8 * 2),
        *((name, c_uint8 * SEATS) for name in _BY_SEAT),
        ("turn", c_uint16),
    ]


class Training(ctypes.Structure):
    """The state of a training for two seats, as in duel.h."""

    _fields_ = [
        ("dice", c_uint64),
        ("regret", POINTER(c_float)),
        ("average", POINTER(c_float)),
        ("value", POINTER(c_float)),
        ("visits", POINTER(c_uint16)),
        ("fixed", POINTER(c_float)),
        ("inquisitor", c_int),
        ("explore", c_double),
        ("tremble", c_double),
        ("house", c_double * (HOUSE_BOTS + 1)),
    ]


class Board(ctypes.Structure):
    """A game of many, as in field.h."""

    _fields_ = [("game", Game), ("answers", c_uint8 * WORDS)]


class Field(ctypes.Structure):
    """Games side by side, as in field.h."""

    _fields_ = [("dice", c_uint64), ("count", c_int), ("boards", POINTER(Board)), ("seats", POINTER(c_uint8))]


def load() -> ctypes.CDLL:
    """The compiled library; it is compiled into `build` first, if there is none of these sources yet."""
    here = Path(__file__).parent
    content = b"".join((here / name).read_bytes() for name in (*SOURCES, *HEADERS))
    place = here / "build" / f"{hashlib.sha256(content).hexdigest()[:16]}.so"
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        new = place.with_suffix(f".{os.getpid()}")
        subprocess.run(["cc", *FLAGS, "-o", new, *(here / name for name in SOURCES), "-lm"], check=True)
        new.replace(place)  # at once: another process may compile it, too
    library = ctypes.CDLL(str(place))
    library.train.argtypes = [POINTER(Training), c_long, c_long, c_long]
    library.score.argtypes = [POINTER(Training), c_int, c_long, c_double]
    library.score.restype = c_double
    library.prepare()
    return library
