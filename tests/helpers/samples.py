"""The checkout, and two bots that cost next to nothing to start."""

from pathlib import Path

CHECKOUT = Path(__file__).parent.parent.parent
RANDOM = CHECKOUT / "bots" / "python" / "random_bot.py"
FIRST = (
    """while read -r verb id rest; do case $verb in ask) set -- ${rest#*: }; echo "$id $1";; esac; done\n"""
)
"""A shell program that always takes the first option."""
