"""Tournaments: finds the games that are due, plays them, and stores them.

The packages are `plan`, `formats`, `runs` (run files and readers of them), `engine` and `models`; the modules
here play the games.
"""

PUBLIC = """
    broken check_entries compare engine.choice engine.dask_cluster engine.dask_connection engine.interface
    engine.local formats formats.compare formats.config formats.plan formats.round_robin forecast frozen
    ladder live models.access models.approval plan.entrants plan.load plan.schema pools processes rehearse run
    runs.account runs.asks runs.behaviour runs.bot_input runs.closing runs.csv runs.facts runs.game_list
    runs.layouts runs.ledger runs.model_answers runs.moments runs.open_games runs.parquet runs.sources
    runs.store runs.stored_game runs.transcript runs.verify runs.voids runs.without_stderr schedule score
    single work_queue
"""  # the modules for other packages
