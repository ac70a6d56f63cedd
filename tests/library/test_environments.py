"""The environments for learners pass the tests of PettingZoo and Gymnasium; what they show is right."""

import random
import re
from itertools import islice
from pathlib import Path

import pytest

import arena

pettingzoo = pytest.importorskip("pettingzoo")

import gymnasium  # noqa: E402
import numpy as np  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import api_test, render_test, seed_test  # noqa: E402

import arena.gymnasium  # noqa: E402
import arena.pettingzoo  # noqa: E402
from arena.games import GAMES  # noqa: E402
from arena.library.encoding import encoders  # noqa: E402
from arena.library.numbering import Numbering  # noqa: E402
from arena.library.stepping import rewards  # noqa: E402

pytestmark = [
    # Both tests go by lists of names; with a mask in the observation, these warnings cannot be avoided.
    pytest.mark.filterwarnings("ignore:.*(Observation is not a NumPy array|should be Box|not recommended)"),
    pytest.mark.filterwarnings("ignore:.*(render_test|observation space|Action space|action space)"),
]

TABLES = [
    ("complots", {"seats": 2}),
    ("complots", {"seats": 3, "cast": "inquisitor"}),
    ("complots", {"seats": 8}),
    ("local", {"seats": 3}),
    ("intrigue", {"seats": 3, "rounds": 2}),
    ("intrigue", {"seats": 5, "rounds": 2, "press": 3, "private": True}),
]


@pytest.mark.parametrize(("game", "options"), TABLES)
def test_pettingzoo_finds_nothing_wrong(game, options, capsys):
    api_test(arena.pettingzoo.env(game, **options), num_cycles=120)
    seed_test(lambda: arena.pettingzoo.env(game, **options), num_cycles=10)
    capsys.readouterr()


def test_rendering(capsys):
    render_test(lambda render_mode=None: arena.pettingzoo.env(render_mode=render_mode))
    assert "table treasury=" in capsys.readouterr().out


@pytest.mark.parametrize("game", GAMES)
def test_gymnasium_finds_nothing_wrong(game):
    check_env(arena.gymnasium.env(game, seat=None), skip_render_check=True)


def test_importing_registers_the_games_with_the_version_of_their_rules():
    assert pettingzoo.make("aec", "arena/Complots-v2", seats=4).possible_agents[-1] == "player_3"
    assert gymnasium.make("arena/Intrigue-v4").unwrapped.table.seats == 3
    assert {f"arena/{game.name.capitalize()}-v{game.version}" for game in GAMES.values()} <= set(
        gymnasium.registry
    )


def acting(env, games):
    """Each agent that acts in random games, with its observation."""
    dice = random.Random(1)
    for seed in range(games):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            agent = env.agent_selection
            seen = env.observe(agent)
            yield agent, seen
            env.step(dice.choice(np.flatnonzero(seen["action_mask"])))


@pytest.mark.parametrize(("game", "options"), TABLES)
def test_observations_stay_within_their_bounds_and_all_options_have_a_number(game, options):
    """Also in the odd moments: four cards in an exchange, five characters in a draft."""
    env, kinds = arena.pettingzoo.env(game, **options), set()
    for agent, seen in acting(env, 12 if game != "intrigue" else 1):
        assert env.observation_space(agent).contains(seen)
        view = env.state_of_game.view(env.possible_agents.index(agent))
        kinds.add(view.kind)
        legal = {env.words(agent)[number] for number in np.flatnonzero(seen["action_mask"])}
        choice = env.state_of_game.match.step.choices[env.possible_agents.index(agent)]
        assert all(choice.accepts(word) for word in legal if "#" not in word)
        closed = {word for word in view.options if ":" not in word or view.kind != "talk"}
        if view.kind != "bribe":  # the greatest have no number
            assert closed <= legal
        assert legal & closed
    assert len(kinds) >= 4


@pytest.mark.parametrize(("game", "options"), TABLES)
def test_a_bot_computes_from_its_lines_what_the_environment_showed(game, options):
    env = arena.pettingzoo.env(game, **options)
    numberings = [
        Numbering(list(zip(each.columns, each.highs, strict=True)), each.words)
        for each in encoders(env.table)
    ]
    for agent, seen in acting(env, 1):
        seat = env.possible_agents.index(agent)
        view = env.state_of_game.view(seat)
        observation = numberings[seat].observe(view.state_lines, view.kind, view.context)
        assert list(observation) == list(seen["observation"])
        numbers = set(numberings[seat].number(view.options))
        assert numbers <= set(np.flatnonzero(seen["action_mask"]))
        assert "open" in view.context or len(numbers) == seen["action_mask"].sum()


def test_every_player_sees_itself_first():
    """The same position from another seat is the same observation, if the seats are renamed."""
    table = arena.table("complots", seats=3, starter="p1")
    turned = arena.table("complots", seats=3, starter="p2")
    hands = [["duchess", "captain"], ["contessa", "contessa"], ["assassin", "assassin"]]
    seen = []
    for first, each in ((0, table), (1, turned)):
        env = arena.pettingzoo.Arena(each)
        env.reset(seed=1)
        given = {f"p{(first + step) % 3 + 1}": hand for step, hand in enumerate(hands)}
        env._begin(arena.from_setup(each, {"hands": given, "turn": f"p{first + 1}"}, seed="x"))
        seen.append((env.observe(env.agent_selection), env.words(env.agent_selection)))
    assert np.array_equal(seen[0][0]["observation"], seen[1][0]["observation"])
    assert np.array_equal(seen[0][0]["action_mask"], seen[1][0]["action_mask"])
    (_, first), (_, second) = seen
    assert first[2:4] == ["coup:p2", "coup:p3"] and second[2:4] == ["coup:p3", "coup:p1"]


@pytest.mark.parametrize("game", ["complots", "local"])
def test_an_observation_tells_nothing_that_is_hidden(game):
    """It is the same in all worlds that fit what the seat has heard."""
    env, dice = arena.pettingzoo.env(game, seats=3), random.Random(2)
    for number, (agent, seen) in enumerate(acting(env, 2)):
        if number % 9:
            continue
        seat, state = env.possible_agents.index(agent), env.state_of_game
        for world in islice(arena.worlds(env.table, state.information(seat), dice), 3):
            env.state_of_game = world
            assert np.array_equal(env.observe(agent)["observation"], seen["observation"])
        env.state_of_game = state


def test_the_reward_is_the_place():
    assert rewards((1, 2, 2, 4)) == [1.0, 0.0, 0.0, -1.0]
    env = arena.pettingzoo.env("complots", seats=2)
    for _ in acting(env, 1):
        pass
    assert sorted(env.rewards.values()) == [-1.0, 1.0]


def test_an_action_that_is_not_legal():
    env = arena.pettingzoo.env("complots", seats=2)
    env.reset(seed=1)
    wrong = env.words(env.agent_selection).index("challenge")
    with pytest.raises(arena.IllegalAnswer, match=r"p[12]: the action [0-9]+ .challenge. is not legal"):
        env.step(wrong)
    with pytest.raises(arena.IllegalAnswer, match=r"p[12]: the action 1000 .1000. is not legal"):
        env.step(1000)
    alone = arena.gymnasium.env("complots")
    _, info = alone.reset(seed=1)
    for strikes in (1, 2, 3):
        wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
        _, reward, ended, _, info = alone.step(wrong)
        assert info["illegal"] and (ended, reward) == ((True, -1.0) if strikes == 3 else (False, 0.0))


def played_out(env):
    """The environment of one seat, after its game."""
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        _, _, ended, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    return env


def disqualified(env):
    """The environment of one seat, whose game was ended by illegal actions."""
    env.reset(seed=1)
    for _ in range(3):
        env.step(-1)
    return env


def closed(env):
    env.reset(seed=1)
    env.close()
    return env


@pytest.mark.parametrize("brought", [lambda env: env, played_out, disqualified, closed])
def test_one_seat_has_no_step_without_a_game(brought):
    """It is no StopIteration: `list(map(env.step, [0]))` would be [] then."""
    env = brought(arena.gymnasium.env("complots", seats=3))
    with pytest.raises(gymnasium.error.ResetNeeded, match="no game waits for an action: call reset"):
        env.step(0)
    _, info = env.reset(seed=2)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))


def test_a_game_whose_opponent_failed_does_not_go_on():
    def fails():
        return lambda view: next(iter(()))

    env = arena.gymnasium.env("complots", opponents=[fails])
    with pytest.raises(arena.PlayerError, match=r"p2: the player has raised StopIteration"):
        played_out(env)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)

    def unmade():
        return next(iter(()))

    with pytest.raises(arena.PlayerError, match=r"p2: making the player has raised StopIteration"):
        arena.gymnasium.env("complots", opponents=[unmade]).reset()


@pytest.mark.parametrize("action", [None, "x", 1.5, np.array([1]), [1], float("nan")])
def test_actions_that_are_no_numbers(action):
    env = arena.gymnasium.env("complots")
    env.reset(seed=1)
    with pytest.raises(gymnasium.error.InvalidAction, match="is no whole number"):
        env.step(action)
    all_seats = arena.pettingzoo.env("complots")
    all_seats.reset(seed=1)
    with pytest.raises(arena.IllegalAnswer, match="is not legal"):
        all_seats.step(action)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"opponents": [1]}, "opponents: should be functions that make players"),
        ({"opponents": 5}, "opponents: should be functions that make players"),
        ({"opponents": [list, list]}, "2 seats have 1 opponents, not 2"),
        ({"opponents": [lambda: 3]}, "3 is not a player"),
        ({"seat": 2}, "no seat 2; the seats are 0 to 1"),
        ({"seat": 1.0}, r"no seat 1\.0"),
        ({"seat": True}, "no seat True"),
        ({"render_mode": "rgb"}, "render_mode: should be ansi, not 'rgb'"),
    ],
)
def test_arguments_of_one_seat(given, problem):
    with pytest.raises(arena.LibraryError, match=problem):
        arena.gymnasium.env("complots", **given).reset()


CALLS = {
    "last": lambda env: env.last(),
    "step": lambda env: env.step(0),
    "step None": lambda env: env.step(None),
    "observe": lambda env: env.observe("player_0"),
    "agent_iter": lambda env: env.agent_iter(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("brought", [lambda env: env, closed])
def test_all_seats_need_a_game(brought, call):
    env = brought(arena.pettingzoo.env("complots"))
    with pytest.raises(arena.LibraryError, match="no game has begun: call reset"):
        CALLS[call](env)
    env.reset(seed=1)
    assert env.last()[1:4] == (0.0, False, False)


@pytest.mark.parametrize("call", ["last", "step", "step None"])
def test_all_seats_after_the_end(call):
    env = arena.pettingzoo.env("complots")
    for _ in acting(env, 1):
        pass
    for _ in env.agent_iter():
        assert env.last()[2]
        env.step(None)
    with pytest.raises(arena.LibraryError, match="the game is over, and all agents are gone: call reset"):
        CALLS[call](env)


def test_agents_seeds_and_modes_that_do_not_exist():
    env = arena.pettingzoo.env("complots")
    env.reset(seed=1)
    for method in (env.observe, env.words, env.columns, env.observation_space, env.action_space):
        with pytest.raises(arena.LibraryError, match="no agent 'p1'; the agents are player_0, player_1"):
            method("p1")
    for seed in (-1, "x", 1.5):
        with pytest.raises(arena.LibraryError, match="seed: should be a whole number from 0"):
            env.reset(seed=seed)
    with pytest.raises(arena.LibraryError, match="render_mode: should be ansi or human, not 'rgb'"):
        arena.pettingzoo.env("complots", render_mode="rgb")


def test_one_seat_against_given_bots():
    def miser():
        return lambda view: view.options[0]

    env = arena.gymnasium.env("complots", seats=2, opponents=[miser], seat=0)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        ended = False
        while not ended:
            words = [env.words[number] for number in np.flatnonzero(info["action_mask"])]
            best = next((word for word in words if word.startswith("coup")), words[0])
            best = "duchess" if best == "income" else best
            _, reward, ended, _, info = env.step(env.words.index(best))
        assert reward == 1.0


def test_opponents_hear_how_the_game_ends():
    class Miser:
        def answer(self, view):
            return view.options[0]

        def heard(self, news):
            self.news = news

        def end(self, places):
            self.places = places

    miser = Miser()
    env = arena.gymnasium.env("complots", opponents=[lambda: miser])
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        _, _, ended, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert miser.news[-1].startswith("event out ") and miser.places == env.state_of_game.result[0]


def test_the_examples_of_the_page():
    page = Path(__file__).parents[2] / "docs" / "learning.md"
    ours = page.read_text(encoding="utf-8").partition("\n## OpenSpiel\n")[0]
    examples = re.findall(r"```python\n(.*?)```", ours, re.S)
    assert len(examples) == 3
    for example in examples:
        exec(example, {})
