"""What is wrong with entries, as far as that can be told without scoring them again.

That an entry is a copy of another one shows by the fingerprints that entries store.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from mwz.normalization.rules import DEFAULT_RULES

from ..benchmark import CANONICAL_STYLE
from ..comparison.interval import Interval, spread_of
from ..comparison.trials import pass_interval
from ..diagnosis.losses import Points
from ..errors import InputError, unknown
from ..io.files import is_plain_file, read_plain
from ..metrics import headlines
from ..metrics.inform import combined
from ..metrics.lower_bound import LowerBound
from ..metrics.setups import MAIN_SETUP
from ..metrics.signs import COPY_SIGNS, SignFigure
from ..scoring.report import Report
from ..signature import PLACEHOLDERS
from . import LEXICALISED, track_problem
from .entries import ENTRY_FILE, Entry, folder_name
from .pairs import PAIRS_FILE, wrong_pairs
from .scores import (
    DIALOGUES_FILE,
    FIGURES,
    SCORES_FILE,
    SEEDS_FILE,
    Causes,
    DialogueScores,
    is_close,
    plain,
)
from .turn_marks import Fingerprints

GROUNDED = "grounded"

WAY_BACK = 1.0
"""Points of Inform and Success by which scores that come back may differ."""


def entry_problems(entries: Sequence[Entry]) -> list[str]:
    """Return what is wrong with entries, a sentence each that begins with the entry's key."""
    problems = [f"{entry.key}: {problem}" for entry in entries for problem in _own_problems(entry)]
    problems += chain(shared_problems(entries), _states_problems(entries))
    return [*problems, *_ways_back(entries)]


def evidence_problems(
    folder: Path, entries: Sequence[Entry], keys: Collection[str]
) -> Iterator[str]:
    """Yield what is stored and does not come out again, a sentence each, as `entry_problems`.

    Pairs and intervals are computed again from what is stored of each dialogue. This takes some
    seconds for a large folder.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
        keys: Keys of the entries that are looked at.
    """
    for entry in entries:
        for file, name, stored, found in _intervals_again(entry) if entry.key in keys else ():
            if not is_close((stored.low, stored.high), (found.low, found.high)):
                told = f"the interval of {name} comes out differently; use --rescore"
                yield f"{entry.key}: {file}: {told}"
    for pair in wrong_pairs(folder, entries, keys):
        for key, other in ((pair.a, pair.b), (pair.b, pair.a)):
            yield (
                f"{key}: {PAIRS_FILE}: how it compares with {other} comes out differently; remove "
                "the line of both, and run `mwz leaderboard`"
            )


def _intervals_again(entry: Entry) -> Iterator[tuple[str, str, Interval, Interval]]:
    """Yield file and figure of each stored interval, the interval, and what it should be."""
    # NumPy is needed where something is computed alone.
    from ..comparison.resampling import intervals_of
    from .entry_scores import evidence_of_outcomes

    known = entry.scores.dialogues
    if known is not None and entry.scores.reports:
        signature = entry.scores.main.signature
        anew = intervals_of(evidence_of_outcomes("", signature, known.outcomes))
        for name, stored in known.intervals.scores.items():
            yield DIALOGUES_FILE, name, stored, anew[name]
    if (live := entry.scores.live) is not None:
        for k, stored in enumerate(live.passes, start=1):
            yield SCORES_FILE, f"pass^{k}", stored, pass_interval(live.solved, live.trials, k)


def _ways_back(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield which systems that the harness put into plain English do not come back."""
    for back in way_back(entries, DEFAULT_RULES):
        if back.farthest > WAY_BACK:
            yield (
                f"{back.key}: Inform or Success of {back.name} comes back {back.farthest:.1f} "
                f"points off, more than {WAY_BACK:g}; leave it out, or another seed may do"
            )


@dataclass(frozen=True)
class WayBack:
    """A system whose responses were put into plain English and delexicalised again.

    Attributes:
        key: The entry in plain English.
        name: The system's name.
        inform: Strict Inform of its own, and again, in percent.
        success: Strict Success likewise.
    """

    key: str
    name: str
    inform: tuple[float, float]
    success: tuple[float, float]

    @property
    def farthest(self) -> float:
        """The larger of both differences."""
        return max(abs(again - own) for own, again in (self.inform, self.success))


def way_back(entries: Sequence[Entry], rules: str) -> Iterator[WayBack]:
    """Yield what came back of each system that the harness put into plain English."""
    by_key = {entry.key: entry for entry in entries}
    for entry in entries:
        base = by_key.get(entry.system.predictions.lexicalised or "")
        own = None if base is None else base.scores.under(rules)
        again = entry.scores.under(rules)
        if base is None or own is None or again is None:
            continue
        inform, success = (own.inform, again.inform), (own.success, again.success)
        if None not in (*inform, *success):
            yield WayBack(entry.key, base.system.name, inform, success)  # type: ignore[arg-type]


def _own_problems(entry: Entry) -> Iterator[str]:
    yield from entry.problems
    try:
        expected = folder_name(entry.system.name)
    except InputError as error:
        yield str(error)
    else:
        if entry.key != expected:
            yield f"its name is {entry.system.name}, so its folder must be called {expected}"
    for states in sorted({report.states for report in entry.scores.reports.values()}):
        problem = track_problem(entry.system.track, states, entry.system.note)
        if problem is not None:
            yield problem
    if entry.scores.reports or entry.scores.without_reports is not None:
        yield from _predictions_problems(entry)
    yield from _report_problems(entry)
    yield from _placeholder_problems(entry)
    yield from _dialogue_problems(entry)


def _report_problems(entry: Entry) -> Iterator[str]:
    """Yield what is wrong with what an entry scores under each rule set."""
    for rules, report in entry.scores.reports.items():
        if (GROUNDED in report.metrics) != (entry.system.track == LEXICALISED):
            how = "as plain English" if GROUNDED in report.metrics else "as delexicalised"
            yield f"rule set {rules}: it was scored {how}; use --rescore"
        if not _is_founded(report):
            yield f"rule set {rules}: the lower bound does not follow from the rest; use --rescore"


def _placeholder_problems(entry: Entry) -> Iterator[str]:
    """Yield which scores were not made with the placeholders that an entry declares."""
    own = entry.system.aliases
    declared = "none" if own is None else own.label
    for rules, report in entry.scores.reports.items():
        used = report.signature.parameters.get(PLACEHOLDERS, "none")
        if used != declared:
            told = f"scored with placeholders {used}, and {ENTRY_FILE} declares {declared}"
            yield f"rule set {rules}: {told}; use --rescore"
    without = entry.scores.without_placeholders
    wanted = () if own is None else tuple(entry.scores.reports)
    if {*wanted} != {*(without or {})} or not all(map(_are_figures, (without or {}).values())):
        yield f"{SCORES_FILE}: the figures without its own placeholders are wrong; use --rescore"


def _are_figures(of: Mapping[str, float]) -> bool:
    """Whether BLEU, Inform, Success and combined score are possible, and of one another."""
    if of.keys() != {*FIGURES}:
        return False
    bleu, inform, success = parts = [of[name] for name in ("bleu", "inform", "success")]
    follows = is_close(of["combined"], combined(inform, success, bleu))
    return follows and all(0 <= one <= 100 + 1e-9 for one in parts)


def _dialogue_problems(entry: Entry) -> Iterator[str]:
    """Yield what is stored beside an entry's scores and is not of them."""
    known, seeds = entry.scores.dialogues, entry.scores.seeds
    if not entry.scores.reports or known is None:
        return
    for what in _foreign(known, entry.scores.main):
        yield f"{DIALOGUES_FILE}: {what} is not that of {SCORES_FILE}; use --rescore"
    every = [known.outcomes.totals, *(seed.scores for seed in (seeds.seeds if seeds else ()))]
    expected = spread_of(every) if len(every) > 1 else {}
    if seeds is not None and not is_close(plain(expected), plain(seeds.spread)):
        told = "mean and standard deviation does not follow from the rest; use --rescore"
        yield f"{SEEDS_FILE}: {told}"


def _foreign(known: DialogueScores, report: Report) -> Iterator[str]:
    """Yield what of a `dialogues.json` is not that of the report under the default rule set."""
    outcomes, coverage, signature = known.outcomes, report.coverage, report.signature
    if (outcomes.data, outcomes.rules) != (signature.data, signature.rules_digest):
        yield "the benchmark, or the rule set,"
    played = (len(outcomes.places), len(outcomes.played), sum(outcomes.turns))
    if played != (coverage.dialogues, coverage.of, coverage.turns):
        yield "the number of dialogues and turns played"
        return
    for name, total in outcomes.totals.items():
        if not is_close(total, headlines()[name].value(report, MAIN_SETUP)):
            yield name
        interval = known.intervals.scores[name]
        if not (is_close(interval.value, total) and interval.low <= interval.high):
            yield f"the interval of {name}"
    yield from _wrong_causes(known.causes, report)


def _wrong_causes(causes: Causes, report: Report) -> Iterator[str]:
    """Yield what is lost and does not add up to what the rates lack."""
    strict = report.strict
    if strict is None:
        return
    for domain, losses in causes.domains.items():
        rates = (strict.inform.get(domain), strict.success.get(domain))
        if not is_close((losses.inform, losses.succeeded), rates):
            yield f"what is lost in {domain}"
    for name in Points._fields:
        lost = math.fsum(getattr(one, name) for one in causes.points.values())
        if not is_close(100 - lost, getattr(report, name)):
            yield f"the sum of {name} lost by causes"


def _is_founded(report: Report) -> bool:
    """Whether a lower bound is that of a report's rates, and its BLEU no more than the report's."""
    bound: LowerBound | None = report.metrics.get("lower_bound")
    if bound is None or report.coverage.complete:
        return bound is None and report.coverage.complete
    share = report.coverage.dialogues / report.coverage.of
    inform, success = (rate and share * rate for rate in (report.inform, report.success))
    follows = None
    if inform is not None and success is not None and bound.bleu is not None:
        follows = combined(inform, success, bound.bleu)
    most = ((report.bleu or {}).get(CANONICAL_STYLE) or 0.0) + 1e-9
    found = (bound.inform, bound.success, bound.combined)
    return is_close(found, (inform, success, follows)) and 0.0 <= (bound.bleu or 0.0) <= most


def _predictions_problems(entry: Entry) -> Iterator[str]:
    """Yield why scores are not of the predictions that the entry names."""
    place, recorded = entry.system.predictions, entry.scores.predictions
    other = "its scores are of other predictions than"
    if recorded is None:
        if not place.made:
            yield "its scores do not say what predictions they are of"
    elif place.made is not None:
        yield "its scores are of a file, and its predictions are made by the harness"
    elif place.git_blob is not None and place.git_blob != recorded.git_blob:
        yield f"{other} those pinned; use --rescore"
    elif place.file is not None and is_plain_file(entry.folder / place.file):
        try:
            if not recorded.is_file(read_plain(entry.folder / place.file)):
                yield f"{other} {place.file}; use --rescore"
        except InputError as error:
            yield f"{place.file}: {'; '.join(error.problems)}"


def shared_problems(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield what several entries have in common and must not."""
    names: dict[str, str] = {}
    contents: dict[str, str] = {}
    for entry in entries:
        first = names.setdefault(entry.system.name.casefold(), entry.key)
        if first != entry.key:
            yield f"{entry.key}: has the name of {first}; give each entry a name of its own"
        played = entry.system.predictions.played
        if played is not None and (own := contents.setdefault(played, entry.key)) != entry.key:
            yield f"{entry.key}: is the harness's own play, as {own}; enter a system once"
        recorded = entry.scores.predictions
        digests: list[str] = []
        if recorded is not None:
            whole = recorded.content or recorded.sha256
            digests = [recorded.sha256, whole, *(recorded.trials or ())]
        firsts = {contents.setdefault(one, entry.key) for one in digests} - {entry.key}
        if firsts:
            yield f"{entry.key}: has the predictions of {min(firsts)}; enter a system once"


def _states_problems(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield which entries do not have the belief states that they say they have."""
    by_key = {entry.key: entry for entry in entries}
    for entry in by_key.values():
        whose = entry.system.states_of
        if whose is None:
            continue
        other = by_key.get(whose)
        if other is None or other is entry:
            yield f"{entry.key}: {ENTRY_FILE}: states_of: {unknown('entry', whose, by_key)}"
            continue
        own, theirs = entry.scores.fingerprints, other.scores.fingerprints
        share = own.shared(theirs, "states") if own and theirs else None
        if share != 1.0:
            told = "too few can be compared" if share is None else f"{share:.2f} of them are"
            yield (
                f"{entry.key}: {ENTRY_FILE}: states_of: its belief states are not those of {whose} "
                f"({told}); leave it out, or submit the states that {whose} has"
            )


# ------------------------------------------------------------------ copies

_OF_ONE = {f"copied_{kind}": kind for kind in ("responses", "phrases", "states")}
"""Sign -> kind of fingerprint that one other entry may share."""

_OF_SEVERAL = "copied_mixture"


def copy_signs(entries: Iterable[Entry]) -> dict[str, dict[str, SignFigure]]:
    """Return key -> sign -> the largest share that an entry has of one that came before it.

    States that are said to be another entry's raise nothing, if that is the entry whose they are.

    Args:
        entries: All entries of a folder, in the order in which they came. Those that the harness
            makes are left out.
    """
    signs: dict[str, dict[str, SignFigure]] = {}
    earlier: dict[str, Fingerprints] = {}
    for entry in entries:
        own = entry.scores.fingerprints
        if own is None or entry.system.predictions.by_harness:
            continue
        measured = signs[entry.key] = {}
        for name, kind in _OF_ONE.items():
            shares = {key: own.shared(others, kind) for key, others in earlier.items()}
            known = {key: share for key, share in shares.items() if share is not None}
            if known:
                # Of several that are alike it is the first one's.
                first = max(known, key=known.__getitem__)
                measured[name] = COPY_SIGNS[name].figure(known[first], shared_with=first)
        states = measured.get("copied_states")
        if states is not None and states.shared_with == entry.system.states_of:
            measured["copied_states"] = replace(states, raised=False)
        if "copied_responses" in measured and measured["copied_responses"].raised:
            # Of a copy it is said already.
            measured.pop("copied_phrases", None)
        elif (share := own.shared_with_any(earlier.values(), "responses")) is not None:
            measured[_OF_SEVERAL] = COPY_SIGNS[_OF_SEVERAL].figure(share)
        earlier[entry.key] = own
    return signs
