"""Reads YAML with numbers and booleans that are the same in every version of YAML."""

import re

import yaml

INT, FLOAT = "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"


class Loader(yaml.SafeLoader):
    """Reads numbers in the form of JSON, and only `true` and `false` as booleans; the rest is text.

    In YAML 1.1, which PyYAML reads, 010 is 8, 1:30 is 90, 1_000 is 1000, 1e3 is text, and `no` is false.
    If such a text should be a number or a boolean, the message quotes it.
    """


_BOOL = "tag:yaml.org,2002:bool"
_OTHERS = (INT, FLOAT, _BOOL, "tag:yaml.org,2002:timestamp")
Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in known if tag not in _OTHERS]
    for letter, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_WHOLE = r"[-+]?(?:0|[1-9][0-9]*)"
_POINT = r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_NO_FINITE = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
for tag, pattern in (INT, _WHOLE), (FLOAT, f"{_POINT}|{_NO_FINITE}"):
    Loader.add_implicit_resolver(tag, re.compile(f"(?:{pattern})\\Z"), [*"+-.0123456789"])
_BOOLEANS = r"(?:true|True|TRUE|false|False|FALSE)\Z"
Loader.add_implicit_resolver(_BOOL, re.compile(_BOOLEANS), [*"tTfF"])
