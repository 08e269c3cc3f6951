"""Studies of state tracking: the lab, a room that can be taken away."""
