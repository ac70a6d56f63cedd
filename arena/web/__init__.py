"""The arena in the browser, for `arena serve`: pages, live runs, seats for people, bots from elsewhere.

`parent` keeps the processes; `app` is the application that the web process serves.
"""

PUBLIC = "access address backup database parent reports sessions settings tokens"  # for other packages
