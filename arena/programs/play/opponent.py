"""The opponent that `arena check` runs as a program: it chooses options at random, by its seed."""

import sys


def _play() -> None:
    state = 1
    for line in sys.stdin:
        words = line.split()
        if words[0] == "game":
            state = next(int(word[5:]) for word in words if word.startswith("seed="))
        elif words[0] == "ask":
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64  # Knuth, MMIX
            options = words[words.index(":") + 1 :]
            print(words[1], options[(state >> 33) % len(options)], flush=True)


if __name__ == "__main__":
    _play()
