"""The deals that follow from the secret of a run, and the commitment to the secret."""

import secrets
from dataclasses import replace
from hashlib import sha256

import pytest

from arena.games import GAMES
from arena.referee.conditions import Conditions
from arena.referee.deals import commitment, commitment_text, deal, deal_alone, derive, is_guessable, run_name
from arena.referee.fixture import Fixture

GAME = Fixture(
    "complots", 1, GAMES["complots"].defaults(), ("b", "a", "c"), ("",) * 3, "run", "a b c 7", "1f", 2
)


def test_the_formulas_of_the_page():
    """From `printf %s 'deal/complots/0/1f/a b c 7' | openssl dgst -sha256 -hmac 2026` and so on."""
    dealt = deal(GAME, "2026", 0)
    assert dealt.seed == "74d24dcff2823c487cb1b78e352255ff"
    assert dealt.bot_seeds == (829111749, 282114311, 1097127159)
    assert run_name("2026") == "cb7d173cf7afa5bf"


def test_all_games_of_a_seed_group_have_one_deal_and_every_bot_a_seed_of_its_own():
    games = [deal(replace(GAME, rotation=rotation), "2026", 0) for rotation in range(3)]
    assert len({game.seed for game in games}) == 1
    assert len({seed for game in games for seed in game.bot_seeds}) == 9


@pytest.mark.parametrize("made", ["remote", "timed", "untimed"])
def test_each_game_of_a_player_that_remembers_deals_has_a_deal_of_its_own(made):
    """From `printf %s 'deal/complots/0/2/1f/a b c 7' | openssl dgst -sha256 -hmac 2026`."""
    with_one = replace(GAME, fingerprints=("", made, ""))
    games = [deal(replace(with_one, rotation=rotation), "2026", 0) for rotation in range(3)]
    assert len({game.seed for game in games}) == 3
    assert games[2].seed == "73fc437f0828b370726c741507372cde"
    assert games[2].bot_seeds == deal(GAME, "2026", 0).bot_seeds


def test_with_deals_per_game_each_game_has_a_deal_of_its_own():
    """By the label of people and remote bots, and by that alone: the seeds of the bots stay."""
    own = replace(GAME, conditions=Conditions(deals="per-game"))
    games = [deal(replace(own, rotation=rotation), "2026", 0) for rotation in range(3)]
    assert len({game.seed for game in games}) == 3
    assert games[2].seed == "73fc437f0828b370726c741507372cde"
    assert games[2].bot_seeds == deal(GAME, "2026", 0).bot_seeds
    assert deal(own, "2026", 1).seed != games[2].seed


@pytest.mark.parametrize(
    "other",
    [
        deal(GAME, "2027", 0),
        deal(GAME, "2026", 1),
        deal(replace(GAME, group="a b c 8"), "2026", 0),
        deal(replace(GAME, game="local"), "2026", 0),
        deal(replace(GAME, lineup="2f"), "2026", 0),
    ],
    ids=["another secret", "after a void game", "another group", "another game", "another version of a bot"],
)
def test_another_deal(other):
    dealt = deal(GAME, "2026", 0)
    assert other.seed != dealt.seed
    assert not set(other.bot_seeds) & set(dealt.bot_seeds)


def test_the_deal_does_not_change_the_id_of_a_game():
    """So a game that is played again keeps its place in the plan."""
    assert deal(GAME, "2026", 1).id == deal_alone(GAME, "any").id == GAME.id
    assert replace(GAME, run="other").id != GAME.id, "but two runs never share a game"


@pytest.mark.parametrize(
    ("seed", "guessable"),
    [
        ("2026", True),
        ("", True),
        ("a very long sentence that a person has thought of, not a machine", True),
        ("123456789012345678901234567890", True),
        ("deadbeefdeadbeefdeadbeefdeadbeef", True),
        ("00000000000000000000000000002026", True),
        ("0123456789abcdef", True),
        ("f0" * 40, True),
        ("9f86d081884c7d659a2feaa0c55ad015", False),
        ("9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08", False),
        ("9f86d081884c7d659a2feaa0c55ad015 ", True),
        ("9f86d081884c7d659a2feaa0c55ad015\n", True),
    ],
)
def test_seeds_that_can_be_guessed(seed, guessable):
    assert is_guessable(seed) is guessable


def test_what_a_run_draws_cannot_be_guessed():
    assert not any(is_guessable(secrets.token_hex(size)) for size in (16, 32) for _ in range(1000))


def test_a_commitment_is_the_hash_of_a_line_of_text():
    plan = {"game": "complots", "bots": {"b": "2", "a": "1"}}
    text = commitment_text(plan, "secret")
    assert text == '{"plan":{"bots":{"a":"1","b":"2"},"game":"complots"},"secret":"secret"}\n'
    assert commitment(plan, "secret") == sha256(text.encode()).hexdigest()
    changed = [{**plan, "game": "local"}, {**plan, "bots": {"b": "2", "a": "3"}}]
    assert len({commitment(each, "secret") for each in (plan, *changed)} | {commitment(plan, "other")}) == 4


def test_models_get_the_same_deals_in_the_same_place_among_the_same_bots():
    """From `printf %s 'deal/complots/0/model/<hash of "fa fc">/a c 7' | openssl dgst -sha256 -hmac 2026`."""

    def dealt(name, model, number=7, made="fa"):
        bots = ("c", name, "a")
        group = f"{' '.join(sorted(bots))} {number}"
        return deal(
            replace(GAME, bots=bots, fingerprints=("fc", model, made), group=group, lineup=model), "2026", 0
        )

    one, two = dealt("gpt", "model-0123456789"), dealt("b", "model-9876543210")
    versions = sha256(b"fa fc").hexdigest()[:16]
    assert one.seed == derive("2026", f"deal/complots/0/model/{versions}/a c 7").hex()[:32]
    assert (one.seed, one.bot_seeds) == (two.seed, two.bot_seeds)
    others = (
        dealt("gpt", "model-0123456789", 8),
        dealt("gpt", "model-0123456789", made="new"),
        dealt("b", "fb"),
    )
    assert len({each.seed for each in (one, *others)}) == 4
    assert dealt("gpt", "model-1", made="model-2").seed != dealt("b", "model-1", made="model-2").seed


@pytest.mark.parametrize("made, deals", [("fa", "per-game"), ("remote", "per-group"), ("timed", "per-group")])
def test_models_share_no_deals_where_each_game_has_its_own(made, deals):
    """Else a remote bot, or one that has left a trace, would know the cards of its next game."""
    found = []
    for name in ("gpt", "other"):
        bots, group = ("c", name, "a"), f"{' '.join(sorted(('c', name, 'a')))} 7"
        game = replace(GAME, bots=bots, fingerprints=("fc", f"model-{name}", made), group=group, lineup=name)
        found += [
            deal(replace(game, rotation=rotation, conditions=Conditions(deals=deals)), "2026", 0)
            for rotation in range(3)
        ]
    assert len({game.seed for game in found}) == 6
    assert found[2].seed == derive("2026", "deal/complots/0/2/gpt/a c gpt 7").hex()[:32]
