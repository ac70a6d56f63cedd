"""YAML files written by users, with the place of every key, and the errors that users see."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

import yaml

from arena.config.loader import FLOAT, INT, Loader
from arena.config.regular import open_regular
from arena.config.text import SURROGATE, list_words, yaml_word

if TYPE_CHECKING:  # a tenth of a second, which most commands do not need
    from pydantic import TypeAdapter, ValidationError
    from pydantic_core import ErrorDetails

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
        from pydantic import TypeAdapter, ValidationError

        checker: TypeAdapter[Model] = _ADAPTERS.get(model) or _ADAPTERS.setdefault(model, TypeAdapter(model))
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
                _put(values, each["loc"], self._numbers[path])
                found = True
        return found

    def _first(self, error: "ValidationError", model: type) -> ConfigError:
        def position(each: Any) -> tuple[int, int, bool, int]:
            known = self._known(_located(each))
            line, column = self._places.get(known, _START)
            # If either text or keys may be there, the error about keys says more.
            is_text = each["type"] == "string_type"
            return line, -len(known), is_text, column

        def is_unknown(each: Any) -> bool:
            return _SAID.get(each["type"]) == "unknown key"

        details = min(error.errors(), key=position)
        path = self._known(_located(details))
        if details["type"] == "missing":  # an unknown key beside it may be the missing one, misspelt
            beside = [each for each in error.errors() if self._known(_located(each))[:-1] == path]
            details = min(filter(is_unknown, beside), key=position, default=details)
            path = self._known(_located(details))
        message = explain(details, [each for each in error.errors() if self._known(_located(each)) == path])
        if is_unknown(details):
            message += suggestion(str(path[-1]), [*_annotations_of(_innermost(model, details["loc"][:-1]))])
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


def _put(values: Any, path: Sequence[Any], text: str) -> None:
    """Replace the value at a pydantic location, of which some parts are tags of unions."""
    place = key = None
    for part in path:
        known = range(len(values)) if isinstance(values, list) else values if isinstance(values, dict) else ()
        if part in known:
            place, key, values = values, part, values[part]
    assert place is not None, "the location is that of a value"
    place[key] = text


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
_OTHER_NUMBER = re.compile(r"[-+]?[0-9][0-9_]{0,18}", re.ASCII)
_QUOTED = re.compile("'([^']*)'")
_IN_QUOTES = re.compile("""(['"]).*\\1""")  # the part of the file in a message of PyYAML
# The type or bound that pydantic expected, in the terms of YAML, by the types of pydantic's errors.
_TYPES = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "keys and values",
    "model_type": "keys and values",
    "dataclass_type": "keys and values",
}
_BOUNDS = {
    "greater_than": "more than {gt:.15g}",
    "greater_than_equal": "at least {ge:.15g}",
    "less_than": "less than {lt:.15g}",
    "less_than_equal": "at most {le:.15g}",
    "literal_error": "{expected}",
    "union_tag_invalid": "{expected_tags}",
}
_LENGTHS = {
    "too_short": "should have {min_length} or more values, not {actual_length}",
    "too_long": "should have {max_length} or fewer values, not {actual_length}",
}
_SAID = {
    "missing": "is missing",
    "extra_forbidden": "unknown key",
    "unexpected_keyword_argument": "unknown key",
}


def _located(details: "ErrorDetails") -> tuple[Any, ...]:
    """The place of the error in the values; for a union, the key that distinguishes its members."""
    key = details.get("ctx", {}).get("discriminator")
    return (*details["loc"], key.strip("'")) if key else details["loc"]


def explain(details: "ErrorDetails", same: "Sequence[ErrorDetails]" = ()) -> str:
    """The message about a wrong value, with the right form; `same` are all errors about this value."""
    kind, context, value = details["type"], dict(details.get("ctx", {})), details["input"]
    if kind in _SAID:
        return _SAID[kind]
    if kind in _TYPES:
        kinds = dict.fromkeys(_TYPES[each["type"]] for each in same or [details] if each["type"] in _TYPES)
        return f"should be {list_words(kinds, 'or')}{but_found(value)}"
    if kind in _LENGTHS:
        return _LENGTHS[kind].format(**context)
    if kind not in _BOUNDS:
        message = str(context.get("error", details["msg"]))
        return message[:1].lower() + message[1:]
    if kind == "union_tag_invalid":  # as in a literal_error: 'a', 'b' or 'c'
        value = value[context["discriminator"].strip("'")]
        context["expected_tags"] = " or ".join(context["expected_tags"].rsplit(", ", 1))
    expected = _BOUNDS[kind].format(**context)
    near = nearest(value, _QUOTED.findall(expected)) if isinstance(value, str) else ""
    return f"should be {expected}{but_found(value)}{near}"


def _innermost(model: type, path: Sequence[Any]) -> type:
    tagged: dict[Any, type] = {}
    for part in path:
        if annotation := _annotations_of(model).get(str(part)):
            model = next(_models_in(annotation), model)
            tagged = dict(_tagged_in(annotation))
        model = tagged.get(part, model)
    return model


def _tagged_in(annotation: Any) -> Iterator[tuple[str, type]]:
    """The tags and the models of the unions with tags that a type annotation names."""
    for mark in getattr(annotation, "__metadata__", ()):
        if hasattr(mark, "tag") and _annotations_of(annotation.__origin__):
            yield mark.tag, annotation.__origin__
    for part in get_args(annotation):
        yield from _tagged_in(part)


def _annotations_of(model: type) -> dict[str, Any]:
    if is_dataclass(model):
        return {each.name: each.type for each in fields(model)}
    found: Any = getattr(model, "model_fields", {})
    return {name: each.annotation for name, each in found.items()}


def _models_in(annotation: Any) -> Iterator[type]:
    """The models that a type annotation such as `dict[str, str | BotKeys]` names."""
    if isinstance(annotation, type) and _annotations_of(annotation):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def but_found(value: object) -> str:
    """The end of a message, such as `, not 3`: the value that was found, truncated."""
    name = {type(None): "nothing", dict: "keys and values", list: "a list"}.get(type(value))
    advice = ""
    if isinstance(value, str) and _OTHER_NUMBER.fullmatch(value):  # YAML 1.1 may mean another number
        advice = f"; write {int(value.replace('_', ''))}"
    return f", not {name or (yaml_word(value) if isinstance(value, bool) else repr(value)[:60])}{advice}"


def suggestion(name: str, names: Sequence[str]) -> str:
    """The end of a message: the known name nearest to `name`; if none is near, all `names`."""
    return nearest(name, names) or f"; known are {', '.join(names)}"


def nearest(name: str, names: Sequence[str]) -> str:
    """The end of a message: the known name nearest to `name`; "" if none is near."""
    near = get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]}?" if near else ""
