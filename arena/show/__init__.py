"""Shows results to people: tables, pages with a viewer of games, and a recorded game in the terminal.

The modules of `tables` are for all views. No view knows its output format.
"""

PUBLIC = """
    pages.game_data pages.records pages.write scores stepper.cursor stepper.screen stepper.words tables
    tables.commands tables.drawn tables.explain tables.games_csv tables.grid tables.notes tables.page
    tables.placings tables.render tables.report tables.standings tables.table tables.text tables.views
"""  # the modules for other packages
