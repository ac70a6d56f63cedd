"""The score of a bot against a frozen pool: an Elo that anyone can measure again.

The bot meets all line-ups of the pool, as the challenger of a gauntlet. The Elo of the pool's bots is not
estimated again: it is the scale. All deals follow from the pool, the fingerprint of the bot and a seed, and
the bot has the same name in every run, because seats follow from names. So the same files score the same.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from arena.programs.bot import Bot
from arena.programs.game_options import refuse_unsupported
from arena.rating.standings import Performance
from arena.referee.deals import check_seed, hash_of
from arena.tournament import formats
from arena.tournament.formats.compare import score as share_beaten
from arena.tournament.formats.plan import Plan, Played
from arena.tournament.pools import Pool
from arena.tournament.runs.store import Store

CANDIDATE = "candidate"


def score_plan(pool: Pool, bot: Bot, seed: str, quick: bool) -> Plan:
    """The plan of a bot's games against a pool, fewer if `quick`.

    Raises:
        ConfigError: The bot does not support the games.
    """
    options = pool.checked_options
    refuse_unsupported(bot, pool.rules, (pool.seats,), options)
    form = formats.find("gauntlet")
    return Plan(
        name=f"score-{bot.name}",
        game=pool.rules,
        seats=(pool.seats,),
        options=options,
        bots={CANDIDATE: replace(bot, name=CANDIDATE), **pool.programs()},
        format=form,
        config=form.config(challengers=(CANDIDATE,), groups=pool.quick if quick else pool.groups),
        conditions=pool.conditions,
        seed=hash_of(f"{pool.name} {bot.fingerprint} {check_seed(seed)}"),
        seed_is_public=True,
    )


@dataclass(frozen=True)
class Against:
    """The result of the scored bot against one bot of the pool, whose fixed Elo is `elo`.

    `score` is its share of the points, from 0 to 1, in their `meetings`: the games that both played.
    """

    bot: str
    elo: float
    score: float
    meetings: int


@dataclass(frozen=True)
class Score:
    """The result of a bot against a pool; `name` is its own name, in place of `CANDIDATE`.

    `faults` counts the faults of each bot that had any, by its name in the run.
    """

    pool: Pool
    name: str
    fingerprint: str
    seed: str
    games: int
    performance: Performance
    against: tuple[Against, ...]
    faults: Mapping[str, int]

    @property
    def terms(self) -> str:
        """The conditions of the score as text: the pool, number of games, seed and the bot's files."""
        return f"{self.pool.name}, {self.games} games, seed {self.seed}, bot {self.fingerprint}"

    @property
    def broken(self) -> list[str]:
        """The bots of the pool that had faults: with these, another machine may measure another Elo."""
        return sorted(self.faults.keys() - {CANDIDATE})


def score_of(pool: Pool, bot: Bot, seed: str, store: Store) -> Score:
    """The score from the games in the store, which must have at least one."""
    games = store.played()
    found, against = performance(pool, games), tuple(_against(pool, games))
    assert found, "no games"
    return Score(pool, bot.name, bot.fingerprint, seed, len(games), found, against, _faults(store))


def performance(pool: Pool, played: Played) -> Performance | None:
    """The performance in the games so far, or None without any."""
    return Performance.of(_meetings(pool, played))


def _meetings(pool: Pool, played: Played) -> Iterator[tuple[str, float, float]]:
    """The seed group, the opponent's Elo and the candidate's points for each opponent in each game."""
    for group, bot, points in _pairs(played):
        yield group, pool.bots[bot].elo, points


def _pairs(played: Played) -> Iterator[tuple[str, str, float]]:
    """The seed group, name and candidate's points (1, ½ or 0) for each opponent in each game."""
    for game in played.values():
        own = game.places[game.bots.index(CANDIDATE)]
        for bot, place in zip(game.bots, game.places, strict=True):
            if bot != CANDIDATE:
                yield game.seed_group, bot, share_beaten(own, (own, place))


def _against(pool: Pool, played: Played) -> Iterator[Against]:
    """The results against the opponents in the pool, the strongest first."""
    points = defaultdict[str, list[float]](list)
    for _, bot, won in _pairs(played):
        points[bot].append(won)
    for bot in sorted(points, key=lambda name: -pool.bots[name].elo):
        yield Against(bot, pool.bots[bot].elo, sum(points[bot]) / len(points[bot]), len(points[bot]))


def _faults(store: Store) -> dict[str, int]:
    """The number of faults of each bot that had any, by name."""
    counts = Counter[str]()
    for game in store.games() if store.faults() else ():
        if game.faults:
            counts.update(game.bots[fault.seat] for fault in store.record(game.id).faults)
    return dict(counts)
