"""The pages of a contest, and their JSON: for all visitors, for an entrant, for the organiser.

`server` is what they share, `views` and `organiser_view` are what they show: the same values are given to a
template and, as JSON, to programs.
"""
