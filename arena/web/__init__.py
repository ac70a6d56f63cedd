"""The arena in the browser, for `arena serve`: pages, live runs, seats for people, bots from elsewhere.

`parent` keeps the processes; `app` is the application that the web process serves.

The path of a request:

1. `protocol` has the connection: a part of uvicorn, with bounds on connections and time.
2. `security` checks host, origin and rate, reads the body, and adds headers to the answer. `sessions`
   finds the visitor by its cookie; `tokens` has links and cookies.
3. A handler in the `ROUTES` of a module answers (`app` lists them; a contest has more): a page from a
   template that extends `base.html`, JSON, or a stream (`events`). The state of the process is in
   `app.state` (`server`); `access` decides what a contest shows to fewer visitors. No page has inline
   scripts or styles. A handler reads an archive while it arrives; `security` bounds it.

The path of a watched game:

1. `arena.programs.play.live` writes what all seats have heard, and the game's `public_view`, beside the
   run file at the end of a turn.
2. `live_games` reads these files while a page has clients, and sends them the news.
3. `run_page` sees changes of the run file; `reading` starts the processes that read it, which run
   `run_views`.
4. `arena.tournament.runs.open_games` decides which games may be shown with all cards.
5. `reports` has the pages of `arena report` written when the run is complete.
"""

PUBLIC = "access address backup database parent reports sessions settings tokens"  # for other packages
