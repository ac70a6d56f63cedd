"""A table: plays games in a worker, one after another, and keeps the processes of bots in between."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from arena import games
from arena.config.text import cause, quote
from arena.programs.bot import Bot
from arena.programs.play.capacity import USUAL, most_memory_is_free
from arena.programs.play.cores import Cores
from arena.programs.play.live import LiveGame
from arena.programs.play.loop import Loop
from arena.programs.play.person import Person
from arena.programs.play.player import GRACE, Player, end_all
from arena.programs.play.remote import RemoteLink
from arena.programs.play.stderr import join_parts
from arena.programs.play.trace import trace
from arena.programs.sandbox.client import SupervisorClient, SupervisorLost
from arena.programs.sandbox.policy import LIMITS_ONLY, Sandbox
from arena.referee.conditions import Conditions
from arena.referee.fixture import Fixture
from arena.referee.handshake import NO_ANSWER, Handshake
from arena.referee.protocol import DEATH
from arena.referee.record import STDERR, Record
from arena.referee.referee import Referee
from arena.referee.rehearsal import Rehearsal
from arena.referee.seat import Message
from arena.rules.chance import Chance

_LOOKS, _LOOK_S = 5, 0.004  # looks at a silent process, which may pause between two
_PlayerKey = tuple[str, int]  # a bot, and the number of its seat among its seats in a game


def start_player(bot: Bot, supervisor: SupervisorClient) -> Player:
    """Start the process of a bot, or the player of a person at this terminal."""
    return (Person if bot.is_person else Player)(bot, supervisor)


class ProgramTable:
    """Plays fixtures one after another, with processes that are kept for later games.

    Processes remember deals. So the caller must call `end_processes` between two games with the same deal.

    Args:
        bots: The bots by name.
        reuse: Whether processes play several games.
        player: Starts the process of a bot.
        most_kept: The limit of kept processes; more than `USUAL` stay only while most memory is free.
        gate: The gate of a server, by which remote bots connect.
        live: Shows the games to spectators.
        cores: Bots compute only while this worker has one of them.
    """

    def __init__(
        self,
        bots: Mapping[str, Bot],
        reuse: bool = True,
        sandbox: Sandbox = LIMITS_ONLY,
        player: Callable[[Bot, SupervisorClient], Player] = start_player,
        most_kept: int = USUAL,
        gate: Path | None = None,
        live: LiveGame | None = None,
        cores: Cores | None = None,
    ):
        self._cores = cores
        self.bots, self.reuse, self._player, self._gate, self._live = bots, reuse, player, gate, live
        self.sandbox = sandbox.for_bots(bots.values())
        self._most_kept = most_kept
        self._kept = min(USUAL, self._most_kept)  # the present limit of kept processes
        self._players: dict[_PlayerKey, Player] = {}
        self._supervisor: SupervisorClient | None = None
        self._generation = ""  # the generation of the processes

    def __enter__(self) -> "ProgramTable":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process with all its descendants."""
        self._end(self._players)
        if self._live:
            self._live.close()

    def begin_generation(self, generation: str) -> None:
        """End all processes if they belong to another generation (`stale.create_folder`)."""
        if generation != self._generation:
            self.end_processes()
            self._generation = generation

    def end_processes(self) -> None:
        """End every process with all its descendants, and wait for their ends.

        Remote bots stay, because each deal occurs only once in their games.
        """
        self._end([key for key in self._players if not self.bots[key[0]].is_remote])

    def _end(self, keys: Iterable[_PlayerKey], grace: float = GRACE) -> None:
        """End these players, and the supervisor, which exits when it has no descendants left."""
        players = [self._players.pop(key) for key in list(keys)]
        if grace:
            with suppress(SupervisorLost):
                end_all(players, grace)
        for player in players:  # and any that a dead supervisor has not ended
            with suppress(SupervisorLost):
                player.end()
        if self._supervisor:
            self._supervisor.close()
            self._supervisor = None

    def kill(self) -> None:
        """End everything at once, from any thread: this process is about to exit."""
        if self._supervisor:
            self._supervisor.abandon()

    def greet(self, limit: float, tried: AbstractSet[str] = frozenset()) -> dict[str, str]:
        """Start every bot once, except broken and `tried` ones, with `limit` seconds to answer hello.

        Returns the reasons of failed starts, by name.
        """
        faults = {}
        names = [name for name, bot in self.bots.items() if not bot.broken and name not in tried]
        at_once = min(USUAL, self._most_kept)
        for first in range(0, len(names), at_once):
            some = names[first : first + at_once]
            players = self._seat(some, limit)
            for name, player in zip(some, players, strict=True):
                if player.fault:
                    said = cause(join_parts(player.take_stderr()))
                    stderr = f"{STDERR}{quote(said, 200)}" if said else ""
                    faults[name] = player.fault + silence(player) + stderr
            self._clear(players, keep=self.reuse)
        return faults

    def play(self, fixture: Fixture) -> Record:
        """Play one game to its end. After SupervisorLost and other errors of the arena, the game is void."""
        try:
            with self._core():
                return self._play(fixture)
        except BaseException:  # the players are in the middle of a game, and cannot play another
            self._end(self._players, grace=0.0)
            raise

    @contextmanager
    def _core(self) -> Iterator[None]:
        """Hold one of the `cores`, if any, for a game; with a model, the loop returns it between asks."""
        if not self._cores:
            yield
            return
        self._cores.take()
        try:
            yield
        finally:
            self._cores.give_back()

    def _play(self, fixture: Fixture) -> Record:
        began = monotonic()
        limit = fixture.conditions.clock.start
        players = self._seat(fixture.bots, limit)
        for player in players:
            player.begin_game()
        referee = self._referee(fixture, players)
        for seat, player in enumerate(players):
            player.sit(referee, fixture, seat)
            if player.fault:
                referee.lose(seat, "unstarted", player.fault, began)
        idle = [player for player in self._players.values() if player not in players]

        def restart(seat: int) -> tuple[Player, list[Message]]:
            player = self._restart(players[seat], limit)
            player.begin_game()
            return player, referee.rejoin(seat, player.asks, player.fault, monotonic())

        if self._live:
            self._live.begin(fixture, referee.match)
        # In a game with a model, bots have a core only while they are asked, so they cannot ponder.
        waits = any(self.bots[name].is_model for name in fixture.bots)
        ponder, cores = fixture.conditions.ponder and not waits, self._cores if waits else None
        Loop(referee, players, restart, ponder, idle, self._live, cores).run()
        if self._live:
            self._live.end()
        if self._supervisor:
            self._supervisor.process_events()  # raises if it died: an unsupervised game is void
        for state, player in zip(referee.seats, players, strict=True):
            player.asks, player.games = state.last_ask, player.games + 1
        match, result, faults = referee.match, referee.match.result, referee.faults
        assert result is not None, "the loop ends when the game is over"
        for index, fault in enumerate(faults):
            if DEATH in fault.detail:  # the cause of its death is known only when it is reaped
                death = players[fault.seat].reap()
                faults[index] = fault._replace(detail=fault.detail.replace(DEATH, death))
        record = Record(
            fixture,
            tuple(match.replies),
            tuple(faults),
            result,
            match.digest(),
            trace(referee, players, monotonic() - began),
        )
        self._clear(players, keep=self.reuse)
        return record

    def rehearse(self, name: str, rehearsal: Rehearsal, conditions: Conditions) -> Player:
        """Send a bot the lines of a recorded game; returns its player. `rehearsal` then has its answers."""
        (player,) = self._seat([name], conditions.clock.start)
        player.begin_game()
        Loop(rehearsal, [player], ponder=conditions.ponder).run()
        return player

    def _referee(self, fixture: Fixture, players: Sequence[Player]) -> Referee:
        game = games.find(fixture.game)
        assert game, "its plan has named it"
        return Referee(
            fixture.match(game),
            Chance(fixture.seed, fixture.draws),
            fixture.conditions.clock,
            fixture.conditions.strikes,
            [(player.asks, player.games) for player in players],
            fixture.bot_seeds,
            fixture.more_words,
        )

    def _seat(self, names: Sequence[str], limit: float) -> list[Player]:
        """The player for each of `names`, the names of the seats.

        Missing players start together, with `limit` seconds to answer hello.
        """
        players = []
        for index, name in enumerate(names):
            key = (name, names[:index].count(name))
            if key not in self._players:
                self._players[key] = self._start(name)
            self._players[key] = self._players.pop(key)  # keeps the least recently seated first
            players.append(self._players[key])
        greet([player for player in players if player.is_alive and not player.asks], limit)
        return players

    def _restart(self, gone: Player, limit: float) -> Player:
        """Start a new process for a player whose process exited between two games."""
        gone.reap()
        (key,) = [key for key, player in self._players.items() if player is gone]
        self._players[key] = player = self._start(key[0])
        greet([player] if player.is_alive else [], limit)
        return player

    def _start(self, name: str) -> Player:
        self._supervisor = self._supervisor or SupervisorClient(self.sandbox, self._generation)
        if len(self._players) >= USUAL:
            self._kept = self._most_kept if most_memory_is_free() else min(USUAL, self._most_kept)
        bot = self.bots[name]
        if bot.is_remote:
            assert self._gate, "only a server plays with remote bots"
            return RemoteLink(bot, self._supervisor, self._gate)
        return self._player(bot, self._supervisor)

    def _clear(self, players: Sequence[Player], keep: bool) -> None:
        """End players that cannot play again or exceed `_kept`, and `players` unless `keep`."""
        broken = [player for player in players if player.fault or not player.is_alive or player.stdout_ended]
        leaving = list(self._players.values())[: -self._kept]
        for player in players:
            if player not in broken + leaving and (not keep or player.has_little_cpu_left):
                leaving.append(player)
        for player in broken:
            player.end()
        end_all([player for player in leaving if player not in broken])
        if broken or leaving:
            gone = {id(player) for player in broken + leaving}
            self._players = {key: player for key, player in self._players.items() if id(player) not in gone}


def silence(player: Player) -> str:
    """An addition to the fault of a process without an answer to hello: its activity; "" if unknown."""
    if not (player.fault.startswith(NO_ANSWER) and player.is_alive) or player.is_paused:
        return ""
    for _ in range(_LOOKS):
        if player.is_computing:
            return "; it was still computing: an endless loop, or a slow start"
        sleep(_LOOK_S)
    if not player.fault.endswith(" s"):  # it has written other lines
        return "; it was waiting"
    return ", nor any other line; it was waiting: flush after every answer"


def greet(players: list[Player], limit: float) -> None:
    """Say hello to new processes, which get `limit` seconds. Players that answered get the `fault` ""."""
    if players:
        handshake = Handshake(len(players), limit)
        Loop(handshake, players).run()
        for player, candidate in zip(players, handshake.candidates, strict=True):
            player.asks, player.said, player.fault = 1, candidate.said, candidate.fault
            player.start_metering()
            if DEATH in candidate.fault:
                player.fault = candidate.fault.replace(DEATH, player.reap())
