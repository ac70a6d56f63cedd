"""Checks a bot for its author: plays games with it, and explains what is wrong with it.

`entries.check_all` plays and collects findings (`Finding`), `text` prints them.
"""
