"""The metrics of state tracking, and what they compare: predicted states beside gold ones."""
