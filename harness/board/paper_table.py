"""The table of a paper: systems beside a baseline, over training seeds, with marks of significance.

A system is its outputs, one per seed. A figure is the mean over them, and this mean is tested: by
the test of `mwz compare` where every system has one output, otherwise by approximate randomisation,
which swaps a dialogue in all outputs of both systems at once. Of outputs that lack turns it is the
lower bound that systems are ranked by. Below the table stands what is to be cited, as BibTeX: the
harness, the definitions of scores and tests, the systems.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import fmean, stdev
from typing import Any

from mwz.normalization import read_toml

from ..comparison import (
    DEFAULT_TEST,
    INTERVAL_LEVEL,
    SEED,
    SIGNIFICANCE,
    TEST_SAMPLES,
    Comparison,
    Evidence,
    Pair,
    check_comparable,
    compare,
    intervals_of,
    p_text,
)
from ..data import declared_names, read_data_set
from ..io import Table, escaped, figure, formatted, in_latex
from ..metrics import MAIN_SETUP
from ..scoring import Report, reporting_words, whole_figure
from ..signature import Signature, harness_version
from .entries import Entry
from .systems import arxiv_number, system_year


@dataclass(frozen=True)
class Reference:
    """A publication to be cited.

    Attributes:
        key: What BibTeX calls it.
        kind: Its kind of entry: "inproceedings", "misc", ….
        fields: Name -> value, in TeX.
        short: What a text without BibTeX calls it: "Post, 2018".
    """

    key: str
    kind: str
    fields: Mapping[str, str]
    short: str

    def bibtex(self) -> str:
        """Return it as an entry of BibTeX."""
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


@cache
def _declared() -> list[tuple[list[str], Reference]]:
    declared = []
    for key, content in read_toml("references.toml", __package__).items():
        subjects, kind = content.pop("of"), content.pop("kind")
        declared.append((subjects, _reference(key, kind, content)))
    return declared


def references(subjects: Collection[str]) -> list[Reference]:
    """Return what is cited for some of the subjects that `references.toml` names, in its order."""
    return [one for of, one in _declared() if not {*subjects}.isdisjoint(of)]


def entry_reference(entry: Entry) -> Reference | None:
    """Return the reference of a system's paper; None without the address of one.

    Where `papers.toml` lacks the paper, it is as much as the address tells.
    """
    address = entry.system.paper
    if address is None:
        return None
    year, number = system_year(entry.system), arxiv_number(address)
    fields: dict[str, str] = dict(read_toml("papers.toml", __package__).get(number or address, {}))
    if not fields:
        fields["note"] = f"The paper of {entry.system.name}"
    fields["url"] = address
    if year is not None:
        fields["year"] = str(year)
    if number is not None:
        fields |= {"eprint": number, "archiveprefix": "arXiv"}
    return _reference(entry.key, "misc", fields)


_PLAIN = ("doi", "url", "eprint", "year")
"""Fields that styles of BibTeX show as they are."""


def _reference(key: str, kind: str, fields: Mapping[str, str]) -> Reference:
    in_tex = {name: value if name in _PLAIN else _in_tex(value) for name, value in fields.items()}
    if "title" in in_tex:
        # What is in braces keeps its capitals.
        in_tex["title"] = f"{{{in_tex['title']}}}"
    families = [one.split(",")[0].strip("{}") for one in fields.get("author", "").split(" and ")]
    who = " and ".join(families) if len(families) < 3 else f"{families[0]} et al."
    return Reference(
        key, kind, in_tex, ", ".join(filter(None, [who or key, fields.get("year", "")]))
    )


_ACCENTS = {"\u0301": "'", "\u0303": "~", "\u0308": '"', "\u030c": "v", "\u030a": "r"}


def _in_tex(text: str) -> str:
    """Return a text as any BibTeX can read it: letters with accents in TeX; braces stay."""
    if text.startswith("{"):
        return text
    text = in_latex(text)
    for letter in sorted(set(re.findall(r"[^\x00-\x7f]", text))):
        plain, *marks = list(unicodedata.normalize("NFD", letter))
        if len(marks) == 1 and marks[0] in _ACCENTS:
            text = text.replace(letter, f"{{\\{_ACCENTS[marks[0]]}{{{plain}}}}}")
    return text.replace("ł", "{\\l}")


MARK = "*"


@dataclass(frozen=True)
class PaperSystem:
    """A row of the table.

    Attributes:
        name: What it is called.
        reports: The scores of each output, at least one; none of live dialogues.
        evidence: What is known of each, in the form of what entries store; or of live dialogues.
        entry: Its entry, if it is on a board.
    """

    name: str
    reports: Sequence[Report]
    evidence: Sequence[Evidence]
    entry: Entry | None = None

    def values(self, name: str) -> list[float]:
        """Return a figure of each output, over the whole benchmark."""
        values = [whole_figure(report, name) for report in self.reports]
        numbers = [value for value in values if value is not None]
        return numbers if self.reports else [one.scores[name] for one in self.evidence]

    def to_dict(self, compared: Pair | None, tested: bool) -> dict[str, Any]:
        """Return the row as JSON types: mean and deviation of each figure, p after correction."""
        row: dict[str, Any] = {"system": self.name, "outputs": len(self.evidence)}
        for name in self.evidence[0].figures:
            values = self.values(name)
            row[name] = fmean(values)
            row[f"{name}_deviation"] = stdev(values) if len(values) > 1 else None
            if not self.reports:
                interval = intervals_of(self.evidence[0])[name]
                row |= {f"{name}_low": interval.low, f"{name}_high": interval.high}
            row[f"{name}_p"] = compared.differences[name].p_holm if compared else None
        signatures = dict.fromkeys(str(_signed(one.signature, tested)) for one in self.evidence)
        return {**row, "signature": "; ".join(signatures)}

    def text(self, name: str, compared: Pair | None) -> str:
        """Return a figure as the table shows it: mean and deviation or interval, and its mark."""
        mark = MARK * (compared is not None and compared.differences[name].significant)
        if not self.reports:
            return intervals_of(self.evidence[0])[name].text(1) + mark
        values = self.values(name)
        mean = figure(fmean(values))
        return (mean if len(values) == 1 else f"{mean} ± {figure(stdev(values))}") + mark


def paper(
    baseline: PaperSystem | None,
    systems: Sequence[PaperSystem],
    format_: str,
    plays: str = "",
) -> str:
    """Return the table with its caption, the sentence to put under it, and what is cited.

    Args:
        baseline: The baseline; None to test nothing.
        systems: The systems, at least one.
        format_: "latex", "md", or "csv", which has the figures alone.
        plays: What was played, if they are live dialogues.

    Raises:
        InputError: Some scores do not compare.
    """
    rows = _distinct([*([] if baseline is None else [baseline]), *systems])
    check_comparable([one for row in rows for one in row.evidence])
    compared = _compared(rows) if baseline is not None else None
    figures = rows[0].evidence[0].figures
    pairs = {pair.b: pair for pair in (compared.pairs if compared else ())}
    cells = [[row.name, *(row.text(n, pairs.get(row.name)) for n in figures)] for row in rows]
    headers = ["", *(one.title for one in figures.values())]
    data = [row.to_dict(pairs.get(row.name), compared is not None) for row in rows]
    table = Table("paper", _caption(rows, compared, plays), headers, cells, data)
    if format_ == "csv":
        return formatted([table], format_)
    tests = {} if compared is None else _tests(compared)
    sentence = " ".join(_sentence(rows, tests, format_, plays))
    bibtex = "\n\n".join(one.bibtex() for one in _cited(rows, tests, plays))
    if format_ == "latex":
        comments = "\n".join(f"% {line}".rstrip() for line in bibtex.splitlines())
        body = formatted([table], format_)
        return f"{body}\n% Below the table:\n{sentence}\n\n% BibTeX:\n{comments}\n"
    titled = replace(table, title="Results", notes=[table.title])
    return f"{formatted([titled], format_)}\n{sentence}\n\n```bibtex\n{bibtex}\n```\n"


_TESTS = {
    "mcnemar": "McNemar's test{} of ",
    "randomisation": f"approximate randomisation{{}}, {TEST_SAMPLES[DEFAULT_TEST]:,} samples, of ",
    "holm": "corrected by Holm{}",
}


def _tests(compared: Comparison) -> dict[str, str]:
    """Return the tests that mark differences, of `_TESTS` -> the titles of what they are of."""
    tested: dict[str, list[str]] = {}
    for name, one in compared.figures.items():
        for test in dict.fromkeys(pair.differences[name].test for pair in compared.pairs):
            tested.setdefault(test, []).append(one.title)
    tests = {test: " and ".join(titles) for test, titles in tested.items()}
    return tests | ({"holm": ""} if len(compared.pairs) > 1 else {})


def _distinct(rows: Sequence[PaperSystem]) -> list[PaperSystem]:
    """Return the rows, each by a name of its own."""
    distinct = []
    for at, row in enumerate(rows):
        before = [other.name for other in rows[:at]].count(row.name)
        distinct.append(replace(row, name=f"{row.name} ({before + 1})") if before else row)
    return distinct


def _compared(rows: Sequence[PaperSystem]) -> Comparison:
    """Compare all rows with the first one."""
    several = any(len(row.evidence) > 1 for row in rows)
    evidence = [
        mean_of(row.name, row.evidence) if several else replace(row.evidence[0], name=row.name)
        for row in rows
    ]
    return compare(evidence[0], evidence[1:])


def _caption(rows: Sequence[PaperSystem], compared: Comparison | None, plays: str) -> str:
    name = str(rows[0].evidence[0].signature.benchmark)
    data = read_data_set(name).title if name in declared_names() else name
    parts = [f"{plays}, with {INTERVAL_LEVEL} % intervals" if plays else f"Results on {data}"]
    numbers = {row.name: len(row.evidence) for row in rows}
    if max(numbers.values()) > 1:
        each = ", ".join(f"{name} {number}" for name, number in numbers.items())
        parts.append(f"mean ± standard deviation over training seeds ({each})")
    if compared is not None:
        holm = ", after Holm's correction" if len(rows) > 2 else ""
        level = p_text(SIGNIFICANCE)
        parts.append(f"{MARK} differs from {compared.baseline} with p < {level}{holm}")
    return "; ".join(parts) + "."


def _cite(cited: Sequence[Reference], format_: str) -> str:
    """Cite references behind a word; nothing where there are none."""
    if not cited:
        return ""
    if format_ == "latex":
        return f"~\\cite{{{','.join(one.key for one in cited)}}}"
    return f" ({escaped('; '.join(one.short for one in cited))})"


def _code(text: str, format_: str) -> str:
    """Return a signature as it is shown; in LaTeX it may break after each of its fields."""
    if format_ == "latex":
        return f"\\texttt{{{in_latex(text)}}}".replace("$|$", "$|$\\allowbreak{}")
    return f"`{text}`"


def _sentence(
    rows: Sequence[PaperSystem], tests: Mapping[str, str], format_: str, plays: str
) -> Iterator[str]:
    """Yield the sentences to put under the table; the last one is the signature."""
    escape = in_latex if format_ == "latex" else escaped

    def cited(subject: str) -> str:
        return _cite(references([subject]), format_)

    if plays:
        benchmark = str(rows[0].evidence[0].signature.benchmark)
        yield f"Scores by multiwoz-harness {harness_version()}{cited('harness')}, on"
        words = "is of k trials of a task, all solved, for k up to the fewest trials of a row"
        yield f"{benchmark}{cited(benchmark)}; {escape('pass^k')}{cited('pass')} {words}."
    else:
        alike = len({one.signature.domains for row in rows for one in row.reports}) == 1
        yield reporting_words(rows[0].reports[0], [MAIN_SETUP], alike, cited, escape)
    for row in rows:
        if row.entry is not None and (reference := entry_reference(row.entry)) is not None:
            yield f"{escape(row.name)} is the system of{_cite([reference], format_)}."
    if tests:
        words = "; ".join(_TESTS[test].format(cited(test)) + of for test, of in tests.items())
        yield f"Tests by {'task' if plays else 'dialogue'}: {words}."
    for row in rows:
        each = [one.coverage.of_turns - one.coverage.turns for one in row.reports]
        if lacking := max(each, default=0):
            who = escape(row.name) if min(each) == lacking else f"A seed of {escape(row.name)}"
            played = "; tests are on the dialogues that both systems submit" if tests else ""
            turns = f"{lacking} of {row.reports[0].coverage.of_turns} turns"
            yield f"{who} lacks {turns}, which count as failed{played}."
    signed: dict[str, list[str]] = {}
    for row in rows:
        for one in row.evidence:
            systems = signed.setdefault(str(_signed(one.signature, bool(tests))), [])
            systems += [] if row.name in systems else [row.name]
    of = {one: "" if len(signed) == 1 else f"{escape(', '.join(n))}: " for one, n in signed.items()}
    signatures = (names + _code(signature, format_) for signature, names in of.items())
    yield f"Signature: {'; '.join(signatures)}"


def _signed(signature: Signature, tested: bool) -> Signature:
    """Return the signature of a row with that of the test; missing turns tell rows apart."""
    test = {"test": DEFAULT_TEST, "samples": str(TEST_SAMPLES[DEFAULT_TEST]), "seed": str(SEED)}
    parameters = {**signature.parameters, **(test if tested else {})}
    return replace(signature, coverage=None, parameters=parameters)


def _cited(rows: Sequence[PaperSystem], tests: Mapping[str, str], plays: str) -> list[Reference]:
    """Return all references of the table, each once."""
    scores = ["pass"] if plays else ["inform", "bleu"]
    subjects = ["harness", *scores, str(rows[0].evidence[0].signature.benchmark), *tests]
    papers = (entry_reference(row.entry) for row in rows if row.entry is not None)
    every = [*references(subjects), *filter(None, papers)]
    return list({one.key: one for one in every}.values())


def mean_of(name: str, outputs: Sequence[Evidence]) -> Evidence:
    """Return the evidence of a system from several outputs, such as those of training seeds.

    Its figures are the means of theirs, on the dialogues that all of them play.

    Args:
        name: What to call the system.
        outputs: What is known of each output, at least one, with the same metrics.
    """
    first = outputs[0]
    played = set.intersection(*(set(one.dialogues) for one in outputs))
    common = [id_ for id_ in first.dialogues if id_ in played]
    parts = [one.part(common) for one in outputs]
    statistics = {
        metric: [one for part in parts for one in part.statistics[metric]]
        for metric in first.statistics
    }
    return Evidence(name, first.signature, tuple(common), statistics)
