"""Each promise of the sandbox has tests that attack it, in each tier that makes it.

All pages say the same.
"""

import ast
from pathlib import Path

import pytest
from samples import CHECKOUT
from tabulate import tabulate

from arena.programs.sandbox import promises
from arena.programs.sandbox.policy import Sandbox
from arena.programs.sandbox.promises import COLUMNS, PROMISES, not_promised

TESTS = CHECKOUT / "tests"
PAGE = Path(promises.__file__).with_name("README.md")
NOT_PROMISED = "not promised"
IN_TIERS = {  # by the fixtures that a test has; a bot that is held in by its control group is in a box, too
    "held": {"+ cgroup"},
    "box": {"bubblewrap", "+ cgroup"},
    "tier": set(COLUMNS),
    "closed": set(COLUMNS),
    "sandbox": set(COLUMNS),
}


def attacks() -> dict[str, set[str]]:
    """The tiers in which there are tests that attack each threat."""
    found: dict[str, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            for mark in getattr(node, "decorator_list", []):
                if ast.unparse(mark).startswith("pytest.mark.attack("):
                    names = {argument.arg for argument in node.args.args}
                    tiers = [IN_TIERS[name] for name in IN_TIERS if name in names]
                    found.setdefault(mark.args[0].value, set()).update(*tiers or [set(COLUMNS)])
    return found


def test_each_promise_is_attacked_in_each_tier_that_makes_it():
    """A test without a fixture for its tier attacks what the referee does by itself, or limits."""
    tried = attacks()
    assert set(tried) <= {promise.threat for promise in PROMISES}
    for promise in PROMISES:
        promised = {
            column for column, cell in zip(COLUMNS, promise.levels, strict=True) if cell != NOT_PROMISED
        }
        assert promised <= tried.get(promise.threat, set()), promise.threat


def test_the_page_has_the_table():
    rows = [(promise.threat, *promise.levels) for promise in PROMISES]
    assert tabulate(rows, ("If a bot tries to", *COLUMNS), tablefmt="github") in PAGE.read_text()


def test_a_stronger_tier_promises_no_less():
    order = [NOT_PROMISED, "detected", "prevented"]
    for promise in PROMISES:
        limits, bubblewrap, control_group = map(order.index, promise.levels)
        assert limits <= bubblewrap <= control_group, promise.threat


@pytest.mark.parametrize(
    ("lacking", "found", "lost", "lost_in_boxes"),
    [
        ("landlock.version", 0, {"reading files", "writing files", "signals", "locks"}, set()),
        (
            "seccomp.load",
            None,
            {"changing files", "network", "rights", "locks"},
            {"locks", "changing files", "signals and timers"},  # a box has a network of its own
        ),
        ("rlimits.prlimit", "", set(), {"signals and timers"}),
    ],
)
def test_a_machine_that_lacks_a_part_promises_less(monkeypatch, lacking, found, lost, lost_in_boxes):
    before = {column: set(not_promised(column)) for column in COLUMNS}
    monkeypatch.setattr(f"arena.programs.sandbox.promises.{lacking}", lambda: found)
    assert set(not_promised("limits")) - before["limits"] == lost
    for column in COLUMNS[1:]:
        assert set(not_promised(column)) - before[column] == lost_in_boxes


def test_without_lists_of_children_only_a_control_group_finds_the_processes_of_a_bot(monkeypatch):
    before = {column: set(not_promised(column)) for column in COLUMNS}
    monkeypatch.setattr("arena.programs.sandbox.promises.procfs.LISTS_CHILDREN", False)
    lost = {column: set(not_promised(column)) - before[column] for column in COLUMNS}
    counted = {"memory", "processes", "time of children"}
    assert lost == {"limits": {"leftovers", *counted}, "bubblewrap": counted, "+ cgroup": set()}


def test_the_line_of_a_run_names_what_is_not_promised():
    assert Sandbox().summary.startswith("sandbox: limits, for bots that you trust; not promised: ")
    assert "hidden memory" in Sandbox(tier="bubblewrap").summary
    assert "hidden memory" not in Sandbox(tier="bubblewrap", group="/sys/fs/cgroup/x").summary


@pytest.mark.slow
@pytest.mark.parametrize(
    ("authors", "sandbox", "said"),
    [(["kim", "lee"], "limits", True), (["kim", "kim"], "limits", False), (["kim", ""], "limits", False)],
)
def test_a_run_says_that_bots_of_several_authors_should_not_trust_each_other(
    arena, plan_file, first_bot, authors, sandbox, said
):
    plan = plan_file(f"sandbox: {sandbox}\nseats: 2\nseed: 1\ngroups: 1\n", bots=0)
    bots = [f"  bot{n}: {{run: [sh, {first_bot}], author: {who!r}}}\n" for n, who in enumerate(authors)]
    plan.write_text(plan.read_text() + "".join(bots).replace(", author: ''", ""))
    done = arena("run", plan)
    assert done.returncode == 0, done.stderr
    line = "bots of 2 authors play in the tier limits, for bots that you trust: remove `sandbox: limits`"
    assert (line in done.stderr) == (
        said or ("sandbox: limits" in done.stderr and len(set(authors)) == 2 and "" not in authors)
    )
