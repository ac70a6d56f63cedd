"""YAML files written by users, with the place of every key, and the errors that users see."""

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import yaml

from arena.config.explain import annotations_of, explain, innermost, is_unknown_key, located, put_text
from arena.config.loader import FLOAT, INT, Loader
from arena.config.text import SURROGATE, suggestion

if TYPE_CHECKING:  # a tenth of a second, which most commands do not need
    from pydantic import TypeAdapter, ValidationError

__all__ = ("ConfigError", "Document", "MachineError", "checked", "open_regular", "read_value")

Model = TypeVar("Model")


class ConfigError(Exception):
    """A mistake of the user, in one line: file, line, column, key, the error, and the right form.

    Each argument is one mistake.
    """

    def __str__(self) -> str:
        return "; ".join(self.args)


class MachineError(Exception):
    """An environment failure that ends a command, in one line; not a user error."""


_ADAPTERS: "dict[type, TypeAdapter[Any]]" = {}
"""The validators of models; each takes some milliseconds to make."""

_MAX_BYTES = 2**20  # of a file; PyYAML takes about half a minute to read as much
_MAX_VALUES = 100_000  # with aliases written out: a few lines could name billions of values


class Document:
    """A YAML file; `data` has its keys and values.

    For messages, `where` turns a path of keys and indices into `file:line:column: key`. With `regular` the
    file must be a regular one: only a file that the user has named may be a pipe. If another file names it,
    it may be any private file: messages quote nothing of it, unless it has the key `known_by`.

    Raises:
        ConfigError: The file cannot be read, is not YAML with keys, lacks `known_by`, or is longer than
            `max_bytes`.
    """

    def __init__(self, path: Path, max_bytes: int = _MAX_BYTES, regular: bool = False, known_by: str = ""):
        self.path = path
        self._places: dict[tuple[Any, ...], LineColumn] = {}
        self._numbers: dict[tuple[Any, ...], str] = {}  # the text of each number, by its place
        self._values = 0
        try:
            root = yaml.compose(self._read(max_bytes, regular), Loader=Loader)
            if known_by and not _has_key(root, known_by):
                raise ConfigError(f"{path}: should have the key {known_by}:")
            self.data = self._value(root, ()) if root else {}
        except FileNotFoundError:
            raise ConfigError(f"{path}: no such file") from None
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8 text"
            raise ConfigError(f"{path}: cannot be read: {reason}") from None
        except yaml.MarkedYAMLError as error:
            place = _place_of(error.problem_mark) if error.problem_mark else _START
            problem = _IN_QUOTES.sub("...", error.problem or "") if known_by else error.problem
            raise ConfigError(f"{path}:{place}: not YAML: {problem}") from None
        except yaml.YAMLError as error:
            raise ConfigError(f"{path}: not YAML: {str(error).splitlines()[0]}") from None
        except RecursionError:
            raise ConfigError(f"{path}: lists and keys are nested too deeply") from None
        if not isinstance(self.data, dict):
            raise ConfigError(f"{path}:{_START}: should be keys and values, one `key: value` a line")

    def _read(self, max_bytes: int, regular: bool) -> str:
        with open_regular(self.path) if regular else self.path.open("rb") as file:
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise ConfigError(f"{self.path}: longer than {max_bytes // 1024} KB")
        return data.decode()

    def where(self, path: Sequence[Any]) -> str:
        known = tuple(path)
        while known and known not in self._places:
            known = known[:-1]
        key = ": ".join(str(part) for part in path)
        return ": ".join(filter(None, [f"{self.path}:{self._places.get(known, _START)}", key]))

    def error(self, path: Sequence[Any], message: str) -> ConfigError:
        return ConfigError(f"{self.where(path)}: {message}")

    @contextmanager
    def at(self, path: Sequence[Any]) -> Iterator[None]:
        """Put the place of a key before the message of a ConfigError that the block raises."""
        try:
            yield
        except ConfigError as error:
            raise self.error(path, str(error)) from None

    def check(self, model: type[Model], data: Mapping[str, Any] | None = None) -> Model:
        """The values as a dataclass or a pydantic model.

        `data` replaces the values of the file: the same ones, grouped below fields that only the model has.
        If the model wants text and the file has a number, its text is used: a bot may be named 1.10.

        Raises:
            ConfigError: A key does not fit; the error names the first.
        """
        from pydantic import ValidationError

        checker = _adapter(model)
        values = self.data if data is None else data
        while True:
            try:
                return checker.validate_python(values)
            except ValidationError as error:
                if not self._numbers_to_text(error, values):
                    raise self._first(error, model) from None

    def _numbers_to_text(self, error: "ValidationError", values: Any) -> bool:
        """Turn the numbers in `values` that should be text into text, and return whether there are any."""
        found = False
        for each in error.errors():
            number = type(each["input"]) in (int, float)
            if (
                each["type"] == "string_type"
                and number
                and (path := self._known(each["loc"])) in self._numbers
            ):
                put_text(values, each["loc"], self._numbers[path])
                found = True
        return found

    def _first(self, error: "ValidationError", model: type) -> ConfigError:
        def position(each: Any) -> tuple[int, int, bool, int]:
            known = self._known(located(each))
            line, column = self._places.get(known, _START)
            # If either text or keys may be there, the error about keys says more.
            is_text = each["type"] == "string_type"
            return line, -len(known), is_text, column

        details = min(error.errors(), key=position)
        path = self._known(located(details))
        if details["type"] == "missing":  # an unknown key beside it may be the missing one, misspelt
            beside = [each for each in error.errors() if self._known(located(each))[:-1] == path]
            details = min(filter(is_unknown_key, beside), key=position, default=details)
            path = self._known(located(details))
        message = explain(details, [each for each in error.errors() if self._known(located(each)) == path])
        if is_unknown_key(details):
            message += suggestion(str(path[-1]), [*annotations_of(innermost(model, details["loc"][:-1]))])
        missing = details["loc"][-1:] if details["type"] == "missing" else ()
        return self.error((*path, *missing), message)

    def _known(self, loc: Sequence[Any]) -> tuple[Any, ...]:
        """The part of a pydantic location that is a path in this file, without the tags that unions add."""
        path: tuple[Any, ...] = ()
        for part in loc:
            if (*path, part) in self._places:
                path = (*path, part)
        return path

    def _value(self, node: yaml.Node, path: tuple[Any, ...]) -> Any:
        place = _place_of(node.start_mark)
        self._count(place)
        self._places.setdefault(path, place)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*path, index)) for index, item in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode), "there are no other nodes"
        return self._scalar(node, path)

    def _count(self, place: "LineColumn") -> None:
        self._values += 1
        if self._values > _MAX_VALUES:
            raise ConfigError(f"{self.path}:{place}: more than {_MAX_VALUES} values, aliases written out")

    def _mapping(self, node: yaml.MappingNode, path: tuple[Any, ...]) -> dict[str, Any]:
        self._count(_place_of(node.start_mark))
        result: dict[str, Any] = {}
        merged = self._merged(node, path)  # first: the node's own keys replace these places
        for key_node, value_node in node.value:
            place = _place_of(key_node.start_mark)
            if key_node.tag == _MERGE:
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigError(f"{self.path}:{place}: a key should be one word")
            key = key_node.value
            if SURROGATE.search(key):
                raise ConfigError(f"{self.path}:{place}: {_HALF}")
            self._places[(*path, key)] = place
            if key in result:
                raise self.error((*path, key), "the key is repeated")
            result[key] = self._value(value_node, (*path, key))
        return merged | result

    def _merged(self, node: yaml.MappingNode, path: tuple[Any, ...]) -> dict[str, Any]:
        """The values that `<<: *base` adds; of several bases the first takes precedence."""
        values: dict[str, Any] = {}
        for given in reversed([value for key, value in node.value if key.tag == _MERGE]):
            for base in reversed(given.value) if isinstance(given, yaml.SequenceNode) else [given]:
                if not isinstance(base, yaml.MappingNode):
                    place = _place_of(given.start_mark)
                    raise ConfigError(f"{self.path}:{place}: <<: should name keys and values, such as *base")
                values |= self._mapping(base, path)
        return values

    def _scalar(self, node: yaml.ScalarNode, path: tuple[Any, ...]) -> Any:
        if SURROGATE.search(node.value):  # it could be stored, but not be read again
            raise self.error(path, _HALF)
        if node.tag in (INT, FLOAT):
            self._numbers[path] = node.value
        try:
            return Loader("").construct_object(node)
        except (yaml.YAMLError, ValueError):
            raise self.error(path, f"cannot read {node.value!r:.60}") from None


def _adapter(model: type[Model]) -> "TypeAdapter[Model]":
    from pydantic import TypeAdapter

    return _ADAPTERS.get(model) or _ADAPTERS.setdefault(model, TypeAdapter(model))


def checked(model: type[Model], values: object) -> Model:
    """Values of JSON as a dataclass or a pydantic model.

    Raises:
        ValueError: There is a mistake; the message says where the first one is.
    """
    from pydantic import ValidationError

    try:
        return _adapter(model).validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ": ".join(ascii(part)[1:-1] if isinstance(part, str) else str(part) for part in first["loc"])
        raise ValueError(f"{where}: {explain(first)}") from None


def read_value(text: str) -> Any:
    """The value of this text in a YAML document.

    Raises:
        ValueError: The text is not YAML.
    """
    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError:
        raise ValueError(f"cannot read {text!r}") from None


def open_regular(path: Path, follow_link: bool = True) -> BufferedReader:
    """Open a regular file to read it: a pipe could wait forever, a device have no end.

    Without `follow_link`, a path that is a symbolic link cannot be opened.

    Raises:
        OSError: The file cannot be opened, or is not regular.
    """
    # Without O_NONBLOCK a pipe would wait for a writer.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
    file = os.open(path, flags if follow_link else flags | os.O_NOFOLLOW)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return open(file, "rb")


class LineColumn(NamedTuple):
    """A line and a column of a file, both from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


_START = LineColumn(1, 1)


def _has_key(root: yaml.Node | None, key: str) -> bool:
    return isinstance(root, yaml.MappingNode) and any(name.value == key for name, _ in root.value)


def _place_of(mark: yaml.Mark) -> LineColumn:
    return LineColumn(mark.line + 1, mark.column + 1)


_MERGE = "tag:yaml.org,2002:merge"
_HALF = "has half of a character (a surrogate, U+D800 to U+DFFF); write the character itself"
_IN_QUOTES = re.compile("""(['"]).*\\1""")  # the part of the file in a message of PyYAML
