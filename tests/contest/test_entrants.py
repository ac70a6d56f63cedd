"""Entrants: names, tokens, and what the organiser does with them."""

import pytest
from click.testing import CliRunner
from contests import bot_archive, hand_in, new_contest, states

from arena.cli import main
from arena.config.document import ConfigError
from arena.contest import entrants, entries, handin
from arena.web.tokens import Tokens


@pytest.fixture
def spring(tmp_path):
    return new_contest(tmp_path / "spring", "ada", "bob")


def run(*words):
    result = CliRunner().invoke(main, ["contest", *map(str, words)])
    return result.exit_code, result.output


def holder_of(found, token):
    return Tokens(found.server_database()).holder(token, "bearer")


@pytest.mark.parametrize(
    "name, why",
    [
        ("ada", "the name ada is taken"),
        ("Ada", "the name ada is taken"),
        ("../x", "letters, digits"),
        ("<b>x</b>", "letters, digits"),
        ("x" * 33, "at most 32 characters"),
        ("-rf", "letters, digits"),
    ],
)
def test_a_name_is_that_of_a_folder_and_new(spring, name, why):
    with pytest.raises(ConfigError, match=why):
        entrants.add(spring.database(), [entrants.NewEntrant("cyd"), entrants.NewEntrant(name)])
    assert [each.name for each in entrants.all_entrants(spring.database())] == ["ada", "bob"], "all or none"


def test_a_token_is_printed_once_and_a_new_one_revokes_it(spring):
    status, said = run("entrant", spring.folder, "cyd", "--team", "red")
    first = said.partition("#")[2].split()[0]
    assert status == 0 and holder_of(spring, first) == entrants.holder("cyd")
    assert first not in run("token", spring.folder, "cyd")[1]
    second = run("token", spring.folder, "cyd", "--new")[1].partition("#")[2].split()[0]
    assert holder_of(spring, first) is None
    assert holder_of(spring, second) == entrants.holder("cyd")
    assert run("token", spring.folder, "dan", "--new") == (2, "arena: no entrant dan\n")


def test_a_link_has_the_token_and_opens_a_cookie_more_than_once(spring):
    token = entrants.new_token(spring.server_database(), "ada")
    tokens = Tokens(spring.server_database())
    for _ in range(2):
        holder, cookie = tokens.exchange(token, "entrant")
        assert holder == tokens.holder(cookie, "cookie") == entrants.holder("ada")
    assert tokens.exchange(cookie, "entrant") is None and tokens.exchange(token, "operator") is None


def test_a_list_writes_files_that_curl_reads(spring, tmp_path):
    (tmp_path / "list.csv").write_text('name,team,author\ncyd,red,"Cyd, A."\n\ndan\n')
    status, said = run("entrant", spring.folder, "--list", tmp_path / "list.csv", "--to", tmp_path / "tokens")
    assert status == 0 and "2 tokens" in said
    path = tmp_path / "tokens" / "cyd.token"
    assert path.stat().st_mode & 0o777 == 0o600
    word, kind, token = path.read_text().split()
    assert (word, kind) == ("Authorization:", "Bearer") and holder_of(spring, token).subject == "cyd"
    found = {each.name: each for each in entrants.all_entrants(spring.database())}
    assert (found["cyd"].team, found["cyd"].author, found["dan"].team) == ("red", "Cyd, A.", "")


@pytest.mark.parametrize(
    "line, why",
    [
        ("dan,1,2,remote,4", "has 5 parts; should be NAME,TEAM,AUTHOR,remote"),
        ("dan,1,2,3", "should end with the author or remote, not 3"),
    ],
)
def test_a_wrong_list_adds_nobody(spring, tmp_path, line, why):
    (tmp_path / "list.csv").write_text(f"cyd\n{line}\n")
    status, said = run("entrant", spring.folder, "--list", tmp_path / "list.csv")
    assert status == 2 and f"list.csv:2: {why}" in said
    assert len(entrants.all_entrants(spring.database())) == 2


def test_remote_entrants_are_marked_in_a_list_or_by_the_command_and_hand_in_nothing(spring, tmp_path):
    (tmp_path / "list.csv").write_text("name,team,author,kind\ncyd,,,remote\ndan,red,Dan\n")
    assert run("entrant", spring.folder, "--list", tmp_path / "list.csv")[0] == 0
    assert run("entrant", spring.folder, "eve", "--remote")[0] == 0
    assert [each.name for each in entrants.remote(spring.database())] == ["cyd", "eve"]
    with pytest.raises(handin.HandInRefused, match="eve plays from its own machine, by arena connect"):
        hand_in(spring, "eve", bot_archive())


def test_who_withdraws_takes_no_part_any_more(spring):
    hand_in(spring, "ada", bot_archive())
    entries.withdraw(spring.database(), "ada")
    assert states(spring.database(), "ada") == {"ada": ["withdrawn"]}


def test_of_a_deleted_entrant_a_name_that_tells_nothing_is_left(spring):
    hand_in(spring, "ada", bot_archive())
    database = spring.database()
    entrants.delete(database, "ada")
    assert entrants.aliases(database) == {"ada": "deleted-1"}
    assert database.rows("SELECT * FROM entry") == []
    with pytest.raises(ConfigError, match="the name ada is taken"):  # its games are in the run file
        entrants.add(database, [entrants.NewEntrant("ada")])
