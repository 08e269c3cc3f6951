"""`mwz check`: say what is read of a predictions file, what is wrong, and what that is worth."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from mwz.normalization import (
    DEFAULT_RULES,
    alias_tables,
    placeholder_names,
    rule_set,
    without_absent_slots,
)

from ..benchmark import Benchmark
from ..errors import Remark, cut, listed_counts
from ..io import figure, printable, read_bytes, shown_name, text_table
from ..metrics import Choices, parse_tracking_file, score_tracking, tracked_dialogues
from ..scoring import Options, Scorer, check_predictions, normalize, played_predictions, report_on
from ..submission import (
    ACTIVE_DOMAINS,
    FIXES,
    GOLD,
    RESPONSE,
    STATE,
    Content,
    Standard,
    StateChecks,
    Submission,
    checked_submission,
    parse_predictions,
    profile_of,
    standard_form,
    unusual_features,
    with_fixes,
)
from . import option
from .reading import chosen_benchmark, read_plays

if TYPE_CHECKING:
    from ..submission import Profile

WARNED = 1

_LONGEST_EXAMPLE = 60
"""Characters."""

_UNKNOWN = "response_unknown"
"""The feature that tables of placeholders may be worth something for."""

_LEAST_DIFFERENCE = 0.05
"""Points. Smaller differences are shown as none."""

Figures: TypeAlias = Mapping[str, float]
"""Name -> figure, in percent."""


@click.command()
@option.predictions
@option.benchmark
@option.rules
@option.placeholders
def command(predictions: str, benchmark: str | None, rules: str, placeholders: str | None) -> int:
    """Check PREDICTIONS (JSON, plain or gzipped; -: standard input): show which fields are read,
    dialogues, turns, states, domains, placeholders, and what looks wrong, with the points that it
    is worth where `mwz convert --fix` can fix it. A tracker's states alone are checked as `mwz dst`
    reads them. The exit status is 0 if all is in order, 1 if there are warnings, 2 if the file
    cannot be scored.
    """
    for source, run in read_plays([predictions], benchmark, together=True):
        return _check_plays(source, run)
    source = shown_name(predictions)
    content = parse_predictions(read_bytes(predictions), source)
    standard = standard_form(content, source)
    fixing = f"mwz convert --fix {shlex.quote(predictions)} -o OUT"
    if benchmark is not None:
        fixing += f" --benchmark {shlex.quote(benchmark)}"
    # A file whose responses are all empty is no tracker's.
    has_responses = any(RESPONSE in turn for turn in _raw_turns(standard.dialogues))
    if standard.has_states_alone and not has_responses:
        option.accept_only("predictions", "benchmark", kind="files of states alone")
        return _check_tracker(content, standard, source, benchmark, fixing)
    options = Options(setup="strict", metrics=["inform"], rules=rules, placeholders=placeholders)
    return _check_submission(standard, source, Scorer(chosen_benchmark(benchmark), options), fixing)


def _check_plays(source: str, run: Any) -> int:
    """Show what a file of plays holds, all of which came out again as it says."""
    option.accept_only("predictions", "benchmark")
    config = run.config
    _show("file", cut(source, 200))
    _show("format", "live dialogues of `mwz play`")
    _show("agent", config.agent_name)
    _show("user", config.user_name)
    _show("tasks", f"{len(config.tasks)} of {len(config.world.tasks)}")
    _show("trials", config.trials)
    _show("dialogues", f"{len(run.lines) - run.missing}, confirmed by replay")
    for remark in run.remarks:
        _show("warning", remark)
    _show("warnings", len(run.remarks) or "none")
    return WARNED if run.remarks else 0


def _check_submission(standard: Standard, source: str, scorer: Scorer, fixing: str) -> int:
    """Show the fields and facts of predictions with responses, and the remarks on them."""
    submission = check_predictions(scorer, standard, source)
    benchmark, rules = scorer.benchmark, scorer.rules
    _show_fields(standard, standard.dialogues_among(benchmark.users))
    _show_sizes(submission, benchmark)
    turns = list(chain.from_iterable(submission.dialogues.values()))
    _show("states", _share([turn.state is not None for turn in turns]))
    _show("active domains", _share([turn.active_domains is not None for turn in turns]))
    known: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    about_venues = 0
    for turn in turns:
        names = placeholder_names(turn.response)
        slots = [rules.ontology[name] for name in names if name in rules.ontology]
        known.update(slots)
        unknown.update(f"[{name}]" for name in names if name not in rules.ontology)
        about_venues += len(rules.about_venues.intersection(slots))
    number = known.total() + unknown.total()
    rate = figure(about_venues / max(len(turns), 1), 2)
    _show("placeholders", f"{number}; about venues: {rate} a turn")
    _show("  known", listed_counts(known.most_common()))
    _show("  unknown", listed_counts(unknown.most_common()))
    # Whatever scoring would refuse is refused here, in the same words.
    _, _, remarks = played_predictions(scorer, submission)
    content = Content(submission.dialogues, benchmark, rules, scorer.options.resolved.checks)
    scoring = scorer.with_options(metrics=["inform", "bleu"])

    def score(changed: Content) -> Mapping[str, float]:
        return response_figures(scoring, replace(submission, dialogues=changed.dialogues))

    kinds = [remark.kind for remark in remarks]
    worth = worths(content, kinds, score)
    if _UNKNOWN in kinds and scorer.options.placeholders is None:
        table = best_table(scoring, submission)
        if table is not None:
            worth[_UNKNOWN] = table
    return _show_remarks(remarks, worth, content, submission.profile, fixing)


def _check_tracker(
    content: object, standard: Standard, source: str, name: str | None, fixing: str
) -> int:
    """Show the fields and facts of a tracker's file, and the remarks on it."""
    benchmark: Benchmark | None = None
    users: Mapping[str, Sequence[str]] = {}
    if not standard.has_gold_states:
        benchmark = chosen_benchmark(name)
        users = benchmark.users
    # Whatever `mwz dst` would refuse is refused here, in the same words.
    file = parse_tracking_file(content, source, lambda: chosen_benchmark(name))
    checks = StateChecks.of_tracker(standard)
    submission = checked_submission(standard, benchmark, source, checks=checks)
    _show_fields(standard, standard.dialogues_among(users))
    _show_sizes(submission, benchmark)
    slots: Counter[str] = Counter()
    for turns in submission.dialogues.values():
        for domain, values in without_absent_slots(turns[-1].state or {}).items():
            slots.update(f"{domain}-{slot}" for slot in values)
    _show("slots", listed_counts(slots.most_common()))
    remarks = list(dict.fromkeys([*submission.remarks, *file.remarks]))
    checked = Content(submission.dialogues, benchmark, rule_set(DEFAULT_RULES), checks)
    kinds = [remark.kind for remark in remarks]
    worth = {}
    if file.has_values:
        worth = worths(checked, kinds, tracking_figures)
    return _show_remarks(remarks, worth, checked, submission.profile, fixing)


def _show_remarks(
    remarks: Sequence[Remark],
    worth: Mapping[str, str],
    content: Content,
    profile: Profile | None,
    fixing: str,
) -> int:
    """Show the remarks on a file and what fixes it; return the status.

    Args:
        remarks: The remarks.
        worth: Feature -> what its remedy is worth.
        content: What was checked.
        profile: The profile of this content; None if it was not measured.
        fixing: The command that fixes the file.
    """
    for remark in remarks:
        _show("warning" if remark.warning else "note", remark)
        if remark.kind in worth:
            _show("  worth", worth[remark.kind])
    warnings = sum(remark.warning for remark in remarks)
    _show("warnings", warnings or "none")
    profile = profile or profile_of(content, sampled=True)
    _, changes = with_fixes(content, unusual_features(profile))
    if changes:
        _show("to fix it", fixing)
    return WARNED if warnings else 0


# What was read as what.


def _show_fields(standard: Standard, dialogues: Mapping[str, object]) -> None:
    """Show which keys were read as which fields, in how many turns, and an example."""
    turns = list(_raw_turns(dialogues))
    rows: list[list[str]] = []
    for field in (RESPONSE, STATE, ACTIVE_DOMAINS, GOLD, f"gold_{RESPONSE}"):
        values = [turn[field] for turn in turns if turn.get(field) is not None]
        key = standard.fields.get(field, f"`{field}`" if values else "")
        if not key:
            continue
        number = f"{len(values)} of {len(turns)}" if values else "not used"
        example = next(filter(None, values), "")
        if not isinstance(example, str):
            example = json.dumps(example, ensure_ascii=False, default=str)
        rows.append([field, key, number, cut(printable(example), _LONGEST_EXAMPLE)])
    click.echo(text_table(["read as", "in the file", "turns", "for example"], rows))
    click.echo()


def _raw_turns(dialogues: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for turns in dialogues.values():
        if isinstance(turns, list | tuple):
            for turn in turns:
                if isinstance(turn, Mapping):
                    yield turn


# Facts.


def _show(name: str, value: object) -> None:
    click.echo(printable(f"{name:<16}{value}"))


def _show_sizes(submission: Submission, benchmark: Benchmark | None) -> None:
    """Show how much there is, and of what."""
    dialogues = submission.dialogues
    turns = sum(map(len, dialogues.values()))
    _show("file", cut(submission.source, 200))
    _show("format", submission.format)
    if benchmark is None:
        _show("benchmark", "none: it has gold states of its own")
        _show("dialogues", len(dialogues))
        _show("turns", turns)
        return
    _show("benchmark", benchmark.name)
    _show("dialogues", f"{len(dialogues)} of {len(benchmark.dialogues)}")
    short = []
    for id_, gold in benchmark.dialogues.items():
        played = len(dialogues.get(id_, ()))
        if played < gold.turns:
            short.append(f"{id_} turn {played}")
    missing = ""
    if short:
        missing = f"; missing from {', '.join(short[:3])}{', …' if short[3:] else ''}"
    _show("turns", f"{turns} of {benchmark.turns}{missing}")


def _share(have: Sequence[bool]) -> str:
    """Return in how many turns something is there."""
    if all(have):
        return "in every turn"
    if any(have):
        return f"in {sum(have)} of {len(have)} turns"
    return "none"


# What fixes are worth.


def worths(
    content: Content, features: Sequence[str], score: Callable[[Content], Figures]
) -> dict[str, str]:
    """Return feature -> what fixing it alone is worth, of those that can be fixed.

    Args:
        content: The file.
        features: The features that are remarked.
        score: Scores a file.
    """
    worth: dict[str, str] = {}
    before: Figures | None = None
    for feature in features:
        if feature not in FIXES:
            continue
        fixed, changes = with_fixes(content, [feature])
        if changes:
            if before is None:
                before = score(content)
            after = score(fixed)
            worth[feature] = difference(before, after)
    return worth


def difference(before: Figures, after: Figures) -> str:
    """Return how figures differ: "+12.3 Inform, +8.0 Success"."""
    moved = []
    for name, value in before.items():
        change = after[name] - value
        if abs(change) >= _LEAST_DIFFERENCE:
            moved.append(f"{change:+.1f} {name}")
    return ", ".join(moved) or f"{', '.join(before)} are the same"


def response_figures(scorer: Scorer, submission: Submission) -> Figures:
    """Return Inform, Success and BLEU of a submission."""
    report = report_on(scorer, normalize(scorer, submission))
    titles = {"Inform": "inform", "Success": "success", "BLEU": "bleu"}
    return {title: report.figures[name] for title, name in titles.items()}


def tracking_figures(content: Content) -> Figures:
    """Return the joint goal accuracy of a tracker's file."""
    dialogues = tracked_dialogues(content.dialogues, content.benchmark)
    result = score_tracking(dialogues, Choices(metrics=("JGA",)), by_part=False)
    joint = result.metrics["JGA"]
    assert isinstance(joint, float), "joint goal accuracy is one figure"
    return {"JGA": joint}


def best_table(scorer: Scorer, submission: Submission) -> str | None:
    """Return the named table of placeholders that is worth most, and what; None without one.

    Args:
        scorer: How to score; without placeholders besides those of the rule set.
        submission: The file.
    """
    written: set[str] = set()
    for turns in submission.dialogues.values():
        for turn in turns:
            written.update(placeholder_names(turn.response))
    unknown = written - scorer.rules.ontology.keys()
    before = response_figures(scorer, submission)
    best, most = None, 0.0
    for name, aliases in alias_tables().items():
        if unknown.isdisjoint(dict(aliases.pairs)):
            continue
        after = response_figures(scorer.with_options(placeholders=name), submission)
        gain = sum(after[figure] - before[figure] for figure in before)
        if gain > most:
            best, most = f"--placeholders {name}: {difference(before, after)}", gain
    return best
