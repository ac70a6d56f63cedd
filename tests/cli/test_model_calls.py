"""`arena run` with language models, up to the first call: hosts that are allowed, and keys."""

import re

import pytest
from click.testing import CliRunner
from scripted_models import KEY, first_option, scripted, status

from arena.cli import main
from arena.cli.model_calls import spent
from arena.tournament.models.approval import HostKey, approved, remember
from arena.tournament.runs.ledger import Spending


@pytest.fixture
def plan(tmp_path, monkeypatch, first_bot):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("EXAMPLE_API_KEY", raising=False)
    path = tmp_path / "plan.yaml"
    keys = "model: m-1, at: 'https://api.example.com/v1', key_env: EXAMPLE_API_KEY"
    path.write_text(f"game: complots\nseed: 1\nbots:\n  gpt: {{{keys}}}\n  first: {first_bot}\n")
    return path


def test_without_a_terminal_a_host_that_was_not_allowed_is_an_error(plan, refused):
    said = refused("run", plan)
    assert (
        "gpt would call api.example.com with EXAMPLE_API_KEY, which you have not allowed; --allow api.ex"
        in said
    )
    assert refused("run", plan, "--allow", "example.com") == said
    assert approved() == set()


def test_an_allowed_host_needs_its_key(plan, refused):
    assert "EXAMPLE_API_KEY is not set" in refused("run", plan, "--allow", "api.example.com")
    remember([HostKey("api.example.com", "EXAMPLE_API_KEY")])
    assert "EXAMPLE_API_KEY is not set" in refused("run", plan)


def test_all_that_is_missing_is_told_at_once(plan, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OTHER_API_KEY", raising=False)
    other = "model: m-2, at: 'https://llm.example.org/v1', key_env: OTHER_API_KEY"
    plan.write_text(plan.read_text().replace("  first:", f"  two: {{{other}}}\n  first:"))
    done = CliRunner().invoke(main, ["run", str(plan)])
    hosts = [line.rpartition("--allow ")[2] for line in done.output.splitlines() if "--allow" in line]
    assert (done.exit_code, hosts) == (2, ["api.example.com", "llm.example.org"])
    done = CliRunner().invoke(
        main, ["run", str(plan), *(word for host in hosts for word in ("--allow", host))]
    )
    unset = [line for line in done.output.splitlines() if "is not set" in line]
    assert (done.exit_code, len(unset)) == (2, 2)


def test_what_was_spent_is_told_in_money_if_there_is_a_price():
    assert spent(Spending(tokens_in=1200, tokens_out=34)) == "1,234 tokens"
    assert spent(Spending(tokens_in=1200, tokens_out=34, cost=0.5), 2) == "0.5 of 2 spent"
    assert spent(Spending(), 2) == "0 of 2 spent"


@pytest.mark.slow
@pytest.mark.terminal
def test_a_terminal_is_asked_once_for_each_host_and_told_what_is_waited_for(plan, terminal, monkeypatch):
    """Nothing is sent before a yes. A yes is remembered for the user, a no is not."""
    monkeypatch.setenv("EXAMPLE_API_KEY", KEY)
    question = "Allow it, now and later? [y/N]:"
    with scripted(first_option, last=status(429, "slow down", Retry_After="60")) as server:
        host = server.at.removeprefix("http://").removesuffix("/v1")
        plan.write_text(plan.read_text().replace("https://api.example.com/v1", server.at))
        for keys, said in ((["n", "Enter"], "status 2"), (["C-c"], "status 130")):
            seat = terminal("run", "plan.yaml")
            screen = seat.wait(lambda screen: screen.endswith(question))
            assert f"gpt would call {host} with EXAMPLE_API_KEY.\n{question}" in screen
            seat.press(*keys)
            assert seat.wait(lambda screen: "\nstatus " in screen).endswith(said)
        assert approved() == set() and server.requests == []
        seat = terminal("run", "plan.yaml")
        seat.wait(lambda screen: screen.endswith(question))
        seat.press("y", "Enter")
        waiting = re.compile(rf"\n\d games? waits? for {host}, next try in [1-6]\d s: status 429")
        for _ in range(2):
            seat.wait(waiting.search)
            assert approved() == {HostKey(host, "EXAMPLE_API_KEY")}
            seat.press("C-c")
            assert seat.wait(lambda screen: "\nstatus " in screen).endswith("status 130")
            seat = terminal("run", "plan.yaml")  # which does not ask again
