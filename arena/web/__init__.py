"""The arena in the browser, for `arena serve`: pages, live runs, seats for people, bots from elsewhere.

`parent` starts the processes and restarts those that die; `app` is what the web process serves.
"""

PUBLIC = "access address backup database parent reports sessions settings tokens"  # for other packages
