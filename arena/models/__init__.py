"""Language models by the OpenAI-compatible chat API: their specs in a plan, their calls and records.

The player itself is `arena/programs/play/model.py`. A `spec` travels to the workers. `calls` is the interface
to the ledger, which keeps each answer, so no answer is paid twice, and has cassettes, which are ledgers for
replays without a network. `asking` repeats a call until it is answered, and reads the reply; `client` makes
one request. `secret` has the key.
"""

PUBLIC = "asking calls secret spec"
