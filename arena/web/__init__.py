"""The arena in the browser, for `arena serve`: pages, live runs, seats for people, bots from elsewhere.

`parent` starts the processes and restarts those that die; `app` is what the web process serves.
"""

PUBLIC = "address backup database parent reports sessions settings tokens"  # the modules for other packages
