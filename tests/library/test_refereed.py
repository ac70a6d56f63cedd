"""Games of the library at a referee: programs beside functions, and faults that are played on."""

import pytest

import arena

TABLE = arena.table("complots", seats=3)


def first(view):
    return view.options[0]


def miser(view):
    """The house bot `miser` as a function."""
    hand, chosen = view.state[view.name]["hand"].split(","), view.options[0]
    if view.kind == "action":
        if chosen.startswith("coup:") or any(word.startswith("coup:") for word in view.options):
            return next(word for word in view.options if word.startswith("coup:"))
        for word in view.options:
            if word == "duchess" in hand or (
                word.startswith("captain:") and "captain" in hand and chosen == "income"
            ):
                chosen = word
    elif view.kind == "block":
        chosen = [chosen, *(word for word in view.options if word.removeprefix("block:") in hand)][-1]
    elif view.kind in ("lose", "show"):
        cheap = [word for word in view.options if word in ("ambassador", "inquisitor", "assassin")]
        chosen = [chosen, *cheap][-1]
    return chosen


def test_faults_are_played_as_a_referee_plays_them():
    def dies(view):
        return view.state["p9"]

    played = arena.play(TABLE, [first, lambda view: "nonsense", dies], seed="s", faults="play")
    assert [(fault.seat, fault.kind) for fault in played.faults] == [
        (1, "illegal"), (2, "crashed"), (1, "illegal"), (1, "illegal"),
    ]  # fmt: skip
    assert played.faults[0].detail.startswith("answered 'nonsense' to action; legal: income ")
    assert played.faults[1].detail == "has raised KeyError: 'p9'"
    assert played.places == (1, 2, 3)


def test_without_a_fault_the_referee_changes_nothing():
    here, refereed = (arena.play(TABLE, [first] * 3, seed=5, faults=how) for how in ("raise", "play"))
    assert (here.digest, here.record.replies) == (refereed.digest, refereed.record.replies)


@pytest.mark.parametrize(
    ("player", "error"),
    [(lambda view: "nonsense", arena.IllegalAnswer), (lambda view: 1 / 0, arena.PlayerError)],
)
def test_beside_programs_too_a_mistake_of_a_function_is_an_exception(player, error):
    with pytest.raises(error, match="p2: "):
        arena.play(TABLE, [arena.program("house:first"), player, first], seed="s")


def test_a_bot_plays_the_same_game_as_a_function_and_as_a_program():
    program, games = arena.program("house:miser"), []
    for players in ([miser] * 3, [program, miser, miser], [program, program, program]):
        games.append(arena.play(TABLE, players, seed="miser").digest)
    assert games[1:] == games[:1] * 2


def test_a_program_that_cannot_play_is_a_config_error():
    with pytest.raises(arena.ConfigError, match="no house bot 'nobody'"):
        arena.play(TABLE, [arena.program("house:nobody"), first, first])
