"""The audit: what papers and public tables report, beside what the systems' outputs score.

Every reported figure is a `PrintedFigure` (`board/reported.py`) with a verdict
(`board/verdicts.py`). The audit adds what explains differences: every combination of set-ups
(`setup_search.py`), the tables of all systems (`audit_tables.py`), and the tables of papers, cell
by cell (`paper_tables.py`).
"""
