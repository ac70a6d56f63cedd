"""The pages of a contest, and their JSON: for all visitors, for an entrant, for the organiser.

All of them use `server`. `views`, `final_view` and `organiser_view` make the values that pages show; a
template and a program get the same JSON of a value.
"""
