"""Imported first by `tests/conftest.py`: the tests and the programs that they start keep their bytecode.

Where `PYTHONDONTWRITEBYTECODE` is set, each worker would rewrite the assertions of all tests
again, in ten seconds, and each `python -m arena` would compile the arena.
"""

import os
import sys

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
