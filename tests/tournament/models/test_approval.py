"""The hosts that the user has allowed to get a key."""

import stat

import pytest

from arena.config.document import ConfigError
from arena.tournament.models.approval import HostKey, approval_file, approved, is_allowed_by, remember

OPENAI, LOCAL = HostKey("api.openai.com", "OPENAI_API_KEY"), HostKey("127.0.0.1:8080", "")


@pytest.fixture(autouse=True)
def config_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def test_pairs_are_remembered_each_by_itself():
    assert approved() == set()
    remember([OPENAI])
    remember([LOCAL])
    assert approved() == {OPENAI, LOCAL}
    assert stat.S_IMODE(approval_file().parent.stat().st_mode) == 0o700


def test_a_damaged_file_is_an_error_not_a_permission():
    remember([OPENAI])
    approval_file().write_text('[["api.openai.com"]]')
    with pytest.raises(ConfigError, match="remove it to be asked again"):
        approved()


@pytest.mark.parametrize(
    ("pair", "hosts", "is_allowed"),
    [
        (OPENAI, ["api.openai.com"], True),
        (LOCAL, ["127.0.0.1"], True),
        (LOCAL, ["127.0.0.1:8080"], True),
        (LOCAL, ["127.0.0.1:9"], False),
        (OPENAI, ["openai.com"], False),
        (OPENAI, [], False),
    ],
)
def test_allow_names_a_host_with_or_without_its_port(pair, hosts, is_allowed):
    assert is_allowed_by(pair, hosts) == is_allowed
