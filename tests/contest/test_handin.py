"""What is accepted is on the disk and in the queue; what is refused leaves nothing."""

import shutil
from types import SimpleNamespace

import pytest
from contests import bot_archive, hand_in, new_contest, states, tgz

from arena.contest import entrants, entries, handin

NOON = 2_000_000_000.0
FULL = "the disk of the server is nearly full; the organiser has to make room"


@pytest.fixture
def spring(tmp_path):
    return new_contest(tmp_path / "spring", "ada", "bob")


def archives(found):
    return sorted(str(path.relative_to(found.uploads(""))) for path in found.uploads("").rglob("*"))


def test_an_archive_is_kept_as_it_came(spring):
    data = bot_archive()
    entry = entries.find(spring.database(), hand_in(spring, "ada", data, at=NOON))
    assert (entry.entrant, entry.version, entry.state) == ("ada", 1, "received")
    assert (entry.bytes, entry.received.timestamp()) == (len(data), NOON)
    assert (spring.uploads("ada") / "1").read_bytes() == data


REFUSED = {
    "no length": (b"x", None, 411, "Content-Length"),
    "empty": (b"", 0, 400, "not empty"),
    "too long": (b"x", 2**24 + 1, 413, "at most 16 MB"),
    "longer than it says": (b"xyz", 2, 400, "more bytes arrived"),
    "cut off": (b"xyz", 4, 400, "only 3 of 4 bytes arrived"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_leaves_nothing(spring, name):
    data, length, status, why = REFUSED[name]
    with pytest.raises(handin.HandInRefused, match=why) as raised:
        hand_in(spring, "ada", data, length)
    assert raised.value.status == status
    assert archives(spring) in ([], ["ada"]) and states(spring.database(), "ada") == {"ada": []}


def refuse(found, name="ada", at=NOON):
    with pytest.raises(handin.HandInRefused) as raised:
        hand_in(found, name, bot_archive(), at=at)
    return raised.value.status, str(raised.value)


def test_three_an_hour(spring):
    for minute in range(handin.HOURLY):
        hand_in(spring, "ada", bot_archive(), at=NOON + 60 * minute)
    assert refuse(spring, at=NOON + 600) == (429, "3 entries an hour are allowed; the next one in 51 minutes")
    hand_in(spring, "bob", bot_archive(), at=NOON + 600)
    hand_in(spring, "ada", bot_archive(), at=NOON + 3601)


def test_a_clock_that_is_set_back_bars_nobody(spring):
    for _ in range(3):
        hand_in(spring, "ada", bot_archive(), at=NOON)
    hand_in(spring, "ada", bot_archive(), at=NOON - 86400)


def test_a_newer_version_replaces_the_one_in_the_queue(spring):
    hand_in(spring, "ada", bot_archive("1"))
    hand_in(spring, "ada", bot_archive("2"))
    newest, first = entries.of(spring.database(), "ada")
    assert (newest.state, first.state) == ("received", "replaced")
    assert first.why == "version 2 came before its turn"


def test_the_last_byte_counts_for_the_deadline(spring):
    end = spring.keys.deadline.timestamp()
    hand_in(spring, "ada", bot_archive(), at=end)
    assert refuse(spring, at=end + 1) == (403, "the deadline was 2036-12-01 18:00 Europe/Paris")
    assert refuse(spring, "bob", at=(end - 1, end + 1))[0] == 403, "it began in time"
    assert archives(spring) == ["ada", "ada/1", "bob"]


def test_a_full_disk_refuses_and_keeps_what_there_is(spring, monkeypatch):
    hand_in(spring, "ada", bot_archive())
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2**29))
    assert refuse(spring, "bob") == (
        507,
        "the disk of the server is nearly full; the organiser has to make room",
    )
    assert archives(spring) == ["ada", "ada/1"]


def test_only_who_takes_part_hands_in(spring):
    database = spring.database()
    entrants.exclude(database, "ada", "two accounts")
    assert refuse(spring) == (403, "the organiser has excluded ada: two accounts")
    entrants.readmit(database, "ada")
    entries.withdraw(database, "ada")
    assert refuse(spring)[0] == 403
    entrants.readmit(database, "ada")
    assert hand_in(spring, "ada", bot_archive())
    assert refuse(spring, "eve") == (403, "there is no such entrant")


def test_one_archive_of_an_entrant_comes_at_a_time(spring):
    spring.uploads("ada").mkdir(parents=True)
    (spring.uploads("ada") / "new-0").write_bytes(b"comes slowly")
    assert refuse(spring) == (
        429,
        "an archive of yours is arriving already: wait until it is complete or has failed",
    )
    assert hand_in(spring, "bob", bot_archive())


def test_five_archives_are_kept_and_those_in_use(spring):
    for number in range(handin.KEPT + 2):
        hand_in(spring, "ada", bot_archive(), at=NOON + 1200 * number)
    spring.database().write("UPDATE entry SET state = 'playing' WHERE number = 1")
    handin.clean_up(spring, spring.database())
    assert archives(spring) == ["ada", *(f"ada/{number}" for number in (1, 3, 4, 5, 6, 7))]


def test_what_a_killed_process_has_left_is_removed(spring):
    hand_in(spring, "ada", bot_archive())
    for name in ("new-0123", "2"):  # killed while bytes came; and before the row was committed
        (spring.uploads("ada") / name).write_bytes(tgz({}))
    handin.clean_up(spring, spring.database())
    assert archives(spring) == ["ada", "ada/1", "ada/new-0123"], "its bytes may still come"
    handin.clean_up(spring, spring.database(), is_start=True)
    assert archives(spring) == ["ada", "ada/1"]
    entrants.delete(spring.database(), "ada")
    handin.clean_up(spring, spring.database())
    assert archives(spring) == []
