"""Language models: their own answers, their costs, and the standings without failures."""

from collections.abc import Hashable, Iterator
from dataclasses import asdict, replace
from typing import Any

from arena.config.text import money
from arena.rating.outcomes import paired_differences
from arena.rating.standings import FEW
from arena.show.tables.notes import few_own_lines
from arena.show.tables.report import Report, rate_now
from arena.show.tables.standings import BOT, OWN, standings
from arena.show.tables.table import Column, Table, counted, words
from arena.tournament.runs.ledger import Spending
from arena.tournament.runs.model_answers import FAILURES, Answers, spending
from arena.tournament.runs.sources import load

_NONE = "no games with language models"
_CONDITIONAL = "conditional: failed games left out"
_WHY_CONDITIONAL = (
    "which games are left out depends on how they went, so this compares models by their best games only: "
    "the standings count all"
)
_FEW_DEALS = f"fewer than {FEW} deals: rough intervals; ±0.0 says that the deals so far ended alike, no more"
_MILLE = "{:,}".format


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.1f}"


def _difference(difference: float, error: float | None) -> str:
    return f"{100 * difference:+.1f}" + ("" if error is None else f"±{100 * error:.1f}")


_MEANINGS = {
    "unread": "answers without a legal word in four replies: prose, nothing, a refusal, cut off",
    "illegal": "answers that were no option in four replies",
    "late": "answers that took the server longer than the clock of models allows",
}
# fmt: off
MODELS = (
    BOT,
    Column("games", "games", words, "games played"),
    Column("asks", "asks", _MILLE, "asks that it had to answer"),
    replace(OWN, meaning="share of the answers that were its own; for the others a default of the "
        "rules was played"),
    *(Column(kind, kind, words, _MEANINGS[kind]) for kind in FAILURES),
    Column("calls", "calls", _MILLE, "calls that were answered: after an unreadable or illegal reply "
        "there is another"),
    Column("in", "tokens_in", _MILLE, "tokens of the prompts"),
    Column("cached", "cached", _MILLE, "those of them that the server had read before"),
    Column("out", "tokens_out", _MILLE, "tokens of the replies, with thoughts"),
    Column("thought", "reasoning", _MILLE, "those of them that the server counts as thoughts"),
    Column("s/call", "seconds", _seconds, "mean seconds from a request to the end of its reply"),
    Column("cost", "cost", money, "by the prices of the plan, in their currency; calls that were cut off "
        "count with the most that they may have cost"),
    Column("/game", "each", money, "the cost of a game"),
    Column("lost", "lost", words, "calls that were cut off, by a kill or the server, and may have been paid"),
)
# fmt: on


def models_table(report: Report) -> Table:
    """A row for each language model."""
    costs = spending(report.runs)
    # Models may have made calls before any of their games ends.
    called = [bot for bot, spent in costs.items() if spent.calls or spent.lost]
    answers = dict.fromkeys(called, Answers()) | dict(report.answers.by_bot)
    rows = [_row(bot, found, costs.get(bot, Spending(bot))) for bot, found in sorted(answers.items())]
    total = f"all calls cost {money(sum(row['cost'] for row in rows))}"
    notes = [*([total] if any(row["cost"] for row in rows) else []), *few_own_lines(report)]
    used = [column for column in MODELS if any(column.cell(row) not in ("", "0") for row in rows)]
    return Table(
        "models",
        used or MODELS[:1],
        rows,
        "Language models",
        notes=notes,
        exact=Table("models", MODELS, rows),
        empty=_NONE,
        drops=("seconds", "reasoning", "cached", "lost", "each", "calls"),
        legend=bool(rows),
    )


def _row(bot: str, answers: Answers, cost: Spending) -> dict[str, Any]:
    seconds = cost.seconds / cost.calls if cost.calls else None
    return {
        **asdict(cost),
        "bot": bot,
        "games": answers.games,
        "asks": answers.asks,
        "own": answers.own,
        **answers.failed,
        "seconds": seconds,
        "each": cost.cost / answers.games if answers.games else None,
    }


# fmt: off
PAIRED = (
    Column("model", "one", words, "a language model", is_bot=True),
    Column("other", "two", words, "another one, which has played the same deals in its place", is_left=True),
    Column("deals", "deals", words, "deals that both have played, against the same bots"),
    Column("diff", "difference error", _difference, "how much more of the opponents the first has beaten, "
        "in percentage points, ± half the confidence interval (none for one deal). It is taken deal by deal, "
        "so that the luck of the cards is left out"),
)
# fmt: on


def paired_table(report: Report) -> Table:
    """The differences of all pairs of models, deal by deal."""
    rows = paired_differences(_scores(report), report.settings.confidence)
    empty = "no two language models have played the same deals (docs/models.md says when)"
    notes = [_FEW_DEALS] if any(row.deals < FEW for row in rows) else []
    caption = "Models at the same deals"
    return Table("paired", PAIRED, rows, caption, notes=notes, empty=empty, legend=bool(rows))


def _scores(report: Report) -> Iterator[tuple[str, Hashable, float]]:
    """Each game with a single model: the model, the deal, and the share of the others that it has beaten.

    The deal includes the other bots, because only games against the same bots are comparable. Games with
    deals of their own are left out.
    """
    for outcome in report.source.outcomes:
        models = [seat for seat, bot in enumerate(outcome.bots) if bot in report.source.models]
        if len(models) != 1 or len(outcome.bots) != outcome.table:
            continue
        (seat,) = models
        run, game, *_, number = outcome.group.split(" ")
        if run in report.source.own_deals or not report.source.outside.isdisjoint(outcome.bots):
            continue
        others = tuple(sorted(bot for bot in outcome.bots if bot != outcome.bots[seat]))
        own = outcome.places[seat]
        beaten = sum((place > own) + (place == own) / 2 for place in outcome.places) - 0.5
        yield outcome.bots[seat], (run, game, others, number), beaten / len(others)


def clean_table(report: Report) -> Table:
    """The standings of the report's games in which each answer of each model was its own."""
    source = report.source
    if failed := report.answers.failed_games:
        whole = load(report.runs, report.together, merge=True, without=failed)
        source = whole.only(report.kind, report.size)
    left_out = len(report.source.outcomes) - len(source.outcomes)
    source = replace(source, models=frozenset())  # The table then has no notes on answers.
    clean = Report(source, report.settings, report.bots, report.runs, together=report.together)
    rate_now(clean)
    table = standings(clean)
    left = f"{_CONDITIONAL} ({counted(left_out, 'game')})"
    return replace(
        table,
        caption=f"Standings, {left}",
        above=[f"Standings, {left}:", *(["", *table.above] if table.above else [])],
        notes=[_WHY_CONDITIONAL, *table.notes],
        about={**table.about, "conditional": left},
    )
