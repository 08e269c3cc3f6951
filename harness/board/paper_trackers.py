"""Rows of trackers in the table of a paper: JGA with each version of the gold states, F1, FGA, GCA.

JGA is made of exact turns, as entries store them, so that an entry without outputs is tested as
well. F1, FGA and GCA are with the benchmark's own gold states, or the first ones that are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from ..comparison import Evidence
from ..data import gold_versions
from ..errors import InputError
from ..metrics import (
    HEADLINE_LAMBDA,
    MAIN,
    Choices,
    Figure,
    Figures,
    Metric,
    Presentation,
    Sums,
    TrackedFile,
    count_exact_turns,
    dialogue_rows,
    dialogue_states,
    heading,
    percent,
    tracking_shares,
)
from ..scoring import Coverage
from ..signature import SHOWN_HASH, Signature
from ..submission import dialogue_id
from .entries import Entry
from .pairs import states_of_file, stored_states
from .paper_table import PaperSystem

_CHOICES = Choices(lambdas=[HEADLINE_LAMBDA])


def version_of(file: TrackedFile) -> str:
    """Return the version of the gold states that a file is compared with; empty for its own."""
    return "" if file.gold is None else file.gold.version


def main_version(benchmark: str, versions: Sequence[str]) -> str:
    """Return the version that F1, FGA and GCA are with: the benchmark's own, or the first."""
    own_version, _ = gold_versions(benchmark)
    return own_version if own_version is not None and own_version in versions else versions[0]


def _figure(key: str, version: str) -> Figure:
    """Return a figure with the gold states of a version."""
    title = f"{heading(key)} ({version})" if version else heading(key)
    return Figure(f"{key}.{version}" if version else key, title, main=True)


def tracker_row(
    name: str, seeds: Sequence[Sequence[TrackedFile]], entry: Entry | None = None
) -> PaperSystem:
    """Return the row of a tracker.

    Args:
        name: What it is called.
        seeds: Of each of its outputs, the dialogues beside each version of the gold states.
        entry: Its entry, if it is on a board.
    """
    evidence, coverages = [], []
    for files in seeds:
        versions = [version_of(file) for file in files]
        parts = []
        for file in files:
            file.refuse_without_values("a table")
            parts.append(states_of_file(name, file, _figure(MAIN[0], version_of(file))))
        main = files[0]
        if main.benchmark is not None:
            main = files[versions.index(main_version(main.benchmark.name, versions))]
            coverages.append(_coverage(main))
        parts.append(_details(name, main, parts[files.index(main)].signature))
        evidence.append(_joined(name, parts, versions))
    return PaperSystem(name, (), evidence, entry, coverages=coverages)


def stored_row(entry: Entry, versions: Sequence[str]) -> PaperSystem:
    """Return the row of an entry from what it stores: JGA by dialogue, the other figures as such.

    Args:
        entry: The entry.
        versions: Of the gold states.

    Raises:
        InputError: Nothing is stored of its turns against one of them, or none are given.
    """
    if not versions:
        problem = "stores nothing of its turns against the gold states here; its outputs are needed"
        raise InputError(f"entry {entry.key}", problem)
    stored: dict[Figure, float] = {}
    parts = []
    for version in versions:
        parts.append(stored_states(entry, version, _figure(MAIN[0], version)))
    by_version = {scores.version: scores for scores in entry.scores.tracked()}
    scores = by_version[main_version(parts[0].signature.benchmark or "", versions)]
    for key in MAIN[1:]:
        stored[_figure(key, scores.version or "")] = scores.result.figures[key]
    evidence = [_joined(entry.key, parts, versions)]
    return PaperSystem(entry.system.name, (), evidence, entry, stored, [scores.coverage])


def zero_shot_row(
    name: str, seeds: Sequence[Mapping[str, TrackedFile]], domains: Sequence[str]
) -> PaperSystem:
    """Return the row of a tracker with JGA of each domain by itself, and their mean.

    A domain by itself is its slots, over all turns of the dialogues that have it in their goal, as
    zero-shot papers report the domain that a tracker was trained without.

    Args:
        name: What it is called.
        seeds: Of each of its outputs, domain -> the file that tracks it, with goals.
        domains: The domains to show, which all outputs have.
    """
    figures = [Figure(f"JGA.{domain}", domain, main=True) for domain in domains]
    if len(domains) > 1:
        figures.append(Figure("JGA.mean", "mean", main=True))

    def formula(sums: Sums) -> Figures:
        shares = {}
        for domain in domains:
            shares[f"JGA.{domain}"] = percent(sums[f"{domain} exact"], sums[f"{domain} turns"])
        return {**shares, "JGA.mean": sum(shares.values()) / len(shares)}

    metric: Metric[object] = Metric(
        "zero-shot",
        Presentation("JGA", figures=figures),
        formula=formula,
        takes_samples=True,
    )
    columns = []
    for domain in domains:
        columns += [f"{domain} turns", f"{domain} exact"]
    evidence = []
    for by_domain in seeds:
        rows: dict[str, dict[str, float]] = {}
        golds: dict[str, str] = {}
        for domain in domains:
            choices = replace(_CHOICES, only=(domain,))
            file = by_domain[domain]
            file.refuse_without_values("a table")
            signature = states_of_file(name, file).signature
            golds[f"gold-{domain}"] = (signature.gold or "")[:SHOWN_HASH]
            for dialogue in file.dialogues:
                if domain in dialogue.goal_domains:
                    count = count_exact_turns(dialogue_states(dialogue, choices))
                    row = rows.setdefault(dialogue_id(dialogue.id), dict.fromkeys(columns, 0))
                    row[f"{domain} turns"] += count["turns"]
                    row[f"{domain} exact"] += count["exact_turns"]
        signature = replace(signature, gold=None, parameters={**golds, "per-domain": "dialogues"})
        evidence.append(Evidence.from_rows(name, signature, metric, dict(sorted(rows.items()))))
    return PaperSystem(name, (), evidence)


def _coverage(file: TrackedFile) -> Coverage:
    """Return how much is tracked of the dialogues of a benchmark that gold states have."""
    assert file.benchmark is not None
    turns = {id_: dialogue.turns for id_, dialogue in file.benchmark.dialogues.items()}
    if file.gold is not None:
        turns = {id_: turns[id_] for id_ in file.gold.states}
    tracked = sum(len(dialogue.gold) for dialogue in file.dialogues)
    return Coverage(len(file.dialogues), len(turns), tracked, sum(turns.values()))


def _details(name: str, file: TrackedFile, signature: Signature) -> Evidence:
    """Return the evidence of F1, FGA and GCA, each dialogue called as in that of JGA."""
    version = version_of(file)
    names = {key: _figure(key, version).name for key in MAIN[1:]}

    def formula(sums: Sums) -> Figures:
        shares = tracking_shares(sums, _CHOICES)
        return {figure: shares[key] for key, figure in names.items()}

    metric: Metric[object] = Metric(
        "details",
        Presentation("State tracking", figures=[_figure(key, version) for key in names]),
        formula=formula,
        takes_samples=True,
    )
    counted = {}
    for id_, row in dialogue_rows(file.dialogues, _CHOICES).items():
        counted[dialogue_id(id_)] = row
    rows = counted
    if file.benchmark is not None:
        rows = {}
        for number, id_ in enumerate(file.benchmark.dialogues):
            if id_ in counted:
                rows[str(number)] = counted[id_]
    return Evidence.from_rows(name, signature, metric, rows)


def _joined(name: str, parts: Sequence[Evidence], versions: Sequence[str]) -> Evidence:
    """Return what parts know of one system: a dialogue that one of them lacks counts nothing there.

    The signature names the gold states of each version.
    """
    dialogues = list(dict.fromkeys(chain.from_iterable(part.dialogues for part in parts)))
    places = {id_: place for place, id_ in enumerate(dialogues)}
    statistics = {}
    for part in parts:
        for metric, [known] in part.statistics.items():
            numbers = np.zeros((len(dialogues), len(known.columns)))
            numbers[[places[id_] for id_ in part.dialogues]] = known.numbers
            statistics[metric] = [replace(known, numbers=numbers)]
    parameters = {"lambda": f"{HEADLINE_LAMBDA}", "dontcare": "keep", "none": "absent"}
    signature = parts[0].signature
    for version, part in zip(versions, parts, strict=False):
        if version:
            parameters[f"gold-{version}"] = (part.signature.gold or "")[:SHOWN_HASH]
            signature = replace(signature, gold=None)
    return Evidence(name, replace(signature, parameters=parameters), tuple(dialogues), statistics)
