"""What people look at: tables, pages with a viewer of games, and a recorded game in the terminal.

The modules of `tables` are for all views; no view knows the format that it is written in.

The path of a result, after `arena.tournament.runs`:

1. A view of `tables.views` makes a `Table` of a `Report`: columns with their meanings, and rows.
   `tables.render` writes it in each format; the pages use it as well.
2. `pages.write` writes the pages of `arena report`, each a template with its context. `pages.chart`
   draws with matplotlib in fixed colours, which a page replaces by those of its style sheet.
3. `pages.records` has all records read once, in several processes. `pages.collect` replays each game
   once: its moments go into a file, and the counts (`Collected`) can be merged in any order.

In `tables.standings`, `_PLAIN`, `_CONTEST` and `_LIVE` say which views show a column, and `_DROPS` which
go first where the terminal is narrow; `_FACTS` in `pages.bots` lists the facts on the page of a bot.
"""

PUBLIC = """
    pages.game_data pages.records pages.write scores stepper.cursor stepper.screen stepper.words tables
    tables.commands tables.drawn tables.explain tables.games_csv tables.grid tables.notes tables.page
    tables.placings tables.render tables.report tables.standings tables.table tables.text tables.views
"""  # the modules for other packages
