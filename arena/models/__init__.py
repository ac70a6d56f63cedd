"""Language models by the OpenAI-compatible chat API: their specs in a plan, their calls and records.

The player itself is `arena/programs/play/model.py`. A `spec` travels to the workers. `calls` is the interface
to the ledger, which keeps each answer, so no answer is paid twice. `client` makes one call. `cassette` is a
ledger for replays without a network.
"""

PUBLIC = "calls cassette reading replied_json request retry secret spec template waiting"
