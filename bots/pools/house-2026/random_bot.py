"""Answers every ask with a random option, and hears nothing else."""

import random
import sys

for line in sys.stdin:
    words = line.split()
    if words[0] == "game":
        random.seed(int(line.split("seed=")[1].split()[0]))
    if words[0] == "ask":
        options = words[words.index(":") + 1 :]
        print(words[1], random.choice(options), flush=True)
