"""Checks a bot for its author: plays games with it, and explains what is wrong with it.

`examine.check` plays and collects `Finding`s, `text` shows them.
"""
