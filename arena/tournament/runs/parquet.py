"""The decisions of a run as a Parquet file (docs/notebooks.md)."""

from itertools import islice
from pathlib import Path
from typing import IO, Any, get_args, get_type_hints

from arena.config.document import ConfigError
from arena.programs.machine import install_command
from arena.tournament.runs.decisions import Decision, decisions

_ROWS = 10_000  # of one row group, which is in memory at once


def write_parquet(run: Path, out: IO[bytes]) -> None:
    """Write all decisions of a run.

    Raises:
        ConfigError: The package pyarrow is not installed, or a record is damaged.
    """
    try:
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ModuleNotFoundError as error:
        raise ConfigError(f"parquet needs pyarrow: {install_command('parquet')}") from error
    schema = _schema(pyarrow)
    rows = decisions(run)
    with ParquetWriter(out, schema, compression="zstd") as writer:
        while chunk := list(islice(rows, _ROWS)):
            columns = [
                pyarrow.array(column, field.type)
                for column, field in zip(zip(*chunk, strict=True), schema, strict=True)
            ]
            writer.write_batch(pyarrow.record_batch(columns, schema=schema))


def _schema(pyarrow: Any) -> Any:  # pyarrow has no types
    """The columns of a `Decision` with the types of its fields; all may be null."""
    types = {
        "str": pyarrow.string(),
        "int": pyarrow.int32(),
        "float": pyarrow.float64(),
        "tuple[str, ...]": pyarrow.list_(pyarrow.string()),
    }
    hints = {name: str(hint) if get_args(hint) else hint.__name__ for name, hint in _HINTS.items()}
    return pyarrow.schema([(name, types[hint.removesuffix(" | None")]) for name, hint in hints.items()])


_HINTS = get_type_hints(Decision)
