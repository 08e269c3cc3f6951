"""Tables in every format show the same, and nothing that a format would act on."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given, strategies as st

from mwz.harness.io import FORMATS, Table, best_cells, formatted, in_latex

TABLE = Table(
    name="scores",
    title="Scores of 2 files",
    headers=["", "BLEU (%)"],
    rows=[["first_one", "19.9"], ["second & last", "20.1 [19.0, 21.0]"]],
    data=[{"name": "first_one", "bleu": 19.91}, {"name": "second & last", "bleu": 20.08}],
    notes=["mwz:0|benchmark:sample"],
    best={(1, 1)},
)


def test_latex_tables_mark_the_best_and_note_the_rest() -> None:
    assert formatted([TABLE], "latex").splitlines() == [
        "% mwz:0|benchmark:sample",
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        "\\caption{Scores of 2 files}",
        "\\begin{tabular}{ll}",
        "\\toprule",
        "                & BLEU (\\%)                      \\\\",
        "\\midrule",
        " first\\_one     & 19.9                           \\\\",
        " second \\& last & \\textbf{20.1 {[}19.0, 21.0{]}} \\\\",
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]


def test_every_format_holds_every_row() -> None:
    assert "**20" in formatted([TABLE], "md")
    assert "**" not in formatted([TABLE], "text")
    assert json.loads(formatted([TABLE], "json")) == {"scores": list(TABLE.data)}
    read = list(csv.DictReader(io.StringIO(formatted([TABLE], "csv"))))
    assert [row["name"] for row in read] == ["first_one", "second & last"]
    for format_ in FORMATS:
        assert formatted([TABLE], format_).endswith("\n")


def test_what_looks_the_same_as_the_best_is_the_best_as_well() -> None:
    values = [[1.04, 2.0, None], [1.01, 3.0, 5.0], [0.9, None, None]]
    shown = [["1.0", "2.0", "–"], ["1.0", "3.0", "5.0"], ["0.9", "–", "–"]]
    assert best_cells(values, shown) == {(0, 0), (1, 0), (1, 1)}
    assert best_cells(values[:1], shown[:1]) == set()


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=30))
def test_no_text_holds_a_sign_that_latex_acts_on(text: str) -> None:
    shown = in_latex(text)
    for sign in "&%#_":
        assert shown.count(sign) == shown.count(f"\\{sign}") == text.count(sign)
    assert "\n" not in shown
    assert shown.count("{") - shown.count("\\{") == shown.count("}") - shown.count("\\}")
