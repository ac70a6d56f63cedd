"""The referee of one game, without I/O: lines in, lines out.

Beside it are its clocks and conditions, one game to play (`Fixture`) with its deal, played games (`Record`,
`Placings`), and the checks of a game's rules in random games (`game_check`).
"""

PUBLIC = """
    clock conditions deals fixture game_check.examine game_check.random_games handshake judging placings
    protocol record referee rehearsal seat
"""  # the modules for other packages
