"""Metrics of plain English: one per file, as in `harness/metrics/`."""
