"""What the author of a cheating bot would use; `tests/exploits` has the programs."""

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from arena.programs.play.table import ProgramTable
from arena.referee.deals import deal
from arena.referee.record import Record
from arena.tournament import schedule
from arena.tournament.formats.plan import Plan
from arena.tournament.runs.store import Store

EXPLOITS = Path(__file__).parent.parent / "exploits"

# The deals depend on it, and on the versions of the bots: if one changes, chance may want another secret.
SECRET = "a99b2b64ee119d82d102d8ccadb78585ad6629f1b99616e1bf158bbbc59f5961"

BOTH = ("limits", "bubblewrap")


class Shared(ProgramTable):
    """A table as it must not be used: a process plays all games of a seed group."""


class Apart(ProgramTable):
    """A table with a barrier before each game."""

    def play(self, fixture):
        self.end_processes()
        return super().play(fixture)


def write_plan(folder: Path, bots: Mapping[str, object], **keys: object) -> Path:
    """A plan; JSON is YAML too."""
    path = folder / "plan.yaml"
    named = {name: str(bot) for name, bot in bots.items()}
    path.write_text(json.dumps({"game": "complots", "seats": 3, **keys, "bots": named}))
    return path


def program(folder: Path, *names: str, argument: str = "", files: Iterable[Path] = ()) -> Path:
    """A bot in a folder of its own: the first of these programs, which needs the others and the `files`."""
    folder.mkdir(parents=True)
    for path in (*(EXPLOITS / name for name in names), *files):
        shutil.copy(path, folder)
    command = ["python3", names[0], *([argument] if argument else [])]  # no path: it belongs to the version
    (folder / "bot.yaml").write_text(json.dumps({"run": command}))
    return folder


def witnesses(folder: Path, names: str) -> dict[str, Path]:
    """Bots that write down what a process could remember."""
    bots = {name: folder / f"{name}.sh" for name in names}
    for path in bots.values():
        shutil.copy(EXPLOITS / "witness.sh", path)
    return bots


def played_by(table: type[ProgramTable], plan: Plan) -> Iterator[Record]:
    """All games of the plan, one after another as it has them, at one table."""
    with table(plan.bots) as seated:
        for fixture in schedule.fixtures(plan, {}):
            yield seated.play(deal(fixture, plan.seed, 0))


def records_of(path: Path) -> list[Record]:
    with Store(path) as store:
        return [store.record(game.id) for game in store.summaries()]


def said_by(record: Record, seat: int) -> list[str]:
    """The lines that the bot of a seat wrote to stderr; a record from a file has text for the number."""
    said = {int(number): text for number, text in record.trace["stderr"].items()}
    return said.get(seat + 1, "").splitlines()


class Sighting(NamedTuple):
    """What a witness saw of a game: by which process, and which of its games it was."""

    record: Record
    bot: str
    process: str
    number: int
    seat: int
    seed: str
    hand: str

    @property
    def group(self) -> str:
        return self.record.fixture.group


def sightings(records: Iterable[Record]) -> list[Sighting]:
    """What each witness saw of each game; other bots saw nothing."""
    seen = []
    for record in records:
        for seat, bot in enumerate(record.fixture.bots):
            said = [line.split() for line in said_by(record, seat)]
            hands = [" ".join(cards) for verb, *cards in said if verb == "hand"]
            for _, process, number, *words in [line for line in said if line[0] == "witness"]:
                facts = dict(word.split("=", 1) for word in words[1:])
                assert facts["you"] == f"p{seat + 1}"
                seen.append(Sighting(record, bot, process, int(number), seat, facts["seed"], hands[0]))
    return seen


def met_twice(seen: Iterable[Sighting]) -> list[tuple[str, str]]:
    """The processes that have played more than one game with the same deal, each with the seed of that."""
    count = Counter((each.process, each.record.fixture.seed) for each in seen)
    return [both for both, games in count.items() if games > 1]


def is_whole(records: Iterable[Record], size: int) -> bool:
    """Whether each seed group has so many games, in as many rotations."""
    games = [(record.fixture.group, record.fixture.rotation) for record in records]
    groups = Counter(group for group, _ in games)
    return len(set(games)) == len(games) and set(groups.values()) == {size}


def believing(records: Iterable[Record], cheat: str) -> float:
    """The part of its games in which a cheat was sure to know hands of its rivals."""
    beliefs = [
        line.partition("trusted: ")[2]
        for record in records
        if cheat in record.fixture.bots
        for line in said_by(record, record.fixture.bots.index(cheat))
        if line.startswith("memory: ")
    ]
    return sum(belief != "none" for belief in beliefs) / len(beliefs)
