"""The entries of submissions/: entering, scoring again, ranking, auditing."""
