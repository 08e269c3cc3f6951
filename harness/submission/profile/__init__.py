"""The profile of a predictions file: what is odd about it, feature by feature.

A feature counts items, and which of them are odd, in parts (slots, placeholders) where it says so.
`features.toml` is the table of features; `measuring.py` counts them, and `profile.py` compares the
shares with the limits. Flags of the leaderboard are features of the same table.
"""
