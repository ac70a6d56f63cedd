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
    assert arena.pettingzoo.rewards((1, 2, 2, 4)) == [1.0, 0.0, 0.0, -1.0]
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
    for example in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        exec(example, {})
