"""The table of a paper: means over seeds, what they are tested by, and text that compiles."""

from __future__ import annotations

import csv
import math
import re
import shutil
import subprocess
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import fmean, stdev

import pytest
from helpers import CAREFUL, HASTY, SCRIPTED, Cli, Run, table_rows
from resampled_cases import made_up

from mwz.harness import Benchmark
from mwz.harness.board import PUBLISHED, read_entries
from mwz.harness.board.entries import read_entry
from mwz.harness.board.paper_table import entry_reference, mean_of
from mwz.harness.cli import reading
from mwz.harness.comparison import SEED, Evidence, compare
from mwz.harness.comparison.comparing import randomisation
from mwz.harness.metrics import Sums
from mwz.harness.scoring import whole_figure

# The mean over seeds.


def _square(sums: Sums) -> dict[str, float]:
    return {"square": (sums["score"] / sums["dialogues"]) ** 2}


def _made_up(scores: Sequence[int]) -> Evidence:
    """Return an output with a figure that is not linear."""
    return made_up(scores, _square)


FIRST, SECOND, BASELINE = (5, 9, 4, 7, 6, 8), (6, 6, 5, 9, 6, 7), (4, 5, 6, 3, 6, 2)


def test_a_figure_is_the_mean_of_those_of_the_outputs() -> None:
    # Means 6.5 and 6.5: the squares are the same, and so is their mean, 42.25.
    system = mean_of("system", [_made_up(FIRST), _made_up(SECOND)])
    assert system.scores == {"square": pytest.approx(42.25)}
    # (3^2 + 5^2) / 2 = 17, which is not the square of the mean, 16.
    assert mean_of("system", [_made_up([3]), _made_up([5])]).scores == {"square": 17.0}


def test_only_dialogues_that_all_outputs_play_count() -> None:
    part = _made_up(SECOND).part(["d5", "d0"])
    system = mean_of("system", [_made_up(FIRST), part])
    assert system.dialogues == ("d0", "d5")
    # Of the first (5 + 8) / 2, of the second (6 + 7) / 2: 6.5 both.
    assert system.scores == {"square": pytest.approx(42.25)}


def test_the_mean_is_tested_by_swapping_in_all_outputs_at_once() -> None:
    seeds = (FIRST, SECOND)

    def difference(swapped: Sequence[bool]) -> float:
        gaps = []
        for seed in seeds:
            pairs = list(zip(seed, BASELINE, swapped, strict=True))
            ours = fmean(b if swap else a for a, b, swap in pairs)
            theirs = fmean(a if swap else b for a, b, swap in pairs)
            gaps.append(ours**2 - theirs**2)
        return abs(fmean(gaps))

    observed = difference([False] * 6)
    ways = [difference(swapped) for swapped in product((False, True), repeat=6)]
    exact = sum(way >= observed - 1e-9 for way in ways) / len(ways)
    assert 0 < exact < 1
    system = mean_of("system", list(map(_made_up, seeds)))
    pair = mean_of("b", [_made_up(BASELINE)]), system
    p = randomisation([pair], 20_000, SEED)[0]["square"]
    assert abs(p - exact) < 4 * math.sqrt(exact * (1 - exact) / 20_000)


def test_of_single_outputs_it_is_the_test_of_single_outputs() -> None:
    first, second = _made_up(FIRST), _made_up(BASELINE)
    both = mean_of("a", [first]), mean_of("b", [second])
    assert randomisation([both], 500, SEED) == randomisation([(first, second)], 500, SEED)
    assert compare(both[0], [both[1]], samples=500).pairs[0].differences["square"].test == (
        "randomisation"
    )


# The command.


@pytest.fixture
def table(cli: Cli) -> Cli:
    return cli.of("table", "--benchmark", "sample")


FIGURES = ("bleu", "inform", "success", "combined")


def _rows(run: Run) -> dict[str, list[str]]:
    """Return the name of each row of a table in Markdown, and its further cells."""
    return {name.replace("\\", ""): cells for name, *cells in table_rows(run.out)}


def test_the_table_has_means_deviations_and_marks(cli: Cli, table: Cli, tmp_path: Path) -> None:
    seeds = []
    for number, file in enumerate((CAREFUL, HASTY)):
        seeds.append(tmp_path / f"mine_{number}.json")
        shutil.copy(file, seeds[-1])
    run = table.done(*seeds, "--baseline", HASTY, "--format", "md")
    rows = _rows(run)
    reports = [cli.json("score", file, "--benchmark", "sample") for file in seeds]
    own = [{**report, "bleu": report["bleu"]["mwz22"]} for report in reports]
    assert rows["hasty"] == [f"{own[1][name]:.1f}" for name in FIGURES]
    values = [[report[name] for report in own] for name in FIGURES]
    assert [cell.rstrip("\\*") for cell in rows["System"]] == [
        f"{fmean(value):.1f} ± {stdev(value):.1f}" for value in values
    ]
    assert "training seeds \\(hasty 1, System 2\\)" in run.out
    assert "|test:randomisation|samples:10000|seed:12345|" in run.out
    # One output each: what `mwz compare` tests by.
    run = table(CAREFUL, "--baseline", HASTY, "--format", "md")
    (pair,) = cli.json("compare", HASTY, CAREFUL, "--setup", "strict")["pairs"]
    marks = [cell.endswith("*") for cell in _rows(run)["careful"]]
    assert marks == [pair[name]["significant"] for name in FIGURES]
    assert "McNemar's test" in run.out
    # Figures are aligned at the right, marked or not.
    assert any(marks)
    _, rule, *_ = table_rows(run.out)
    assert all(cell.endswith(":") for cell in rule[1:])


def test_systems_are_rows_of_their_own_and_corrected(table: Cli) -> None:
    named = ("--name", f"A & B={HASTY}", CAREFUL, "--name", f"C={HASTY}")
    run = table(CAREFUL, *named, "--format", "md")
    message = run.out.replace("\\", "")
    assert [*_rows(run)][-3:] == ["careful", "A & B", "C"]
    assert "over training seeds (careful 1, A & B 2, C 1)" in message
    assert "* differs" not in message
    # Names are made distinct, so that each row has its own marks.
    run = table(CAREFUL, "--name", f"hasty={HASTY}", "--baseline", CAREFUL)
    (line,) = [line for line in run.out.splitlines() if re.match(r" *careful \(2\) +& ", line)]
    assert "*" not in line
    assert "after Holm's correction" in run.out
    assert "holm-1979" in run.out


def test_patterns_name_all_files_of_a_row(cli: Cli, table: Cli, tmp_path: Path) -> None:
    for name, file in (("s1", CAREFUL), ("s2", HASTY), ("b", HASTY)):
        shutil.copy(file, tmp_path / f"{name}.json")
    named = ("--name", f"Ours={tmp_path}/s*.json", "--name", f"Base={tmp_path}/b.json")
    several = ("--name", f"Twice={CAREFUL}", HASTY, "--baseline", "Twice")
    assert "training seeds (Twice 2, Ours 2, Base 1)" in table(*named, *several).out
    run = table(*named, "--baseline", "Base", "--format", "csv")
    base, ours = csv.DictReader(run.out.splitlines())
    assert (base["system"], base["outputs"], base["inform_p"]) == ("Base", "1", "")
    assert (ours["system"], ours["outputs"]) == ("Ours", "2")
    # Of 30 dialogues 26 and 15: (86.67 + 50) / 2 = 68.33, and 36.67 / sqrt(2) = 25.93.
    assert float(ours["inform"]) == pytest.approx(205 / 3)
    assert float(ours["inform_deviation"]) == pytest.approx(110 / 3 / math.sqrt(2))
    # The test is that of the mean over seeds, of unnamed files as well.
    unnamed = table(*sorted(tmp_path.glob("s*")), "--baseline", HASTY, "--format", "csv")
    _, system = csv.DictReader(unnamed.out.splitlines())
    assert float(ours["inform_p"]) == float(system["inform_p"]) < 0.05
    assert "test:randomisation" in ours["signature"]
    # Without a pattern's signs meaning anything, if a file is called so.
    shutil.copy(CAREFUL, tmp_path / "s[1].json")
    run = table("--name", f"One={tmp_path}/s[1].json", "--format", "csv")
    assert [row["outputs"] for row in csv.DictReader(run.out.splitlines())] == ["1"]


def test_the_latex_holds_nothing_that_latex_would_act_on(table: Cli, tmp_path: Path) -> None:
    file = tmp_path / "my_best%sys#&$x.json"
    shutil.copy(CAREFUL, file)
    text = table(file, "--baseline", HASTY).out
    assert r"my\_best\%sys\#\&\$x & " in text
    body, _, bibtex = text.partition("% BibTeX:\n")
    assert all(line.startswith("%") for line in bibtex.splitlines())
    # But for formulae, rows, citations and breaks of the signature all is escaped.
    plain = re.sub(r"\$\|\$|\$<\$|\$\\pm\$|~\\cite", "", body)
    for line in plain.splitlines():
        if not line.startswith("%"):
            assert not re.search(r"(?<!\\)[%#$_^~]", line), line
    cited = {key for keys in re.findall(r"\\cite\{([^}]*)\}", body) for key in keys.split(",")}
    assert cited == set(re.findall(r"@\w+\{([^,]*),", bibtex))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_the_latex_compiles_with_booktabs_alone(table: Cli, tmp_path: Path) -> None:
    file = tmp_path / "my_best%sys#&$x.json"
    shutil.copy(CAREFUL, file)
    text = table(file, HASTY, "--name", f"&%_={CAREFUL}", "--baseline", HASTY).out
    whole = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{text}"
    (tmp_path / "table.tex").write_text(f"{whole}\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-draftmode", "-halt-on-error", "-interaction=nonstopmode", "table.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((CAREFUL, "--format", "json"), "'json' is not one of 'latex', 'md', 'csv'"),
        ((), "give PREDICTIONS, or a row by --name"),
        (("--name", f"A={CAREFUL}", "--baseline", "A"), "a row by --name besides the baseline"),
        (("--name", CAREFUL), "write NAME=FILE"),
        (("--name", f"A={CAREFUL}", "--name", f"A={HASTY}"), "'A' is there twice"),
        ((CAREFUL, HASTY, CAREFUL), "a file is there twice"),
        (("--name", "A=x*.json"), "x*.json: no such file"),
        ((CAREFUL, "--baseline", "nobody"), "nobody: no such file, and no entry of"),
        ((CAREFUL, "--baseline", "nothing.json"), "nothing.json: no such file"),
    ],
)
def test_what_cannot_be_is_refused(cli: Cli, arguments: tuple[object, ...], message: str) -> None:
    assert message in " ".join(cli.refused("table", *arguments).split())


def test_no_table_is_made_where_a_seed_cannot_be_scored(table: Cli, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    assert f"{broken}: not JSON" in table.refused(CAREFUL, broken)


def test_scores_of_other_states_are_refused(table: Cli) -> None:
    message = table.refused(CAREFUL, "--baseline", SCRIPTED)
    assert "different sources of belief states" in message


# References.


def test_papers_of_systems_with_responses_have_authors_title_and_year() -> None:
    references = {
        entry.key: set(reference) - {"key", "kind"}
        for entry in read_entries(PUBLISHED)
        if entry.system.track != "state-tracking"
        and (reference := entry_reference(entry)) is not None
    }
    # A paper that nobody has looked up yet is cited by its address.
    known = {key: fields for key, fields in references.items() if fields != {"note", "url"}}
    assert len(known) > 0.9 * len(references)
    for key, fields in known.items():
        assert {"author", "title", "year", "url"} <= fields, key


@pytest.mark.real_data
def test_two_outputs_beside_an_entry_of_the_board(
    cli: Cli, upstream: Path, multiwoz: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "load_benchmark", lambda name: multiwoz)
    names = ("mars", "soloist")
    folder = upstream / "MultiWOZ_Evaluation" / "predictions"
    files = [folder / f"{name}.json" for name in names]
    run = cli.done("table", *files, "--baseline", "ubar", "--format", "md")
    reports = [read_entry(PUBLISHED / name).scores.main for name in names]
    shown = []
    for name in FIGURES:
        own = [whole_figure(report, name) or 0.0 for report in reports]
        shown.append(f"{fmean(own):.1f} ± {stdev(own):.1f}")
    rows = _rows(run)
    assert [cell.removesuffix("\\*") for cell in rows["System"]] == shown
    (ubar,) = [cells for name, cells in rows.items() if name.startswith("UBAR")]
    assert ubar == ["17.6", "83.4", "70.3", "94.4"]
    assert "UBAR: Towards Fully End-to-End Task-Oriented Dialog Systems with GPT-2" in run.out
