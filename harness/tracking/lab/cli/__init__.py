"""Commands of the lab: one per file, as in `harness/cli/`."""
