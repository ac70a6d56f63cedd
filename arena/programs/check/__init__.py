"""Checks a bot for its author: plays games with it, and explains its faults.

`examine.check_games` plays and collects findings (`Finding`); other packages print them.
"""
