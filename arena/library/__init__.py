"""The arena as a Python library: tables, games between functions and programs, states, worlds, views.

`import arena` has the names in `PLACES`, and loads nothing before one of them is used; `docs/library.md`
explains them. A bot that only reads and answers lines needs only `reader`, or a copy of that file.

The adapters to Gymnasium, PettingZoo and OpenSpiel use these names, and three modules: `encoding` makes
numbers of views and answers, `sequential` lets one seat act at a time, `game` seats players of this process.
"""

PUBLIC = "encoding game sequential"

_MODULES = {
    "arena.config.document": "ConfigError",
    "arena.library.errors": "FewWorlds IllegalAnswer LibraryError NoWorld PlayerError SeatError",
    "arena.library.many": "Results Tally play_many",
    "arena.library.played": "Played",
    "arena.library.playing": "play",
    "arena.library.players": "Player Program program",
    "arena.library.reader": "Reader Seating View",
    "arena.library.sampling": "World Worlds worlds",
    "arena.library.stepping": "State from_record from_setup new",
    "arena.library.tables": "Table table",
}
PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}
"""The module of each public name."""
