"""Answers ask number N with option N modulo their count."""

import sys

for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        options = words[words.index(":") + 1 :]
        print(words[1], options[int(words[1]) % len(options)], flush=True)
