"""Static pages of results: standings, charts, a viewer of games. They open from disk, without a server."""
