"""Learns Complots with numpy alone, and writes what it has learned as a bot: `python learn.py learned`.

In lessons a policy imitates `counting`, a house bot that remembers what was claimed. Then it practises
against house bots, and an answer becomes more probable the better its game ended than was expected: a policy
gradient with a baseline. All games are those of the PettingZoo environment. docs/learning.md has the results;
bot.py is the bot.
"""

import argparse
import json
import random
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
from network import Adam, forward, new_network

import arena.library
import arena.pettingzoo
from arena.tournament.pools import unpack

SEATS, CAST = 4, "ambassador"  # as in the quickstart
PUPILS = 2  # seats of the policy; house bots have the others
JOBS = 2  # processes that play
ROUND = 400  # games between two changes of the policy
PASSES = 4  # how often the lessons are gone through
RATE = 1e-3  # of learning


def house_bots(*names):
    """House bots are programs, but can be imported, too. Those of a frozen pool never change."""
    sys.path.append(str(unpack("house-2026")))
    return [getattr(import_module(name), name.capitalize()) for name in names]


HOUSES = (TEACHER, *_) = house_bots("counting", "honest", "bluffer")


class House:
    """A house bot on a seat."""

    def __init__(self, kind, seat):
        self.bot = kind(["", "complots", f"seats={SEATS}", f"you=p{seat + 1}", f"cast={CAST}"])

    def answer(self, view):
        for line in view.news:
            verb, *words = line.split(" ")
            if verb == "event" and hasattr(self.bot, "event"):
                self.bot.event(*words)
        self.bot.seats = {name: facts for name, facts in view.state.items() if name != "table"}
        return self.bot.answer(view.kind, view.context, list(view.options))


def new_env():
    return arena.pettingzoo.env("complots", seats=SEATS, cast=CAST)


def scale_of(env):
    """What observations are multiplied with: most numbers are coins, of which ten are many."""
    return 1 / np.minimum(env.observation_space("player_0")["observation"].high, 10)


def play(network, games, seed):
    """Play games; in lessons, without a network, the teacher plays for it.

    Returns arrays: the observations, masks, actions and rewards of all answers; the rewards of games.
    """
    dice, env = np.random.default_rng(seed), new_env()
    scale, answers, ends = scale_of(env), [], []
    random.seed(seed)  # the house bots use it
    env.reset(seed=seed)
    for _ in range(games):
        env.reset()
        pupils = [env.agents[seat] for seat in dice.permutation(SEATS)[:PUPILS]]
        kinds = [TEACHER if agent in pupils else HOUSES[dice.integers(len(HOUSES))] for agent in env.agents]
        houses = {agent: House(kinds[seat], seat) for seat, agent in enumerate(env.agents)}
        asked = []
        while not env.terminations[agent := env.agent_selection]:
            seen = env.observe(agent)
            observation, mask = seen["observation"] * scale, seen["action_mask"].astype(bool)
            if network and agent in pupils:
                _, odds, _ = forward(network, observation[None], mask[None])
                action = int((odds[0].cumsum() > dice.random()).argmax())
            else:
                word = houses[agent].answer(env.state_of_game.view(env.possible_agents.index(agent)))
                action = env.words(agent).index(word)
            if agent in pupils:
                asked.append((observation, mask, action, agent))
            env.step(action)
        answers += [(*each, env.rewards[agent]) for *each, agent in asked]
        ends += [env.rewards[agent] for agent in pupils]
    return [*map(np.array, zip(*answers, strict=True)), np.array(ends)]


def play_all(pool, network, games, dice):
    """Play games in all processes."""
    seeds = [int(seed) for seed in dice.integers(2**31, size=JOBS)]
    parts = pool.map(partial(play, network, -(-games // JOBS)), seeds)
    return map(np.concatenate, zip(*parts, strict=True))


def learn(pool, lessons, practice, dice):
    """Learn in so many games. Returns the network, and the points of the teacher and in each round."""
    *answers, ends = play_all(pool, None, lessons, dice)
    points = [noted("the teacher", ends)]
    network = new_network(dice, answers[0].shape[1], answers[1].shape[1])
    adam = Adam(network)
    for _ in range(PASSES):
        adam.learn(dice, answers, np.ones(len(answers[0])), RATE)
    adam, rounds = Adam(network), -(-practice // ROUND)
    for number in range(rounds):
        *answers, ends = play_all(pool, network, min(ROUND, practice), dice)
        points.append(noted(f"round {number + 1}", ends))
        *_, expected = forward(network, *answers[:2])
        gains = answers[-1] - expected
        adam.learn(dice, answers, (gains - gains.mean()) / gains.std(), RATE * (1 - number / rounds))
    return network, points


def noted(title, rewards):
    """The share of opponents that were beaten, which is printed."""
    points = float(rewards.mean() + 1) / 2
    print(f"{title:12}{points:6.1%} of the points", flush=True)
    return points


def write_bot(folder, network):
    """Write a folder with the bot: its policy, the columns and words of each seat, and what reads them."""
    env, library = new_env(), Path(arena.library.__file__).parent
    policy = {name: np.round(each, 4).tolist() for name, each in network.items() if name != "value"}
    highs = env.observation_space("player_0")["observation"].high.tolist()
    policy["columns"] = [list(zip(env.columns(agent), highs, strict=True)) for agent in env.possible_agents]
    policy["words"] = [env.words(agent) for agent in env.possible_agents]
    policy["scale"] = np.round(scale_of(env), 4).tolist()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "policy.json").write_text(json.dumps(policy))
    games = f"complots: {{seats: {SEATS}, options: {{cast: {CAST}}}}}"
    (folder / "bot.yaml").write_text(f"name: {folder.name}\ngames: {{{games}}}\nrun: [python3, bot.py]\n")
    shutil.copy(Path(__file__).with_name("bot.py"), folder)
    for name in ("numbering", "reader"):
        shutil.copy(library / f"{name}.py", folder / f"arena_{name}.py")


def draw(points):
    """The curve of the rounds, with the points of the teacher as a broken line, as SVG."""
    teacher, *rounds = points
    low, high = int(10 * min(points)), int(10 * max(points)) + 1  # in steps of 10 %

    def y(share):
        return 20 + 200 * (high - 10 * share) / (high - low)

    def text(x, height, anchor, words):
        return f'<text x="{x}" y="{height:.1f}" text-anchor="{anchor}">{words}</text>'

    step = 520 / max(1, len(rounds) - 1)
    curve = " ".join(f"{60 + step * at:.1f},{y(share):.1f}" for at, share in enumerate(rounds))
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 260" font-family="sans-serif">',
            '<rect width="600" height="260" fill="#fff"/>',
            *(text(50, y(tick / 10) + 5, "end", f"{10 * tick} %") for tick in range(low, high + 1)),
            f'<path d="M60 {y(teacher):.1f}H580" stroke="#888" stroke-dasharray="4"/>',
            f'<polyline points="{curve}" fill="none" stroke="#06c" stroke-width="2"/>',
            text(580, y(teacher) + 16, "end", "the teacher, counting"),
            text(320, 250, "middle", f"share of the points, in {len(rounds)} rounds of {ROUND} games"),
            "</svg>\n",
        ]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="of the bot; FOLDER.svg is its curve")
    parser.add_argument("--lessons", type=int, default=2000, help="games (%(default)s)")
    parser.add_argument("--practice", type=int, default=8000, help="games (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="decides everything (%(default)s)")
    given = parser.parse_args()
    with ProcessPoolExecutor(JOBS) as pool:
        dice = np.random.default_rng(given.seed)
        network, points = learn(pool, given.lessons, given.practice, dice)
    write_bot(given.folder, network)
    given.folder.with_suffix(".svg").write_text(draw(points))
    print(f"{given.folder} is a bot: arena run quickstart {given.folder}")


if __name__ == "__main__":
    main()
