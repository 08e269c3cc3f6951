"""The board's track of systems in plain English."""
