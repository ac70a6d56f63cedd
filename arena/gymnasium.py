"""Gymnasium environments of all games: one seat against given players.

Importing this registers `arena/Complots-v2` and so on. Observations, actions and the extra to install are
those of `arena.pettingzoo`; `docs/learning.md` explains them.
"""

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import gymnasium
from gymnasium import spaces

from arena import LibraryError, State, Table, View, new, table
from arena.games import GAMES
from arena.games.encodings import Encoding
from arena.library.encoding import encoders
from arena.library.game import SeatedPlayer
from arena.pettingzoo import (
    Observation,
    action_number,
    check_render_mode,
    mask_of,
    observation_space,
    observed,
)
from arena.rules import Ask

_SEEDS = 2**31
_STRIKES = 3

Opponent = Callable[[], Any]
"""A function that makes a player for one game, as for `arena.play_many`."""


class OneSeat(gymnasium.Env[Observation, int]):
    """One seat of a game; functions make its `opponents`, clockwise from its left. By default all are random.

    With `seat` None it is a random seat in each game. After an illegal action the first legal one is played,
    and the info has `illegal`. The third illegal action of a game ends it with the reward -1.

    Raises:
        LibraryError: An argument is wrong, or there is no encoding.
        IllegalAnswer: In `reset` and `step`, an opponent's answer is not legal.
        PlayerError: In `reset` and `step`, an opponent raised an exception.
        gymnasium.error.ResetNeeded: in `step`, no game has begun, or it is over.
        gymnasium.error.InvalidAction: in `step`, the action is no whole number.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        table: Table,
        opponents: Sequence[Opponent] = (),
        seat: int | None = 0,
        render_mode: str | None = None,
        encoding: Encoding | None = None,
    ):
        if not isinstance(opponents, Sequence) or not all(map(callable, opponents)):
            raise LibraryError(f"opponents: should be functions that make players, not {opponents!r}")
        if opponents and len(opponents) != table.seats - 1:
            raise LibraryError(f"{table.seats} seats have {table.seats - 1} opponents, not {len(opponents)}")
        check_render_mode(render_mode, self.metadata["render_modes"])
        if seat is not None and (type(seat) is not int or seat not in range(table.seats)):
            raise LibraryError(f"no seat {seat!r}; the seats are 0 to {table.seats - 1}, or None for any")
        self.table, self.render_mode = table, render_mode
        self.state_of_game: State | None = None
        """The game, with methods beyond observations (docs/library.md).

        None before `reset` and after `close`.
        """
        self._opponents, self._fixed = opponents, seat
        self._encoders = encoders(table, encoding)
        self.action_space: Any = spaces.Discrete(len(self._encoders[0].words))
        self.observation_space: Any = observation_space(self._encoders[0])
        self.words, self.columns = self._encoders[0].words, self._encoders[0].columns
        self._players: dict[int, SeatedPlayer] = {}
        self._seat = self._strikes = 0
        self._legal: dict[int, str] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        seats = self.table.seats
        self._seat = int(self.np_random.integers(seats)) if self._fixed is None else self._fixed
        self._strikes, self._legal = 0, {}
        self.state_of_game = new(self.table, seed=str(self.np_random.integers(_SEEDS)))
        makers = list(self._opponents) or [self._make_guesser] * (seats - 1)
        self._players = {}
        for step, make in enumerate(makers, 1):
            seat = (self._seat + step) % seats
            self._players[seat] = player = SeatedPlayer.made(self.table, seat, make)
            player.tell("begin", self.table, seat, int(self.np_random.integers(_SEEDS)))
        self._go_on(None)
        observation, info = self._now()
        # The others may have ended it already.
        return (observation, info) if not self._state.over else self.reset()

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        if not self._legal:
            raise gymnasium.error.ResetNeeded("no game waits for an action: call reset")
        number = action_number(action)
        if number is None:
            raise gymnasium.error.InvalidAction(f"the action {action!r} is no whole number")
        legal, self._legal = self._legal, {}  # if an opponent raises an exception, the game cannot go on
        is_legal = number in legal
        word = legal[number] if is_legal else next(iter(legal.values()))
        self._strikes += not is_legal
        if self._strikes < _STRIKES:
            self._go_on(word)
        ended = self._state.over or self._strikes >= _STRIKES
        observation, info = self._now()
        if ended:
            self._legal = {}
        info = info if is_legal else {**info, "illegal": True}
        return observation, self._reward(), ended, False, info

    def render(self) -> str | None:
        """The `state` lines of the seat; None without a render mode, before `reset` and after `close`."""
        if self.render_mode is None or self.state_of_game is None:
            return None
        match = self.state_of_game.match
        return "\n".join(match.game.view(match.position, self._seat))

    def close(self) -> None:
        self.state_of_game, self._legal = None, {}

    @property
    def _state(self) -> State:
        assert self.state_of_game, "call reset first"
        return self.state_of_game

    def _make_guesser(self) -> Callable[[View], str]:
        dice = self.np_random
        return lambda view: view.options[int(dice.integers(len(view.options)))]

    def _go_on(self, word: str | None) -> None:
        """Play the answer `word` of our seat, if not None; then let the others answer until it is asked.

        If it is not asked again, the game is over.
        """
        state = self._state
        while not state.over and (word is not None or self._seat not in state.to_act):
            step = state.match.step
            assert isinstance(step, Ask), "all chance has a seed"
            answers = {}
            for seat, choice in step.choices.items():
                player = self._players.get(seat)
                answers[seat] = player.ask(state.match, choice) if player else word or choice.default
            state.answer(answers)
            word = None
        for player in self._players.values() if state.result else ():
            player.tell("heard", player.news_since_ask(state.match))
            player.tell("end", state.result[0] if state.result else ())

    def _now(self) -> tuple[Observation, dict[str, Any]]:
        """Note the legal actions of our seat now, and return its observation and info."""
        step, encoder = self._state.match.step, self._encoders[self._seat]
        choice = step.choices.get(self._seat) if isinstance(step, Ask) else None
        self._legal = encoder.legal(choice) if choice else {}
        observation = observed(encoder, self._state.match, choice, mask_of(encoder, self._legal))
        return observation, {"action_mask": observation["action_mask"]}

    def _reward(self) -> float:
        if self._strikes >= _STRIKES:
            return -1.0
        return self._state.rewards[self._seat]


def env(
    game: str = "complots",
    seats: int | None = None,
    opponents: Sequence[Opponent] = (),
    seat: int | None = 0,
    render_mode: str | None = None,
    **options: Any,
) -> OneSeat:
    """The environment of a game; the options are those of `arena.table`."""
    return OneSeat(table(game, seats, **options), opponents, seat, render_mode)


def _register() -> None:
    for game in GAMES.values():
        name = f"arena/{game.name.capitalize()}-v{game.version}"
        gymnasium.register(name, entry_point=f"{__name__}:env", kwargs={"game": game.name})


_register()
