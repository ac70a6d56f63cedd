"""Finds out which small changes of rules, referee and ratings the tests notice.

    python benchmarks/mutants.py draw benchmarks/mutants.txt     # a new sample, and the results
    python benchmarks/mutants.py compare benchmarks/mutants.txt  # the same again; status 1 if more survive

A mutant is a function with one change. Its name has the folder, the qualified name, the kind of the change,
the changed code and its ordinal. So it is found again after other functions changed and modules moved.

One process collects the tests and learns by profiling which test runs which function. For each mutant it
forks, gives the function its changed code, and runs the tests that run it, until one fails. Programs that
tests start are not changed.
"""

import argparse
import ast
import contextlib
import functools
import gc
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PLACES = ("arena/rules", "arena/games", "arena/referee", "arena/rating")
TESTS = (
    "tests/rules",
    "tests/games",
    "tests/referee",
    "tests/rating",
    "tests/tournament/formats",
    "tests/referee/game_check",
)
TEST_CPU_S = 10
"""A test that takes so much longer has noticed the change: a loop does not end."""
MEMORY = 8 << 30

SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}  # fmt: skip

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Name(NamedTuple):
    """The name of a mutant, the same in any version of the code."""

    folder: str
    function: str
    kind: str
    code: str
    ordinal: int


class Mutant(NamedTuple):
    path: Path
    function: str
    line: int
    index: int
    """The number of the change in its function."""


def changes(function: FunctionNode) -> Iterator[tuple[str, ast.AST, Callable[[], None]]]:
    """Each possible change: its kind, the code that it changes, and a function that makes it in this tree."""
    for parent in ast.walk(ast.Module(function.body, [])):
        for field, value in ast.iter_fields(parent):
            for place, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(node, ast.AST):
                    for kind, new in replacements(node):
                        yield kind, node, functools.partial(replace, parent, field, place, new)


def replace(parent: ast.AST, field: str, place: int | None, new: ast.AST) -> None:
    """Put the new node in the place of the old one."""
    if place is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[place] = new


def replacements(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The possible replacements of a node, with the kind of the change."""
    match node:
        case ast.Compare(left, ops, right):
            for place, op in enumerate(ops):
                new = [*ops[:place], SWAPS[type(op)](), *ops[place + 1 :]]
                yield "compare", at(node, ast.Compare(left, new, right))
        case ast.BoolOp(op, values):
            yield "and/or", at(node, ast.BoolOp(SWAPS[type(op)](), values))
        case ast.BinOp(left, op, right) if type(op) in SWAPS:
            yield "arithmetic", at(node, ast.BinOp(left, SWAPS[type(op)](), right))
        case ast.AugAssign(target, op, value) if type(op) in SWAPS:
            yield "arithmetic", at(node, ast.AugAssign(target, SWAPS[type(op)](), value))
            yield "removed", at(node, ast.Pass())
        case ast.UnaryOp(ast.Not(), operand):
            yield "not", operand
        case ast.UnaryOp(ast.USub(), operand):
            yield "minus", operand
        case ast.If(test, body, other):
            yield "if", at(node, ast.If(at(test, ast.UnaryOp(ast.Not(), test)), body, other))
        case ast.IfExp(test, body, other):
            yield "if", at(node, ast.IfExp(test, other, body))
        case ast.Constant(value=bool(value)):
            yield "constant", at(node, ast.Constant(not value))
        case ast.Constant(value=int(value) | float(value)):
            yield "constant", at(node, ast.Constant(value + 1))
        case ast.Return(value) if value is not None and not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            yield "return", at(node, ast.Return(at(value, ast.Constant(None))))
        case ast.Expr(ast.Call() | ast.Yield() | ast.YieldFrom()):
            yield "removed", at(node, ast.Pass())
        case ast.Assign([ast.Attribute() | ast.Subscript()], _) | ast.Raise():
            yield "removed", at(node, ast.Pass())
        case ast.Call(function, [first, second, *more], words):
            if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
                yield "swapped", at(node, ast.Call(function, [second, first, *more], words))
        case ast.Break():
            yield "break", at(node, ast.Continue())
        case ast.Continue():
            yield "break", at(node, ast.Break())


def at(node: ast.AST, new: ast.AST) -> ast.AST:
    """The new node, at the line of the old one."""
    return ast.copy_location(new, node)


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, FunctionNode]]:
    """Functions of a module and methods of its classes, by qualified name, with nested ones."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, FunctionNode):
            yield prefix + node.name, node
        else:
            yield from functions(node, f"{prefix}{node.name}." if isinstance(node, ast.ClassDef) else prefix)


def first_line(function: FunctionNode) -> int:
    """The line of its first decorator or of its `def`, as code objects have it."""
    return min([function.lineno, *(each.lineno for each in function.decorator_list)])


def all_mutants(places: list[str]) -> dict[Name, list[Mutant]]:
    """Every mutant of the code by its name; a name may have several, in modules of one folder."""
    found: dict[Name, list[Mutant]] = defaultdict(list)
    for path in sorted(path for place in places for path in (ROOT / place).rglob("*.py")):
        for name, function in functions(ast.parse(path.read_text(encoding="utf-8"))):
            same: Counter[tuple[str, str]] = Counter()
            for index, (kind, node, _) in enumerate(changes(function)):
                code = " ".join(ast.unparse(node).split())[:100]
                full = Name(path.parent.name, name, kind, code, same[kind, code])
                same[kind, code] += 1
                found[full].append(Mutant(path, name, first_line(function), index))
    return found


def changed_code(mutant: Mutant) -> types.CodeType:
    """The code of its function, with the change."""
    tree = ast.parse(mutant.path.read_text(encoding="utf-8"))
    [function] = [
        function
        for name, function in functions(tree)
        if name == mutant.function and first_line(function) == mutant.line
    ]
    list(changes(function))[mutant.index][2]()
    left = [compile(ast.fix_missing_locations(tree), str(mutant.path), "exec", dont_inherit=True)]
    while left:
        code = left.pop()
        if (code.co_qualname, code.co_firstlineno) == (mutant.function, mutant.line):
            return code
        left += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    raise LookupError(mutant)


Key = tuple[str, str, int]


def key(code: types.CodeType) -> Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def live_functions() -> dict[Key, list[types.FunctionType]]:
    """All functions of the arena in this process."""
    found = defaultdict(list)
    for each in gc.get_objects():
        if isinstance(each, types.FunctionType) and each.__code__.co_filename.startswith(str(ROOT / "arena")):
            found[key(each.__code__)].append(each)
    return found


def clear_caches() -> None:
    """Forget what functions computed before the change."""
    for each in gc.get_objects():
        if isinstance(each, functools._lru_cache_wrapper):
            with contextlib.suppress(Exception):
                each.cache_clear()


class Profile:
    """Learns, in a child process, which functions each test runs and how long it takes."""

    def __init__(self) -> None:
        self.seen: set[types.CodeType] = set()
        self.of_fixtures: dict[object, set[types.CodeType]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        """What a fixture of a module runs counts for all tests that use it."""
        if fixturedef.scope == "function":
            return (yield)
        outer, self.seen = self.seen, set()
        try:
            return (yield)
        finally:
            self.of_fixtures[fixturedef] = self.seen
            self.seen = outer | self.seen

    def of(self, items: list[pytest.Item]) -> list[tuple[float, set[Key]]]:
        ours = {path for path in map(str, (ROOT / "arena").rglob("*.py"))}
        caches = [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]
        found = []
        for number, item in enumerate(items):
            self.seen = set()
            for each in caches:
                each.cache_clear()
            start = time.process_time()
            sys.setprofile(lambda frame, event, _: self.seen.add(frame.f_code) if event == "call" else None)
            run_one(item, items[number + 1] if number + 1 < len(items) else None)
            sys.setprofile(None)
            for definitions in item._fixtureinfo.name2fixturedefs.values():
                for definition in definitions:
                    self.seen |= self.of_fixtures.get(definition, set())
            codes = {key(code) for code in self.seen if code.co_filename in ours}
            found.append((time.process_time() - start, codes))
        return found


def run_one(item: pytest.Item, following: pytest.Item | None) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


class Failures:
    """Ends this process at the first failing test."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os.write(self.pipe, report.nodeid.encode())
            os._exit(1)

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe


class Plugin:
    """Takes the tests that pytest collected, and judges the mutants with them."""

    def __init__(self, wanted: list[Mutant], jobs: int, tell: Callable[[int, str, str], None]) -> None:
        self.wanted = wanted
        self.jobs = jobs
        self.tell = tell

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.session = session
        sys.stderr.write(f"{len(session.items)} tests; which functions does each of them run?\n")
        reading, writing = os.pipe()
        if not os.fork():
            self.mute()
            profile = Profile()
            session.config.pluginmanager.register(profile)
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(profile.of(session.items), pipe)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            self.costs = pickle.load(pipe)
        os.wait()
        self.live = live_functions()
        running: dict[int, tuple[int, int]] = {}
        for number, mutant in enumerate(self.wanted):
            if len(running) == self.jobs:
                self.wait(running)
            reading, writing = os.pipe()
            if pid := os.fork():
                os.close(writing)
                running[pid] = (number, reading)
            else:
                self.judge(mutant, writing)
        while running:
            self.wait(running)
        return True

    def mute(self) -> None:
        """Discard the output of pytest about tests in a child process."""
        self.session.config.pluginmanager.getplugin("terminalreporter")._tw._file = open(os.devnull, "w")  # noqa: SIM115
        os.setsid()

    def judge(self, mutant: Mutant, pipe: int) -> None:
        """Run the tests that run the function, the fastest first, but keep the tests of a file together."""
        self.mute()
        try:
            code = changed_code(mutant)
            changed = self.live.get(key(code), [])
            for function in changed:
                function.__code__ = code
        except (SyntaxError, ValueError):
            os._exit(3)  # `continue` is outside of a loop, or `super()` was removed.
        clear_caches()
        with_cost = [
            (cost, item)
            for (cost, keys), item in zip(self.costs, self.session.items, strict=True)
            if key(code) in keys
        ]
        of_file: dict[Path, float] = defaultdict(lambda: float("inf"))
        for cost, item in with_cost:
            of_file[item.path] = min(of_file[item.path], cost)
        with_cost.sort(key=lambda each: (of_file[each[1].path], each[1].path, each[0]))
        if not with_cost:
            os._exit(2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        self.session.config.pluginmanager.register(Failures(pipe))
        for number, (cost, item) in enumerate(with_cost):
            signal.setitimer(signal.ITIMER_PROF, TEST_CPU_S + 3 * cost)
            signal.setitimer(signal.ITIMER_REAL, 10 * (TEST_CPU_S + 3 * cost))
            run_one(item, with_cost[number + 1][1] if number + 1 < len(with_cost) else None)
        os._exit(0)

    def wait(self, running: dict[int, tuple[int, int]]) -> None:
        """Report the result of the next mutant whose tests are over."""
        pid, status = os.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # programs that its tests left
        number, reading = running.pop(pid)
        with os.fdopen(reading, "rb") as pipe:
            by = pipe.read().decode()
        if os.WIFSIGNALED(status):
            by = f"signal {os.WTERMSIG(status)}"
        codes = {0: "survived", 1: "killed", 2: "untested", 3: "invalid"}
        self.tell(number, codes.get(os.waitstatus_to_exitcode(status), "killed"), by)


def judge(mutants: list[Mutant], tests: list[str], jobs: int) -> list[tuple[str, str]]:
    """The result of each mutant, and the test that killed it. No test runs an `untested` mutant."""
    results: list[tuple[str, str]] = [("", "")] * len(mutants)
    start = time.monotonic()

    def tell(number: int, result: str, by: str) -> None:
        results[number] = (result, by)
        done = sum(1 for result, _ in results if result)
        sys.stderr.write(
            f"{time.monotonic() - start:6.0f} s  {done}/{len(mutants)}  {result}  {mutants[number]}  {by}\n"
        )

    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # A thread would not survive the forks.
        options = ["-q", "-n0", "-p", "no:cacheprovider", "-o", "timeout=0", "--rootdir", str(ROOT)]
        there = [str(ROOT / path) for path in tests if (ROOT / path).exists()]
        os.chdir(ROOT)
        pytest.main([*options, *there], plugins=[Plugin(mutants, jobs, tell)])
    return results


def read(path: Path) -> dict[Name, str]:
    """The mutants of a file, and their results."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            result, folder, function, kind, ordinal, code = line.split("\t")
            found[Name(folder, function, kind, code, int(ordinal))] = result
    return found


def write(path: Path, seed: int, results: dict[Name, str]) -> None:
    lines = [
        "\t".join([result, name.folder, name.function, name.kind, str(name.ordinal), name.code])
        for name, result in sorted(results.items())
    ]
    head = f"# seed {seed}; result, folder, function, kind of change, ordinal, code that is changed"
    path.write_text("\n".join([head, *lines, ""]), encoding="utf-8")


def public(name: Name) -> Name:
    """The name without underscores, which functions may gain or lose."""
    return name._replace(function=".".join(part.lstrip("_") for part in name.function.split(".")))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["draw", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=29)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--places", nargs="+", default=PLACES, help="folders of code")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="folders or files of tests")
    options = parser.parse_args()
    there = {name: mutants for name, mutants in all_mutants(options.places).items() if len(mutants) == 1}
    if options.action == "draw":
        sample = random.Random(options.seed).sample(sorted(there), options.number)
        results = judge([there[name][0] for name in sample], options.tests, options.jobs)
        write(
            options.file,
            options.seed,
            {name: result for name, (result, _) in zip(sample, results, strict=True)},
        )
        print(dict(Counter(result for result, _ in results)))
        return 0
    before = read(options.file)
    now = {public(name): mutants[0] for name, mutants in there.items()}
    gone = [name for name in before if public(name) not in now]
    sample = [name for name in before if public(name) in now]
    results = judge([now[public(name)] for name in sample], options.tests, options.jobs)
    for name in gone:
        print("changed or gone", before[name], *name, sep="\t")
    worse = 0
    for name, (result, by) in zip(sample, results, strict=True):
        if result != before[name]:
            print(f"{before[name]} -> {result}", *name, by, sep="\t")
            worse += before[name] == "killed"
    print(f"{len(before)} mutants, {len(gone)} changed or gone, {worse} killed before and not now")
    print(
        "before",
        dict(Counter(before[name] for name in sample)),
        "now",
        dict(Counter(result for result, _ in results)),
    )
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
