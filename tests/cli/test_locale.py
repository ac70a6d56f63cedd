"""Names of files in a locale whose encoding is not UTF-8, and names that are not UTF-8."""

import os
import subprocess
import sys

import pytest

from arena.config.document import ConfigError
from arena.programs.files import files_of, fingerprint
from arena.programs.reading import read_bot

LOCALES = {"C": {"LC_ALL": "C"}, "POSIX": {"LC_ALL": "POSIX"}}
PLAN = "game: complots\nseats: 2\ngroups: 1\nseed: 1\nbots: {zo\u00e9: zo\u00e9.sh, first: house:first}\n"
BOT = 'while read -r word id rest; do [ "$word" = ask ] && echo "$id" "${rest##* }"; done\n'


@pytest.mark.slow
@pytest.mark.parametrize("locale", LOCALES)
def test_a_bot_with_an_accent_plays_in_an_ascii_locale(tmp_path, locale):
    """Python does not use UTF-8 there if it is told not to."""
    (tmp_path / "pl\u00e4n.yaml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "zo\u00e9.sh").write_text(BOT)
    ascii_only = {**os.environ, **LOCALES[locale], "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "arena", "run", "pl\u00e4n.yaml", "--out", "r\u00fcn.db"]
    done = subprocess.run(command, cwd=tmp_path, env=ascii_only, capture_output=True, timeout=100)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    assert "2 games in 1 seed group, 0 faults" in said and "zo\u00e9" in said
    assert (tmp_path / "r\u00fcn.db").is_file()


def test_a_bot_whose_name_is_not_utf_8_is_refused_in_one_line(tmp_path):
    path = tmp_path / os.fsdecode(b"zo\xe9.py")
    path.write_text("")
    with pytest.raises(ConfigError, match="the name of a file or folder of it is not in UTF-8"):
        read_bot(path)


def test_a_file_of_a_bot_may_have_any_bytes_as_its_name(tmp_path):
    made = set()
    for name in b"d\xe9ta", b"d\xe8ta":
        path = tmp_path / os.fsdecode(name)
        path.write_text("")
        made.add(fingerprint(files_of(tmp_path, builds=False), [], tmp_path))
        path.unlink()
    assert len(made) == 2
