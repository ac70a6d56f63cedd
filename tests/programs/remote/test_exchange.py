"""Each line of a remote bot counts exactly once, and the clock gives away at most 250 ms for an answer."""

import random

import pytest

from arena.programs.remote.exchange import Inbox, Outages, Outbox, Replay, RoundTrips


def test_what_was_lost_with_a_connection_is_sent_again():
    outbox, inbox = Outbox(), Inbox()
    for text in ("one", "two", "three"):
        outbox.add(text)
    assert inbox.is_new(1)
    assert list(outbox.after(inbox.last)) == [(2, "two"), (3, "three")]
    assert not inbox.is_new(1), "it had been on its way"
    outbox.confirm(2)
    assert list(outbox.after(0)) == [(3, "three")]
    assert inbox.is_new(3), "what the other end has forgotten is not waited for"


@pytest.mark.parametrize("seed", range(20))
def test_over_a_line_that_loses_and_repeats_all_comes_once_and_in_order(seed):
    chance, outbox, inbox = random.Random(seed), Outbox(), Inbox()
    got, on_the_way, total = [], [], 0
    while len(got) < 50:
        what = chance.choice(("add", "deliver", "deliver", "break")) if total < 50 else "break"
        if what == "add":
            total += 1
            on_the_way.append((outbox.add(str(total)), str(total)))
        elif what == "deliver" and on_the_way:
            number, text = on_the_way.pop(0)
            got += [text] * inbox.is_new(number)
        elif what == "break":  # what is on the way may come, or not; then there is a new path
            arrived = on_the_way[: chance.randint(0, len(on_the_way))]
            got += [text for number, text in arrived if inbox.is_new(number)]
            on_the_way = list(outbox.after(inbox.last))
            if chance.random() < 0.5:
                outbox.confirm(inbox.last)
            if total == 50 and chance.random() < 0.5:
                got += [text for number, text in on_the_way if inbox.is_new(number)]
    assert got == [str(number) for number in range(1, 51)]


def test_a_new_process_cannot_take_back_what_was_played():
    replay = Replay()
    for line, asked in (("1 ok", 1), ("2 ok", 2), ("3 income", 3)):
        assert not replay.is_repeated(line, asked)
    # Ask 4 is pending when the client is killed. The new process hears all four.
    replay.begin([1, 2, 3, 4])
    repeated = [replay.is_repeated(line, 4) for line in ("1 ok", "2 ok", "3 coup:p2", "4 foreign_aid")]
    assert repeated == [True, True, True, False]
    replay.begin([1, 2, 3, 4])
    assert [replay.is_repeated(word, 4) for word in ("ok", "ok", "coup:p2", "income", "noise")] == [
        *[True] * 4,
        False,
    ], "without ids the answers come in the order of the asks"


def test_no_client_gains_more_than_250_ms():
    trips = RoundTrips()
    assert trips.allowance == 0
    for seconds in (0.02, 0.5, 0.03):
        trips.add(seconds)
    assert trips.allowance == 0.02
    for _ in range(20):  # all pongs are delayed now
        trips.add(9.0)
    assert trips.allowance == 0.25


def test_only_the_time_without_a_web_process_is_an_outage():
    outages = Outages()
    outages.note_web(1)  # the first connection
    assert outages.within(0, 100) == 0
    outages.begin(10)
    assert outages.within(0, 12) == 2 and outages.within(11, 12) == 1
    outages.note_web(13)
    assert outages.within(0, 15) == 5 and outages.within(0, 99) == 8, "the client has five seconds to follow"
    outages.end(14)
    assert outages.within(0, 99) == 4
    outages.begin(20)
    outages.note_web(21)
    outages.begin(23)  # once more, before the client was back
    outages.note_web(24)
    assert outages.within(15, 99) == 3 + 6
    outages.begin(100)
    assert outages.within(100, 900) == 60, "the web process does not come back"
