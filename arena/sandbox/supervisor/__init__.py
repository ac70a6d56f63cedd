"""The program that starts bots, checks them and kills them.

It imports the standard library and `linux` alone.
"""
