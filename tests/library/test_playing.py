"""One game between functions and objects."""

import random

import pytest

import arena

COMPLOTS = arena.table("complots", seats=3, max_turns=20)


def first(view):
    return view.options[0]


def any_option(seed):
    dice = random.Random(seed)
    return lambda view: dice.choice(view.options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: arena.table("complot"), "no game 'complot'; did you mean complots?"),
        (lambda: arena.table("complots", seats=9), "complots has 2 to 8 seats, not 9"),
        (lambda: arena.table("complots", seats="4"), "complots has 2 to 8 seats, not '4'"),
        (
            lambda: arena.table("complots", cats=1),
            "option cats: unknown option of complots; did you mean cast?",
        ),
        (
            lambda: arena.table("complots", cast="duke"),
            "option cast: should be ambassador or inquisitor, not 'duke'",
        ),
        (lambda: arena.table("complots", starter="p3"), "option starter: 'p3' does not fit a table of 2"),
        (
            lambda: arena.table("local", starter="winner"),
            "option starter: winner needs a plan with format: series",
        ),
    ],
)
def test_a_table_is_checked_as_a_plan_is(make, message):
    with pytest.raises(arena.ConfigError, match="^" + message.replace("?", r"\?")):
        make()


def test_a_game_follows_from_its_seed():
    one, two = (arena.play(COMPLOTS, [any_option(seat) for seat in range(3)], seed=7) for _ in range(2))
    assert (one.places, one.digest, one.log) == (two.places, two.digest, two.log)
    assert one.names == ("player", "player-2", "player-3")
    assert one.digest != arena.play(COMPLOTS, [first, first, first], seed=7).digest


class Noting:
    """A player that notes what it is told."""

    def __init__(self):
        self.calls = []

    def begin(self, table, seat, seed):
        self.calls.append(("begin", table.name, table.seats, seat, seed >= 0))

    def heard(self, news):
        self.calls.append(("heard", *news))

    def answer(self, view):
        self.calls.append(("answer", view.kind))
        return view.options[0]

    def end(self, places):
        self.calls.append(("end", places))


def test_a_player_may_be_an_object_that_is_told_of_the_whole_game():
    player = Noting()
    table = arena.table("complots", seats=3, max_turns=2, starter="p1")
    arena.play(table, [player, first, first], seed="told")
    hand = player.calls[1][2]
    assert hand.startswith("secret hand ")
    assert player.calls == [
        ("begin", "complots", 3, 0, True),
        ("heard", "event starter p1", hand, "event turn 1 p1"),
        ("answer", "action"),
        ("heard", "event action p1 income", "event take p1 1", "event turn 2 p2", "event action p2 income",
         "event take p2 1"),
        ("end", (1, 1, 1)),
    ]  # fmt: skip


def test_a_view_has_what_a_bot_reads():
    seen = []

    def look(view):
        seen.append((view.seat, view.name, view.kind, view.options, view.context, view.news, view.line))
        seen.append((view.state, view.information))
        return "duchess" if "duchess" in view.options else "pass"

    table = arena.table("complots", seats=2, max_turns=1, starter="p1")
    setup = {"hands": {"p1": ["captain", "duchess"], "p2": ["contessa", "assassin"]}}
    state = arena.from_setup(table, setup, seed="view")
    while not state.over:
        state.answer({seat: look(state.view(seat)) for seat in state.to_act})
    (_, _, kind, options, context, news, line), (position, information) = seen[2:4]
    assert (kind, options) == ("challenge", ("pass", "challenge"))
    assert context == {"on": "p1", "claim": "duchess", "action": "duchess", "actor": "p1"}
    assert news == ("secret hand assassin contessa", "event turn 1 p1", "event claim p1 duchess")
    assert line == "ask 3 challenge 1000 on=p1 claim=duchess action=duchess actor=p1 : pass challenge"
    assert position["p2"] == {"coins": "2", "cards": "2", "hand": "assassin,contessa"}
    assert position["table"] == {"treasury": "50", "court": "3", "turn": "1", "actor": "p1"}
    assert "hand" not in position["p1"]
    assert information[0].startswith("game complots seats=2 you=p2 cast=ambassador starter=p1 ")
    assert information[1:] == (*news, line.replace("3 ", "", 1).replace("1000 ", ""))


def test_an_old_view_does_not_show_a_newer_state():
    kept = []
    arena.play(COMPLOTS, [lambda view: kept.append(view) or view.options[0]] + [first] * 2, seed=1)
    assert kept[0].news and kept[0].line
    with pytest.raises(
        arena.LibraryError, match="p1: the state of a view can be read until its answer is played"
    ):
        _ = kept[0].state


@pytest.mark.parametrize(
    ("player", "error", "message"),
    [
        (lambda view: "coup:p9", arena.IllegalAnswer, "p2: answered 'coup:p9' to .*; legal: "),
        (lambda view: None, arena.IllegalAnswer, "p2: answered None to .*; an answer is a text, such as '"),
        (
            lambda view: 1 / 0,
            arena.PlayerError,
            "p2: the player has raised ZeroDivisionError: division by zero",
        ),
        ("house", arena.LibraryError, "'house' is not a player"),
        (Noting, arena.LibraryError, "is not a player"),
    ],
)
def test_a_mistake_is_an_exception_with_the_name_of_the_seat(player, error, message):
    with pytest.raises(error, match=message) as caught:
        arena.play(COMPLOTS, [first, player, first], seed=3)
    assert getattr(caught.value, "seat", 1) == 1


def test_a_table_needs_a_player_for_each_seat():
    with pytest.raises(arena.LibraryError, match="a table of 3 seats needs as many players, not 2"):
        arena.play(COMPLOTS, [first, first])


def test_answers_come_from_exactly_the_seats_that_are_asked():
    state = arena.new(arena.table("complots", seats=3), seed=1)
    (asked,) = state.to_act
    other = (asked + 1) % 3
    word = state.view(asked).options[0]
    for answers, message in [
        ({other: word}, rf"p{other + 1}: is not asked now; to act: \({asked},\)"),
        ({}, f"p{asked + 1}: is asked, too: answers to an ask are given together"),
        ({3: word}, "no seat 3; the seats are 0 to 2"),
    ]:
        with pytest.raises(arena.LibraryError, match=message):
            state.answer(answers)
    while not state.over:
        state.answer({seat: state.view(seat).options[0] for seat in state.to_act})
    for answers, message in (
        ({asked: word}, "the game is over"),
        ({}, "no seat is asked now: the game is over"),
    ):
        with pytest.raises(arena.LibraryError, match=message):
            state.answer(answers)


def test_chance_is_no_seat():
    state = arena.new(arena.table("complots", seats=2))
    with pytest.raises(arena.LibraryError, match="no seat is asked now: chance is to pick"):
        state.answer({})


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda table: arena.new(None), "table: should be made by arena.table, not None"),
        (lambda table: arena.play("complots", [first] * 2), "table: should be made by arena.table"),
        (lambda table: arena.play(table, 5), "players: should be a list of players, not 5"),
        (lambda table: arena.play_many(None, [list] * 2, 2), "table: should be made by arena.table"),
        (lambda table: arena.play_many(table, 5, 2), "factories: should be a list or a dictionary"),
        (lambda table: arena.play_many(table, [lambda: first] * 2, 2, jobs=0), "jobs: .* from 1, not 0"),
        (lambda table: arena.play_many(table, [lambda: first] * 2, 2, jobs=1.5), r"jobs: .* not 1\.5"),
        (lambda table: arena.new(table, seed="1").answer(None), "answers: should be a word for each of"),
    ],
)
def test_wrong_arguments(call, problem):
    with pytest.raises(arena.LibraryError, match=problem):
        call(arena.table("complots"))


def test_a_position_that_is_no_mapping():
    with pytest.raises(arena.ConfigError, match="position: should be a mapping, not 5"):
        arena.from_setup(arena.table("complots"), 5)
    with pytest.raises(arena.ConfigError, match="seed: should be text in UTF-8"):
        arena.new(arena.table("complots"), seed="\ud800")
