"""The board's track of live dialogues."""
