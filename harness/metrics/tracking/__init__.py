"""The state-tracking metrics, one per file, and the pairs of states they compare."""
