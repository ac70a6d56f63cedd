"""The check of the words that a game has for a person."""

from collections.abc import Iterator

from arena.referee.game_check.random_games import Options, play
from arena.rules import Ask, Game, Tell
from arena.rules.match import Match


def prose(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Whatever happens in a game can be put in words for a person: news, asks, options and states."""
    words, told = game.prose, dict[str, object]()

    def watch(match: Match) -> None:
        for seat in match.step.choices if isinstance(match.step, Ask) else ():
            for line in game.view(match.position, seat):
                for key, equals, value in [word.partition("=") for word in line.split(" ")]:
                    if equals:
                        told[f"cell {key}={value}"] = words.cell(key, value)

    match = play(game, options, seats, seed, forfeits=0.02, watch=watch)
    for step, _ in match.log:
        if isinstance(step, Tell):
            told[f"news {step.text}"] = words.tell(step.text)
        elif isinstance(step, Ask):
            for choice in step.choices.values():
                context = {key: str(value) for key, value in choice.context.items()}
                told[f"ask {choice.kind}"] = words.ask(choice.kind, context)
                told.update({f"option {each}": words.option(choice.kind, each) for each in choice.options})
    for what, said in told.items():
        if not isinstance(said, str) or (not said and what.startswith(("news", "ask"))):
            yield f"no words for {what}: {said!r}"
