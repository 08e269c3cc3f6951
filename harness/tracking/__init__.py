"""State tracking: pairs of states in, one report of every metric out."""
