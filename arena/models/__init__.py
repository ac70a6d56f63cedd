"""Language models by the OpenAI-compatible chat API: what a plan says of a model, its calls, their records.

The player itself is `arena/programs/play/model.py`. `spec` is what travels to the workers, `calls` the
interface to the ledger, which keeps each answer so that it is never paid twice, `client` makes one call, and
`cassette` is a ledger for replays without a network.
"""

PUBLIC = "calls cassette reading replied_json request retry secret spec template waiting"
