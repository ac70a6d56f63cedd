"""The games of the arena for TextArena 0.7.4: import this file, then `ta.make("arena/complots")`."""

import secrets
from pathlib import Path

import textarena as ta

import arena

CARDS = Path(arena.__file__).parent / "games"  # the rules of each game on a card


class ArenaEnv(ta.Env):
    """A game of the arena. An action is one of the options, in brackets; the text before it is a thought."""

    def __init__(self, game, **options):
        self.game, self.options = game, options

    def reset(self, num_players, seed=None):
        table = arena.table(self.game, num_players, **self.options)
        self.match = arena.new(table, seed=str(secrets.randbits(64) if seed is None else seed))
        self.state = ta.FFAMultiPlayerState(num_players)  # with a seed it would seed all of Python's `random`
        self.state.reset(game_state={}, player_prompt_function=self.prompt)
        self.answers = {}  # sealed until all that are asked at once have answered
        self.go_on()

    def prompt(self, player_id, game_state):
        rules = (CARDS / self.game / "card.md").read_text()
        return f"You are p{player_id + 1}. Answer with an option in brackets, such as [pass].\n\n{rules}"

    def step(self, action):
        seat = self.state.current_player_id
        word = action.rpartition("[")[2].partition("]")[0].strip()
        try:
            self.answers[seat] = self.match.check(seat, word)
        except arena.IllegalAnswer as mistake:
            is_out = self.state.set_invalid_move(str(mistake))  # the first mistake may be corrected
            if not is_out:
                return self.state.step(rotate_player=False)
        self.go_on()
        return self.state.step(rotate_player=False)

    def go_on(self):
        """Ask the next player. One that is out for its mistakes takes the first options."""
        match = self.match
        while not match.over:
            if len(self.answers) == len(match.to_act):
                match.answer(self.answers)
                self.answers = {}
                continue
            seat = next(seat for seat in match.to_act if seat not in self.answers)
            if self.state.is_player_alive(seat):
                return self.ask(seat)
            self.answers[seat] = match.legal(seat)[0]
        places, _ = match.result
        self.state.set_game_outcome(dict(enumerate(self.rewards(places))), f"places: {places}")

    def ask(self, seat):
        view = self.match.view(seat)
        self.state.manually_set_current_player_id(seat, force=True)
        lines = [*view.news, *view.state_lines, view.information[-1]]
        self.state.add_observation("\n".join(lines), ta.ObservationType.GAME_MESSAGE, to_id=seat)

    @staticmethod
    def rewards(places):
        """From 1 for a place above all others to -1 for one below them."""
        return [sum((each > own) - (each < own) for each in places) / (len(places) - 1) for own in places]


for game in ("complots", "local", "intrigue"):
    ta.register(f"arena/{game}", ArenaEnv, [ta.wrappers.LLMObservationWrapper], game=game)
