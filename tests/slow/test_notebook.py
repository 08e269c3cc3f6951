"""A notebook that scores a file runs without a window, and shows the report as a table."""

from __future__ import annotations

from pathlib import Path

from helpers import CAREFUL

_CELL = """\
from mwz.harness import Scorer, load_benchmark, load_predictions
report = Scorer(load_benchmark("sample")).score(load_predictions({path!r}))
print(repr(report))
report"""


def test_a_notebook_shows_a_report_as_a_table(tmp_path: Path) -> None:
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    notebook = new_notebook(cells=[new_code_cell(_CELL.format(path=str(CAREFUL)))])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=str(tmp_path))
    printed, shown = notebook.cells[0].outputs
    assert printed.text == shown.data["text/plain"] + "\n"
    assert printed.text.startswith("<Report on sample, 30 of 30 dialogues: Inform 86.7, ")
    assert shown.data["text/html"].startswith("<table>")
