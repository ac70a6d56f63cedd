"""The games in OpenSpiel: importing this registers `python_arena_complots` and so on.

One adapter serves all games, those of other packages included. A game has the parameters `players`, `returns`
and its options; `docs/learning.md` explains them. The extra `openspiel` installs OpenSpiel.
"""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyspiel

from arena import ConfigError, table
from arena.games import loadable
from arena.library.sequential import TableLayout
from arena.rules import Game as Rules

_OWN = ("players", "returns")  # parameters beside the options of a game


class Game(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """A table as a game of OpenSpiel; each game of the arena has a class of its own, made by `register`."""

    rules: Rules

    def __init__(self, params: Mapping[str, Any]):
        self.layout = _layout(self.rules, params)
        super().__init__(_game_type(self.rules, self.layout), _game_info(self.layout), dict(params))

    def new_initial_state(self) -> "State":
        return State(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> "Observer | None":
        """An observer of a player's view (the default), or with perfect recall of a player's news.

        Returns None if `iig_obs_type` wants something else.

        Raises:
            ValueError: There are `params`, and observations have none.
        """
        if params:
            raise ValueError(f"observations have no parameters, but these are given: {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        is_usual = kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        return Observer(self.layout, kind.perfect_recall) if is_usual else None


class State(pyspiel.State):  # type: ignore[misc]
    """A position of a game. `clone` copies it without playing the game again."""

    def __init__(self, game: Game):
        super().__init__(game)
        self.game = game.layout.first
        """The position: its `match`, `information` and `legal` words. Only `apply_action` may change it."""
        # OpenSpiel makes a new state for each clone, so the beginning is not copied before it is changed.

    def current_player(self) -> int:
        return self.game.player

    def is_terminal(self) -> bool:
        return self.game.match.result is not None

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.game.chances()

    def returns(self) -> list[float]:
        return self.game.layout.returns(self.game.match)

    def resample_from_infostate(self, player: int, draw: Callable[[], float]) -> "State":
        """A random state in which the player to act has heard and sees the same as in this one.

        States have the probabilities of `arena.worlds`. `draw` makes random numbers from 0 to below 1.

        Raises:
            LibraryError: Another player is to act.
            NoWorld: No such state was found.
        """
        words = self.game.resample(player, draw)
        state: State = self.get_game().new_initial_state()
        for word in words:
            state.apply_action(state.game.number(word))
        # These seats act before this one in the same ask; it need not know which are asked.
        while state.current_player() != player:
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
        return state

    def __str__(self) -> str:
        return self.game.text()

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.game.legal()) if player == self.game.player else []

    def _apply_action(self, action: int) -> None:
        if self.game is self.game.layout.first:
            self.game = self.game.copy()
        self.game.act(action)

    def _action_to_string(self, player: int, action: int) -> str:
        legal = self.game.legal() if player == self.game.player else {}
        return legal[action] if action in legal else self.game.layout.word(player, action)


class Observer:
    """Gives the view of a player, its `state` lines and its ask, as text, and as numbers with an encoding.

    If it `remembers`, it gives the player's news, asks and answers instead, and only as text.
    """

    def __init__(self, layout: TableLayout, remembers: bool):
        self._encoders, self._remembers = layout.encoders, remembers
        self.tensor: np.ndarray[Any, Any] | None = None
        self.dict: dict[str, np.ndarray[Any, Any]] = {}
        if self._encoders and not remembers:
            self.tensor = np.zeros(len(self._encoders[0].columns), np.float32)
            self.dict = {"observation": self.tensor}

    def set_from(self, state: State, player: int) -> None:
        if self.tensor is not None:
            game = state.game
            self.tensor[:] = self._encoders[player].observe(game.match, game.choice(player))

    def string_from(self, state: State, player: int) -> str:
        game = state.game
        return game.information[player] if self._remembers else "\n".join(game.seen(player))


def register(rules: Rules) -> None:
    """Register a game with OpenSpiel. Importing this module does it for all games that can be loaded."""
    # OpenSpiel drops the makers of games after Python has ended. A function would be freed then, which
    # crashes. A class is in a reference cycle with itself, so it is not freed.
    pyspiel.register_game(
        _game_type(rules), type(f"{rules.name.capitalize()}Game", (Game,), {"rules": rules})
    )


def _layout(rules: Rules, params: Mapping[str, Any]) -> TableLayout:
    found = {**_parameters(rules), **params}
    if found["returns"] not in ("scores", "places"):
        raise ConfigError(f"returns: {found['returns']!r} should be scores or places")
    given = {name: value for name, value in found.items() if name not in _OWN}
    options = {name: _word_of(rules, name) if value == 0 and _is_mixed(rules, name) else value
               for name, value in given.items()}  # fmt: skip
    made = table(rules.name, found["players"], **options)
    return TableLayout.of(made, found["returns"] == "scores")


def _parameters(rules: Rules) -> dict[str, Any]:
    return {"players": rules.seats[0], "returns": "scores", **rules.defaults()}


def _is_mixed(rules: Rules, name: str) -> bool:
    """Whether an option may be a number or a word, such as `unlimited`.

    A parameter of OpenSpiel has one type, so 0 stands for the word.
    """
    option = rules.options[name]
    return type(option.default) is int and any(isinstance(value, str) for value in option.values)


def _word_of(rules: Rules, name: str) -> object:
    return next(value for value in rules.options[name].values if isinstance(value, str))


def _game_type(rules: Rules, known: TableLayout | None = None) -> Any:
    """The OpenSpiel type of a game; for a table (`known`) it says whether the returns have a constant sum."""
    kinds = pyspiel.GameType
    utility = kinds.Utility.GENERAL_SUM
    if known and known.total is not None:
        utility = kinds.Utility.CONSTANT_SUM if known.total else kinds.Utility.ZERO_SUM
    return kinds(
        short_name=f"python_arena_{rules.name}",
        long_name=f"Arena: {rules.name}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=rules.seats[-1],
        min_num_players=rules.seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=TableLayout.has_encoding(rules.name),
        parameter_specification=_parameters(rules),
    )


def _game_info(known: TableLayout) -> Any:
    extent, (lowest, highest) = known.extent, known.range
    total = {} if known.total is None else {"utility_sum": known.total}
    return pyspiel.GameInfo(
        num_distinct_actions=extent.actions,
        max_chance_outcomes=extent.outcomes,
        num_players=known.table.seats,
        min_utility=lowest,
        max_utility=highest,
        max_game_length=extent.longest,
        **total,
    )


def _register_all() -> None:
    found, problems = loadable()
    for problem in problems:
        warnings.warn(problem, stacklevel=2)
    for rules in found:
        register(rules)


_register_all()
