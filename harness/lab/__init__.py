"""Studies of state-tracking metrics: analyses, learning curves, human ratings.

Nothing outside this folder imports it: deleted, the rest works.
"""
