"""The entries of submissions/: entering, scoring again, ranking, auditing."""

from __future__ import annotations

from pathlib import Path

PUBLISHED = Path(__file__).parents[2] / "submissions"
"""The entries of the public board, as they are packed with the harness; in a clone, its own."""
