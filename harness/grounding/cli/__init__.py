"""Commands of plain English: one per file, as in `harness/cli/`."""
