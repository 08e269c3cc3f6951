"""State tracking from files: trackers' formats, scored files, their tables and pictures."""
