"""Renders the findings of a check: all findings about one bot, or a line for each of several bots."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from arena.config.text import cut, printable
from arena.programs.check.finding import Finding
from arena.programs.executables import real
from arena.show.tables.grid import folded
from arena.show.tables.table import Column, Table
from arena.show.tables.text import text_grid

_MAX_NAME_WIDTH = 20  # columns
_CHECKED = (
    Column("bot", "bot", is_bot=True),
    Column("", "verdict", is_left=True),
    Column("worst ms", "worst_ms"),
    Column("what is wrong", "wrong", is_left=True),
)


def lines(findings: Sequence[Finding]) -> Iterator[str]:
    """The findings in lines of 80 columns, then the number of problems; a bot's output is escaped."""
    for finding in findings:
        verdict = "FAULT" if finding.verdict == "fault" else finding.verdict
        head = f"{verdict:<6}{finding.check:<10}"
        yield from folded(printable(finding.words), head, len(head))
        for line in finding.details:
            indent = " " * 6 + line[: len(line) - len(line.lstrip(" !<>"))]
            yield from folded(printable(line.lstrip(" !<>")), indent, 6 + len(indent) - 2)
        if finding.advice:
            yield from folded(printable(f"change: {finding.advice}"), " " * 6, 14)
    count = problems(findings)
    yield f"{count or 'no'} {'problem' if count == 1 else 'problems'} found"


def problems(findings: Sequence[Finding]) -> int:
    return sum(finding.verdict == "fault" for finding in findings)


def table(checked: Mapping[str, Sequence[Finding]], command: Callable[[str], str]) -> Iterator[str]:
    """A line for each bot with its verdict, its slowest answer and its problems; then a summary.

    Args:
        checked: The findings by the path of the bot.
        command: Returns the shell command that shows all findings about the bot at a path. The summary
            names it.
    """
    yield text_grid(Table("bots", _CHECKED, [_row(path, findings) for path, findings in checked.items()]))
    wrong = [path for path, findings in checked.items() if problems(findings)]
    known = sum(not _is_no_bot(findings) for findings in checked.values())
    if not wrong:
        yield f"no problems found in {known} bots"
    else:
        yield f"{len(wrong)} of {known} bots have problems; for more: {printable(command(wrong[0]))}"


def _row(path: str, findings: Sequence[Finding]) -> dict[str, str]:
    faults = [finding for finding in findings if finding.verdict == "fault"]
    slowest = max((each.figures["worst_ms"] for each in findings if each.figures), default=None)
    # The parent folder is left out: it differs between machines, and takes space from the cause.
    above = f"{real(Path(path)).parent}/"
    wrong = [f"{each.check}: {each.words}" for each in faults]
    if faults and faults[0].check == "builds":
        wrong += [line.strip() for line in faults[0].details[:1]]
    wrong = [words.replace(above, "") for words in wrong]
    if _is_no_bot(findings):
        wrong = [findings[0].words.removeprefix("no bot: ")]
    verdict = "FAULT" if faults else "no bot" if _is_no_bot(findings) else "ok"
    name = cut(printable(Path(path).name or path), _MAX_NAME_WIDTH)
    worst = "" if slowest is None else f"{slowest:.1f}"
    return {"bot": name, "verdict": verdict, "worst_ms": worst, "wrong": printable("; ".join(wrong))}


def _is_no_bot(findings: Sequence[Finding]) -> bool:
    return bool(findings) and findings[0].check == "entry" and findings[0].verdict == "note"
