"""`arena connect` as it is typed: a mistake ends it with one line."""

import pytest
from click.testing import CliRunner

from arena.cli import main

URL = "http://127.0.0.1:1"  # where no server can be


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("nonsense",), "nonsense: should be the address of a server, such as https://arena.example.org"),
        (("ftp://arena.example.org",), "ftp://arena.example.org: should be the address of a server"),
        (("http://[x",), "http://[x: should be the address of a server"),
        (("http://x:99999",), "http://x:99999: should be the address of a server"),
        ((URL, "--token-file", "none"), "none: cannot be read: No such file or directory"),
        ((URL, "--token-file", "empty"), "empty: should have the token of the bot, alone in a line"),
        ((URL, "--token-file", "prose"), "prose: should have the token of the bot, alone in a line"),
        ((URL, "--", "no-such-program"), "no-such-program: no such program"),
        ((URL,), f"{URL}: cannot connect: Connection refused"),
    ],
)
def test_mistakes(tmp_path, monkeypatch, words, problem):
    monkeypatch.chdir(tmp_path)
    for name, text in {"token": "t0ken\n", "empty": "\n", "prose": "not a token\n"}.items():
        (tmp_path / name).write_text(text)
    words = (*words, *(() if "--token-file" in words else ("--token-file", "token")))
    url, *rest = (each for each in words if each != "no-such-program")
    program = "no-such-program" if "no-such-program" in words else "sh"
    options = [each for each in rest if each != "--"]
    done = CliRunner().invoke(main, ["connect", url, *options, "--", program, "--option"])
    assert done.exit_code == 2
    assert done.stderr.strip().startswith(f"arena: {problem}") and done.stderr.count("\n") == 1
