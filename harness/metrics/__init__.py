"""The metrics, one per file: pure functions, each with its definition and its paper."""
