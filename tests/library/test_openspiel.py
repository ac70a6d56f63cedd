"""The games in OpenSpiel pass its tests; its algorithms solve and search them."""

import copy
import pickle
import random
import re
import subprocess
import sys
from pathlib import Path

import playthroughs
import pytest
from other_game import install

import arena
from arena.games import GAMES, INSTALLED

pytestmark = [pytest.mark.slow, pytest.mark.openspiel]

PAGE = Path(__file__).parents[2] / "docs" / "learning.md"


@pytest.fixture
def spiel():
    """OpenSpiel, in which the games are registered."""
    import pyspiel

    import arena.openspiel  # noqa: F401

    return pyspiel


@pytest.fixture
def poker(spiel, tmp_path, monkeypatch):
    """The smallest game, of another package."""
    monkeypatch.syspath_prepend(install(tmp_path)["PYTHONPATH"])
    arena.openspiel.register(arena.table("poker").game)
    yield spiel.load_game("python_arena_poker")
    INSTALLED.pop("poker")


def tables(name):
    """The parameters of a game: some numbers of players, and each value of each option."""
    game = GAMES[name]
    yield from ({"players": seats} for seats in (game.seats[0], game.seats[-1]))
    yield {"returns": "places"}
    for key, option in game.options.items():
        mixed = type(option.default) is int and any(isinstance(value, str) for value in option.values)
        values = [0] if mixed else [each for each in option.values if each not in ("winner", option.default)]
        values += [] if option.minimum is None else [option.minimum]
        yield from ({key: value} for value in values if option.applies(value, game.seats[0]))


@pytest.mark.parametrize("name", GAMES)
def test_its_own_test_finds_nothing_wrong_with_any_option(spiel, name):
    short = {"rounds": 2} if name == "intrigue" else {}
    for params in tables(name):
        game = spiel.load_game(f"python_arena_{name}", {**short, **params})
        spiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_its_own_test_finds_nothing_wrong_with_a_game_of_another_package(spiel, poker):
    spiel.random_sim_test(poker, num_sims=20, serialize=True, verbose=False)
    assert (poker.utility_sum(), poker.max_utility(), poker.max_game_length()) == (0.0, 2.0, 3)


def test_kuhn_poker_is_solved(spiel, poker):
    """The value of the game for the first player is -1/18 (Kuhn, 1950)."""
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    solver = cfr.CFRPlusSolver(poker)
    for _ in range(120):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    assert len(policy.state_lookup) == 12  # information sets
    assert exploitability.nash_conv(poker, policy) < 0.003
    values = expected_game_score.policy_value(poker.new_initial_state(), [policy, policy])
    assert values[0] == pytest.approx(-1 / 18, abs=0.001)


@pytest.mark.parametrize("name", playthroughs.GAMES)
def test_the_stored_playthroughs(name):
    """After rules have changed, `.venv/bin/python tests/helpers/playthroughs.py` writes them anew."""
    stored = (playthroughs.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    again = playthroughs.played(playthroughs.GAMES[name], playthroughs.actions_in(stored))
    assert again == stored


def test_a_clone_shares_nothing_that_changes(spiel):
    game, dice = spiel.load_game("python_arena_complots(players=3)"), random.Random(1)
    state = game.new_initial_state()
    while not state.is_terminal():
        before = str(state)
        for twin in (state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
            assert (str(twin), twin.history()) == (before, state.history())
            twin.apply_action(dice.choice(twin.legal_actions()))
            assert str(twin) != before == str(state)
        state.apply_action(dice.choice(state.legal_actions()))
    assert str(game.new_initial_state()) == ""


def random_states(game, dice):
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        state.apply_action(dice.choice(state.legal_actions()))


@pytest.mark.parametrize("params", ["complots", "local(players=3)", "intrigue(rounds=2,private=True)"])
def test_resampled_states_have_the_same_information(spiel, params):
    dice = random.Random(params)
    for count, state in enumerate(random_states(spiel.load_game(f"python_arena_{params}"), dice)):
        player = state.current_player()
        if player < 0 or count % 5:
            continue
        for _ in range(3):
            other = state.resample_from_infostate(player, dice.random)
            assert other.information_state_string() == state.information_state_string()
            assert other.current_player() == player and other.legal_actions() == state.legal_actions()
            assert other.observation_string() == state.observation_string()
        with pytest.raises(arena.LibraryError, match="is not to act"):
            state.resample_from_infostate(1 - player if player < 2 else 0, dice.random)


def test_resampled_answers_of_the_same_ask_are_drawn_alike(spiel):
    """What a player that acts later in the same ask knows nothing of: the draft of the other one."""
    state, dice = spiel.load_game("python_arena_complots(starter=p1)").new_initial_state(), random.Random(1)
    for _ in range(3):  # two cards are dealt, and the first player drafts
        state.apply_action(state.legal_actions()[0])
    drafts = {state.resample_from_infostate(1, dice.random).history()[2] for _ in range(40)}
    assert len(drafts) == 5


def test_an_ismcts_bot_plays_a_game(spiel):
    import numpy as np
    from open_spiel.python.algorithms import ismcts, mcts

    game, numbers, wins = spiel.load_game("python_arena_complots"), np.random.RandomState(1), 0
    for searcher in (0, 1) * 2:
        evaluator = mcts.RandomRolloutEvaluator(1, numbers)
        bot = ismcts.ISMCTSBot(game, evaluator, uct_c=2.0, max_simulations=50, random_state=numbers)
        # Without this, OpenSpiel draws random numbers from the clock.
        bot.set_resampler(lambda state, player: state.resample_from_infostate(player, numbers.random_sample))
        state = game.new_initial_state()
        while not state.is_terminal():
            searches = state.current_player() == searcher
            state.apply_action(bot.step(state) if searches else numbers.choice(state.legal_actions()))
        wins += state.returns()[searcher] > 0
    assert wins >= 3  # always the same, as all chance has a seed


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({"players": 9}, "complots has 2 to 8 seats, not 9"),
        ({"cast": "duke"}, "option cast: .*ambassador"),
        ({"returns": "coins"}, "returns: 'coins' should be scores or places"),
    ],
)
def test_wrong_parameters(spiel, params, problem):
    with pytest.raises(arena.ConfigError, match=problem):
        spiel.load_game("python_arena_complots", params)


def test_at_the_end_of_a_game_and_out_of_turn(spiel):
    """Each mistake is one clear error, and the position stays."""
    state, dice = spiel.load_game("python_arena_complots(players=3)").new_initial_state(), random.Random(1)
    with pytest.raises(arena.LibraryError, match="player -1 is not to act"):
        state.resample_from_infostate(-1, dice.random)
    while state.is_chance_node():
        state.apply_action(dice.choice(state.legal_actions()))
    assert state.legal_actions((state.current_player() + 1) % 3) == []
    with pytest.raises(arena.LibraryError, match="no action 999; the actions are 0 to 35"):
        state.action_to_string(0, 999)
    while not state.is_terminal():
        state.apply_action(dice.choice(state.legal_actions()))
    text = str(state)
    for call, problem in [
        (lambda: state.apply_action(0), "the action 0 is not legal; legal: none, as the game is over"),
        (state.chance_outcomes, "chance has no outcomes now: the game is over"),
        (lambda: state.resample_from_infostate(0, dice.random), "player 0 is not to act"),
        (lambda: state.resample_from_infostate(-4, dice.random), "player -4 is not to act"),
        (lambda: state.game.number("income"), "'income' has no number"),
    ]:
        with pytest.raises(arena.LibraryError, match=problem):
            call()
    assert (state.legal_actions(), str(state)) == ([], text)


def test_python_ends_without_a_crash():
    """OpenSpiel frees what makes the games after Python has ended."""
    code = "import arena.openspiel, pyspiel; print(pyspiel.load_game('python_arena_local').num_players())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


def test_the_examples_of_the_page():
    section = PAGE.read_text(encoding="utf-8").partition("\n## OpenSpiel\n")[2].partition("\n## ")[0]
    examples = re.findall(r"```python\n(.*?)```", section, re.S)
    assert len(examples) == 3
    for example in examples:
        exec(example, {})
