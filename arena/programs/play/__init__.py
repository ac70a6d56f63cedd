"""Plays games at a referee: starts the bots, carries their lines, waits for them and measures them.

The path of an answer:

1. A bot writes `7 coup:p2` to its stdout. `player` reads it and cuts it into lines; bytes that are no
   line of text become a `BadLine`.
2. `loop` gives the line to the session with the time of its arrival and, near the limit, with the
   measurements of `meter`.
3. `arena.referee.referee` finds the ask with this id, charges the seat's `Clock`, and checks the answer
   against the `Choice`. A wrong answer is a fault; the seat gets the first option.
4. When all seats asked have answered, `arena.rules.match` sends the answers to the coroutine of the
   rules, which runs to its next step: `Tell`, `Draw`, `Ask` or `RollCall`. The referee answers draws
   from `arena.rules.chance`.
5. The next `Ask` becomes a line for each seat, sent with the news that the seat has not yet heard.
6. At the end, `table` makes a `Record` of all replies, faults and times.

Players without a process (`processless`) take the same path:

- A person at the terminal (`person`) gives only answers that the pending `Choice` accepts. `terminal`
  shows the game in the words of its `Prose`, `drawing` draws the table.
- A language model (`model`): its `Conversation` (`prompt`) puts the news into messages, an `Errand`
  calls the server in a thread, and `arena.models.asking` reads the reply. Unreadable replies are asked
  for again, and are then a fault `unread`. Each call goes through the `Ledger`, so it is never paid
  twice; a worker on another machine asks the coordinator for it.
- A person in a browser (`link`) is in the table process that `arena.web.host` starts. It sends views by
  a Unix socket to `arena.web.gate`; the page gets them as server-sent events and POSTs the answer, which
  goes back the same way and into the `journal` of the game. `dialogue` explains words to both kinds of
  people.
"""
