"""Reads a tournament plan from YAML and checks it.

The path of a plan key: `strikes: 3` is a field of `Conditions` (`arena.referee.conditions`), with its
type, default and help. Nothing else declares it.

1. `keys` sorts the keys of the file by the dataclasses that declare them; pydantic reads these, and the
   `Config` of the format. `load` checks them against the game and the bots. `arena schema` prints the
   JSON Schema.
2. The `Plan` (`arena.tournament.formats.plan`) has the conditions; `arena.tournament.formats.seating`
   gives them to each `Fixture`, whose hash is the id of the game.
3. `arena.programs.play.table` gives `fixture.conditions.strikes` to the referee.

A key of `RunConfig` is read as `plan.run.KEY`, or reaches workers by a field of `Setup`
(`arena.tournament.engine.interface`).
"""
