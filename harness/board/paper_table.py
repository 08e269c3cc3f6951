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
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import fmean, stdev
from typing import TypeAlias

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
from ..metrics import MAIN_SETUP, Figure
from ..scoring import Coverage, Report, reporting_words, whole_figure
from ..signature import HARNESS, current_versions
from .entries import Entry
from .systems import arxiv_number, system_year

Reference: TypeAlias = Mapping[str, str]
"""A publication to be cited: field of BibTeX -> text, with the name of the reference as "key" and
the kind of its entry ("inproceedings", "misc", …) as "kind"."""


def references(subjects: Collection[str]) -> list[Reference]:
    """Return what is cited for some of the subjects that `references.toml` names, in its order."""
    cited: list[Reference] = []
    for key, content in read_toml("references.toml", __package__).items():
        if not set(subjects).isdisjoint(content["of"]):
            reference = {"key": key, **content}
            del reference["of"]
            cited.append(reference)
    return cited


def entry_reference(entry: Entry | None) -> Reference | None:
    """Return the reference of a system's paper; None without an entry or the address of a paper.

    Where `papers.toml` lacks the paper, it is as much as the address tells.
    """
    if entry is None or entry.system.paper is None:
        return None
    address = entry.system.paper
    year, number = system_year(entry.system), arxiv_number(address)
    about = {"note": f"The paper of {entry.system.name}"}
    about = read_toml("papers.toml", __package__).get(number or address, about)
    reference = {"key": entry.key, "kind": "misc", **about, "url": address}
    if year is not None:
        reference["year"] = str(year)
    if number is not None:
        reference |= {"eprint": number, "archiveprefix": "arXiv"}
    return reference


def short_reference(reference: Reference) -> str:
    """Return what a text without BibTeX calls a publication.

    >>> short_reference({"key": "bleu", "author": "Post, Matt", "year": "2018"})
    'Post, 2018'
    """
    authors = reference.get("author", "").split(" and ")
    families = [author.split(",")[0].strip("{}") for author in authors]
    short = " and ".join(families) or reference["key"]
    if len(families) > 2:
        short = f"{families[0]} et al."
    if reference.get("year"):
        short += f", {reference['year']}"
    return short


_PLAIN = ("doi", "url", "eprint", "year")
"""Fields that styles of BibTeX show as they are."""

_ACCENTS = {"\u0301": "'", "\u0303": "~", "\u0308": '"', "\u030c": "v", "\u030a": "r"}


def bibtex(reference: Reference) -> str:
    """Return a reference as an entry of BibTeX that any BibTeX can read."""
    lines = [f"@{reference['kind']}{{{reference['key']},"]
    for name, text in reference.items():
        if name in ("key", "kind"):
            continue
        value = text
        # Names in braces stay as they are.
        if name not in _PLAIN and not text.startswith("{"):
            value = in_latex(text).replace("ł", "{\\l}")
            for letter in sorted(set(re.findall(r"[^\x00-\x7f]", value))):
                decomposed = unicodedata.normalize("NFD", letter)
                accent = _ACCENTS.get(decomposed[1:])
                if accent is not None:
                    value = value.replace(letter, f"{{\\{accent}{{{decomposed[0]}}}}}")
        if name == "title":
            # A title in braces keeps its capitals.
            value = f"{{{value}}}"
        lines.append(f"  {name} = {{{value}}},")
    return "\n".join([*lines, "}"])


MARK = "*"

_OF_STATES = ("states", "zero-shot")
"""Which rows are of trackers."""


@dataclass(frozen=True)
class PaperSystem:
    """A row of the table.

    Attributes:
        name: What it is called.
        reports: The scores of each output, at least one; none of live dialogues and of trackers.
        evidence: What is known of each, in the form of what entries store; or of live dialogues.
        entry: Its entry, if it is on a board.
        stored: Figure -> value, of those that its entry stores and that cannot be tested.
        coverages: How much of the benchmark each output plays, where that is known.
    """

    name: str
    reports: Sequence[Report]
    evidence: Sequence[Evidence]
    entry: Entry | None = None
    stored: Mapping[Figure, float] = field(default_factory=dict)
    coverages: Sequence[Coverage] = ()

    @property
    def figures(self) -> dict[str, Figure]:
        """Name -> figure, of all that is known."""
        stored = {shown.name: shown for shown in self.stored}
        return {**self.evidence[0].figures, **stored}

    def values(self, name: str) -> list[float]:
        """Return a figure of each output, over the whole benchmark; nothing if it is not known."""
        if not self.reports:
            stored = [value for shown, value in self.stored.items() if shown.name == name]
            tested = [output.scores[name] for output in self.evidence if name in output.scores]
            return stored + tested
        values = []
        for report in self.reports:
            value = whole_figure(report, name)
            if value is not None:
                values.append(value)
        return values

    def to_dict(
        self, figures: Mapping[str, Figure], compared: Pair | None, kind: str, tested: bool
    ) -> dict[str, object]:
        """Return the row as JSON types: mean and deviation of each figure, p after correction."""
        row: dict[str, object] = {"system": self.name, "outputs": len(self.evidence)}
        differences = {} if compared is None else compared.differences
        for name in figures:
            values = self.values(name)
            row[name] = fmean(values) if values else None
            row[f"{name}_deviation"] = None
            if len(values) > 1:
                row[f"{name}_deviation"] = stdev(values)
            if kind == "plays":
                interval = intervals_of(self.evidence[0])[name]
                row |= {f"{name}_low": interval.low, f"{name}_high": interval.high}
            row[f"{name}_p"] = differences[name].p_holm if name in differences else None
        row["signature"] = "; ".join(self.signatures(tested))
        return row

    def signatures(self, tested: bool) -> list[str]:
        """Return the distinct signatures of the outputs, with that of the test if one is made.

        Missing turns are left out: a sentence says which rows lack some.
        """
        distinct: dict[str, None] = {}
        for evidence in self.evidence:
            parameters = dict(evidence.signature.parameters)
            if tested:
                parameters["test"] = DEFAULT_TEST
                parameters["samples"] = str(TEST_SAMPLES[DEFAULT_TEST])
                parameters["seed"] = str(SEED)
            signature = replace(evidence.signature, coverage=None, parameters=parameters)
            distinct[str(signature)] = None
        return list(distinct)

    def text(self, shown: Figure, compared: Pair | None, kind: str) -> str:
        """Return a figure as the table shows it: mean and deviation or interval, and its mark."""
        differences = {} if compared is None else compared.differences
        mark = ""
        if shown.name in differences and differences[shown.name].significant:
            mark = MARK
        if kind == "plays":
            return intervals_of(self.evidence[0])[shown.name].text(1) + mark
        values = self.values(shown.name)
        if not values:
            return "–"
        digits = 2 if kind in _OF_STATES else 1
        text = figure(fmean(values), digits)
        if len(values) > 1:
            text += f" ± {figure(stdev(values), digits)}"
        return text + mark


def paper(
    baseline: PaperSystem | None,
    systems: Sequence[PaperSystem],
    format_: str,
    kind: str = "responses",
    about: str = "",
) -> str:
    """Return the table with its caption, the sentence to put under it, and what is cited.

    Args:
        baseline: The baseline; None to test nothing.
        systems: The systems, at least one.
        format_: "latex", "md", or "csv", which has the figures alone.
        kind: What the rows are of, a key of `_CITED`.
        about: What was played, of live dialogues; what is shown, of trackers.

    Raises:
        InputError: Some scores do not compare.
    """
    rows = list(systems)
    if baseline is not None:
        rows.insert(0, baseline)
    # Entries without outputs may lack some figures.
    figures = max((row.figures for row in rows), key=len)
    common = set(figures).intersection(*(row.evidence[0].figures for row in rows))
    tested: list[PaperSystem] = []
    numbers: Counter[str] = Counter()
    for place, row in enumerate(rows):
        numbers[row.name] += 1
        if numbers[row.name] > 1:
            rows[place] = replace(row, name=f"{row.name} ({numbers[row.name]})")
        evidence = [output.of_figures(common) for output in row.evidence]
        tested.append(replace(rows[place], evidence=evidence))
    check_comparable(list(chain.from_iterable(row.evidence for row in tested)))
    compared: Comparison | None = None
    pairs: dict[str, Pair] = {}
    tests: dict[str, str] = {}
    if baseline is not None:
        compared, tests = _compared(tested)
        pairs = {pair.b: pair for pair in compared.pairs}
    cells, data = [], []
    for row in rows:
        pair = pairs.get(row.name)
        cells.append([row.name] + [row.text(shown, pair, kind) for shown in figures.values()])
        data.append(row.to_dict(figures, pair, kind, compared is not None))
    headers = ["", *(headline.title for headline in figures.values())]
    table = Table("paper", _caption(rows, compared, kind, about), headers, cells, data)
    if format_ == "csv":
        return formatted([table], format_)
    sentence = " ".join(_sentence(rows, tests, format_, kind, figures))
    # All references of the table, each once.
    benchmark = str(rows[0].evidence[0].signature.benchmark)
    publications = references(["harness", benchmark, *_cited(kind, figures), *tests])
    for row in rows:
        publication = entry_reference(row.entry)
        if publication is not None and publication not in publications:
            publications.append(publication)
    cited = "\n\n".join(map(bibtex, publications))
    if format_ == "latex":
        comments = "\n".join(f"% {line}".rstrip() for line in cited.splitlines())
        body = formatted([table], format_)
        return f"{body}\n% Below the table:\n{sentence}\n\n% BibTeX:\n{comments}\n"
    titled = replace(table, title="Results", notes=[table.title])
    return f"{formatted([titled], format_)}\n{sentence}\n\n```bibtex\n{cited}\n```\n"


_CITED = {
    "responses": ("inform", "bleu"),
    "plays": ("pass",),
    "states": ("JGA", "F1", "FGA", "GCA"),
    "zero-shot": ("JGA", "zero-shot"),
}
"""What the rows of a table are of -> what the references of its figures are of."""

_TRACKING = {
    "JGA": ("joint goal accuracy", ""),
    "zero-shot": ("each domain by itself", "over all turns of dialogues with it in their goal"),
    "F1": ("F1 of slots", ""),
    "FGA": ("FGA", "with λ = 0.5"),
    "GCA": ("GCA", ""),
    "2.1": ("gold states of MultiWOZ 2.1", ""),
    "2.3": ("gold states of MultiWOZ 2.3", ""),
    "2.4": ("gold states of MultiWOZ 2.4", ""),
}
"""What references of trackers' figures are of -> what a sentence says before and after them."""


def _cited(kind: str, figures: Iterable[str]) -> list[str]:
    """Return what the references of figures are of, versions of the gold states included."""
    versions = []
    for version in ("2.1", "2.3", "2.4"):
        if any(name.endswith(f".{version}") for name in figures):
            versions.append(version)
    return [*_CITED[kind], *versions]


_TESTS = {
    "mcnemar": "McNemar's test{} of ",
    "randomisation": f"approximate randomisation{{}}, {TEST_SAMPLES[DEFAULT_TEST]:,} samples, of ",
    "holm": "corrected by Holm{}",
}


def _compared(rows: Sequence[PaperSystem]) -> tuple[Comparison, dict[str, str]]:
    """Compare all rows with the first one.

    Returns:
        The comparison, and the tests that mark differences: of `_TESTS` -> the titles of the
        figures that each is of.
    """
    has_seeds = any(len(row.evidence) > 1 for row in rows)
    compared = []
    for row in rows:
        if has_seeds:
            compared.append(mean_of(row.name, row.evidence))
        else:
            compared.append(replace(row.evidence[0], name=row.name))
    comparison = compare(compared[0], compared[1:])
    tests: dict[str, str] = {}
    for name, headline in comparison.figures.items():
        for test in dict.fromkeys(pair.differences[name].test for pair in comparison.pairs):
            earlier = f"{tests[test]} and " if test in tests else ""
            tests[test] = earlier + headline.title
    if len(comparison.pairs) > 1:
        tests["holm"] = ""
    return comparison, tests


def _caption(
    rows: Sequence[PaperSystem], compared: Comparison | None, kind: str, about: str
) -> str:
    data = str(rows[0].evidence[0].signature.benchmark)
    if data in declared_names():
        data = read_data_set(data).title
    phrases = [f"Results on {data}"]
    if kind == "plays":
        phrases = [f"{about}, with {INTERVAL_LEVEL} % intervals"]
    elif kind in _OF_STATES:
        known = "" if rows[0].evidence[0].signature.benchmark is None else f" on {data}"
        phrases = [f"State tracking{known}, {about}"]
    if any(len(row.evidence) > 1 for row in rows):
        seeds = ", ".join(f"{row.name} {len(row.evidence)}" for row in rows)
        phrases.append(f"mean ± standard deviation over training seeds ({seeds})")
    if compared is not None:
        holm = ", after Holm's correction" if len(rows) > 2 else ""
        level = p_text(SIGNIFICANCE)
        phrases.append(f"{MARK} differs from {compared.baseline} with p < {level}{holm}")
    return "; ".join(phrases) + "."


def _cite(cited: Sequence[Reference], format_: str) -> str:
    """Cite references behind a word; nothing where there are none."""
    if not cited:
        return ""
    if format_ == "latex":
        return f"~\\cite{{{','.join(reference['key'] for reference in cited)}}}"
    return f" ({escaped('; '.join(map(short_reference, cited)))})"


def _sentence(
    rows: Sequence[PaperSystem],
    tests: Mapping[str, str],
    format_: str,
    kind: str,
    figures: Mapping[str, Figure],
) -> Iterator[str]:
    """Yield the sentences to put under the table; the last one is the signature."""
    escape = in_latex if format_ == "latex" else escaped

    def cited(subject: str) -> str:
        return _cite(references([subject]), format_)

    benchmark = str(rows[0].evidence[0].signature.benchmark)
    maker = f"Scores by multiwoz-harness {current_versions()[HARNESS]}{cited('harness')}"
    if kind in _OF_STATES:
        words = ", ".join(_tracking_words(_cited(kind, figures), cited, escape))
        known = f", on {escape(benchmark)}{cited(benchmark)}" if cited(benchmark) else ""
        yield f"{maker}{known}: {words}."
    elif kind == "plays":
        yield f"{maker}, on"
        words = "is of k trials of a task, all solved, for k up to the fewest trials of a row"
        yield f"{benchmark}{cited(benchmark)}; {escape('pass^k')}{cited('pass')} {words}."
    else:
        reports = chain.from_iterable(row.reports for row in rows)
        sources = {report.signature.domains for report in reports}
        yield reporting_words(rows[0].reports[0], [MAIN_SETUP], len(sources) == 1, cited, escape)
    for row in rows:
        reference = entry_reference(row.entry)
        if reference is not None:
            yield f"{escape(row.name)} is the system of{_cite([reference], format_)}."
    if tests:
        phrases = [_TESTS[test].format(cited(test)) + titles for test, titles in tests.items()]
        yield f"Tests by {'task' if kind == 'plays' else 'dialogue'}: {'; '.join(phrases)}."
    for row in rows:
        coverages = [*row.coverages, *(report.coverage for report in row.reports)]
        missing = [coverage.of_turns - coverage.turns for coverage in coverages]
        most = max(missing, default=0)
        if most:
            subject = escape(row.name) if min(missing) == most else f"A seed of {escape(row.name)}"
            played = "; tests are on the dialogues that both systems submit" if tests else ""
            turns = f"{most} of {coverages[0].of_turns} turns"
            count = "are left out" if kind in _OF_STATES else "count as failed"
            yield f"{subject} lacks {turns}, which {count}{played}."
    untested = [row.name for row in rows if tests and len(row.evidence[0].figures) < len(figures)]
    if untested:
        names = escape(", ".join(untested))
        yield f"The outputs of {names} are missing: other figures than JGA are not tested."
    yield f"Signature: {'; '.join(_signatures(rows, bool(tests), format_))}"


def _tracking_words(
    subjects: Iterable[str], cited: Callable[[str], str], escape: Callable[[str], str]
) -> Iterator[str]:
    """Yield what the figures of trackers are, each citing its source."""
    for subject in subjects:
        before, after = map(escape, _TRACKING[subject])
        yield f"{before}{cited(subject)} {after}".rstrip()


def _signatures(rows: Sequence[PaperSystem], tested: bool, format_: str) -> list[str]:
    """Return the signatures of a table, each behind the rows that have it if there are several."""
    names_by_signature: dict[str, list[str]] = {}
    for row in rows:
        for signature in row.signatures(tested):
            names_by_signature.setdefault(signature, []).append(row.name)
    escape = in_latex if format_ == "latex" else escaped
    signatures = []
    for signature, names in names_by_signature.items():
        text = f"`{signature}`"
        if format_ == "latex":
            # In LaTeX a signature may break after each of its fields.
            breaking = in_latex(signature).replace("$|$", "$|$\\allowbreak{}")
            text = f"\\texttt{{{breaking}}}"
        if len(names_by_signature) > 1:
            text = f"{escape(', '.join(names))}: {text}"
        signatures.append(text)
    return signatures


def mean_of(name: str, outputs: Sequence[Evidence]) -> Evidence:
    """Return the evidence of a system from several outputs, such as those of training seeds.

    Its figures are the means of theirs, on the dialogues that all of them play.

    Args:
        name: What to call the system.
        outputs: What is known of each output, at least one, with the same metrics.
    """
    first = outputs[0]
    common = list(first.dialogues)
    for evidence in outputs[1:]:
        played = set(evidence.dialogues)
        common = [id_ for id_ in common if id_ in played]
    on_common = [evidence.part(common) for evidence in outputs]
    statistics = {}
    for metric in first.statistics:
        by_output = [evidence.statistics[metric] for evidence in on_common]
        statistics[metric] = list(chain.from_iterable(by_output))
    return Evidence(name, first.signature, tuple(common), statistics)
