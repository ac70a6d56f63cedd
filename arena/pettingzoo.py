"""PettingZoo environments of all games: importing this registers `arena/Complots-v2` and so on.

The number is the version of the rules. An agent `player_i` sits on seat i and sees itself first: the columns
of an observation and the words of the actions mean the same for every agent (`Arena.columns`, `Arena.words`).
The extra `pettingzoo` installs PettingZoo; `docs/learning.md` explains the environments.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
import pettingzoo
from gymnasium import spaces

from arena import IllegalAnswer, LibraryError, State, Table, new, table
from arena.games import GAMES
from arena.games.encodings import Encoding
from arena.library.encoding import Encoder, encoders
from arena.rules import Ask, Choice
from arena.rules.match import Match

_SEEDS = 2**63

Observation = dict[str, "np.ndarray[Any, Any]"]


class Arena(pettingzoo.AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A game as an AEC environment.

    Seats that are asked at once act one after the other, and learn nothing of each other's answers before all
    have acted. An illegal action raises IllegalAnswer, and changes nothing. The reward is at the end: from 1
    for the first place to -1 for the last; tied seats get the mean.

    `encoding` is used in place of the game's own.

    Raises:
        LibraryError: There is no encoding, no such agent or render mode, a seed is wrong, no game has begun,
            or all its agents have taken their last step.
    """

    metadata: dict[str, Any] = {  # PettingZoo's keys
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, table: Table, render_mode: str | None = None, encoding: Encoding | None = None):
        super().__init__()
        check_render_mode(render_mode, self.metadata["render_modes"])
        self.table, self.render_mode = table, render_mode
        self.metadata = {**type(self).metadata, "name": f"{table.name}_v{table.game.version}"}
        self.possible_agents = [f"player_{seat}" for seat in range(table.seats)]
        self.agents: list[str] = []
        self.infos: dict[str, dict[str, Any]] = {}
        self._encoders = encoders(table, encoding)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: observation_space(self._encoders[seat]) for agent, seat in self._seats.items()
        }
        self.action_spaces = {agent: spaces.Discrete(len(self.words(agent))) for agent in self._seats}
        self._dice = np.random.default_rng()
        self.state_of_game: State | None = None
        """The game, with methods beyond observations: `information`, `copy`, `view` (docs/library.md).

        None before `reset` and after `close`.
        """
        self._choices: Mapping[int, Choice] = {}  # by seat that is asked
        self._answers: dict[int, str] = {}  # the answers of the seats that have acted in this ask
        self._choice: Choice | None = None  # the choice of the selected agent; its actions follow
        self._legal: dict[int, str] = {}

    def words(self, agent: str) -> list[str]:
        """The word of each action of an agent, by number."""
        return self._encoder(agent).words

    def columns(self, agent: str) -> list[str]:
        """The name of each number in an observation of an agent, such as `p1.coins`."""
        return self._encoder(agent).columns

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[self._known(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            if not isinstance(seed, int | np.integer) or seed < 0:
                raise LibraryError(f"seed: should be a whole number from 0, not {seed!r}")
            self._dice = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._begin(new(self.table, seed=str(self._dice.integers(_SEEDS))))

    def _begin(self, state: State) -> None:
        self.state_of_game, self._answers, self._choices = state, {}, _choices_of(state)
        self._select()

    def observe(self, agent: str) -> Observation:
        seat = self._seats[self._known(agent)]
        encoder, match = self._encoders[seat], self._state.match
        if agent == self.agent_selection and self._choice is not None:
            return observed(encoder, match, self._choice, self.infos[agent]["action_mask"])
        return observed(encoder, match, None, mask_of(encoder, ()))

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        self._check_agents()
        seen: tuple[Observation | None, float, bool, bool, dict[str, Any]] = super().last(observe)
        return seen

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        self._check_begun()
        agents: Iterable[str] = super().agent_iter(max_iter)
        return agents

    def step(self, action: int | None) -> None:
        self._check_agents()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        number = action_number(action)
        if number is None or number not in self._legal:
            named = dict(enumerate(self.words(agent)))
            word = action if number is None else named.get(number, number)
            wrong = f"the action {action} ({word}) is not legal; see the action_mask"
            raise IllegalAnswer(self._seats[agent], word, wrong)
        # All rewards are 0 until the game is over, so there is nothing to clear.
        self._answers[self._seats[agent]] = self._legal[number]
        self.infos[agent] = {}
        state = self._state
        if len(self._answers) == len(self._choices):
            state.answer(self._answers)
            self._answers, self._choices = {}, _choices_of(state)
        if self._choices:
            self._select()
        else:
            self._end(state)
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the table with all cards open, as text; in the mode `human` print it, and return None.

        It returns None as well without a render mode, before the first `reset`, and after `close`.
        """
        if self.state_of_game is None or self.render_mode is None:
            return None
        match = self.state_of_game.match
        text = "\n".join(match.game.view(match.position, None))
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        self.state_of_game = None

    @property
    def _state(self) -> State:
        self._check_begun()
        assert self.state_of_game
        return self.state_of_game

    def _check_begun(self) -> None:
        if self.state_of_game is None:
            raise LibraryError("no game has begun: call reset")

    def _check_agents(self) -> None:
        self._check_begun()
        if not self.agents:
            raise LibraryError("the game is over, and all agents are gone: call reset")

    def _known(self, agent: str) -> str:
        if agent not in self.possible_agents:
            raise LibraryError(f"no agent {agent!r}; the agents are {', '.join(self.possible_agents)}")
        return agent

    def _encoder(self, agent: str) -> Encoder:
        return self._encoders[self._seats[self._known(agent)]]

    def _select(self) -> None:
        """Select the next agent that is asked, and note its legal actions."""
        seat = next(seat for seat in self._choices if seat not in self._answers)
        self.agent_selection = agent = self.possible_agents[seat]
        self._choice, encoder = self._choices[seat], self._encoders[seat]
        self._legal = encoder.legal(self._choice)
        self.infos[agent] = {"action_mask": mask_of(encoder, self._legal)}

    def _end(self, state: State) -> None:
        self._legal, self._choice = {}, None
        self.rewards = dict(zip(self.possible_agents, state.rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.agent_selection = self.agents[0]


def _choices_of(state: State) -> Mapping[int, Choice]:
    """The choices of the seats that are asked, by seat; empty if the game is over."""
    step = state.match.step
    return step.choices if isinstance(step, Ask) else {}


def observation_space(encoder: Encoder) -> spaces.Dict:
    highs = np.array(encoder.highs, np.float32)
    return spaces.Dict(
        {
            "observation": spaces.Box(np.zeros_like(highs), highs, dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (len(encoder.words),), np.int8),
        }
    )


def observed(
    encoder: Encoder, match: Match, choice: Choice | None, mask: "np.ndarray[Any, Any]"
) -> Observation:
    """The view of a seat (`observation`), and the `mask` of its legal actions (`action_mask`).

    `choice` is the ask to the seat; None: it is not asked, so the columns of the ask are 0.
    """
    values = np.frombuffer(encoder.observe(match, choice), np.float32)
    return {"observation": values, "action_mask": mask}


def action_number(action: object) -> int | None:
    """The number of an action, perhaps in an array without dimensions; None: it is no whole number."""
    try:
        return index(action)  # type: ignore[arg-type]
    except TypeError:
        return None


def check_render_mode(mode: str | None, modes: Sequence[str]) -> None:
    if mode is not None and mode not in modes:
        raise LibraryError(f"render_mode: should be {' or '.join(modes)}, not {mode!r}")


def mask_of(encoder: Encoder, legal: Collection[int]) -> "np.ndarray[Any, Any]":
    mask = bytearray(len(encoder.words))
    for number in legal:
        mask[number] = 1
    return np.frombuffer(mask, np.int8)


def env(
    game: str = "complots", seats: int | None = None, render_mode: str | None = None, **options: Any
) -> Arena:
    """The environment of a game; the options are those of `arena.table`."""
    return Arena(table(game, seats, **options), render_mode)


def _register() -> None:
    for game in GAMES.values():
        name = f"arena/{game.name.capitalize()}-v{game.version}"
        pettingzoo.register("aec", name, lambda name=game.name, **given: env(name, **given))


_register()
