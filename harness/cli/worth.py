"""What fixes are worth in points: scores as they are, and with one feature fixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from mwz.normalization import alias_tables, placeholder_names

from ..metrics import Choices, score_tracking, tracked_dialogues
from ..scoring import Scorer, normalize, report_on
from ..submission import FIXES, Content, Submission, with_fixes

UNKNOWN = "response_unknown"
"""The feature that tables of placeholders may be worth something for."""

_SEEN = 0.05
"""Points. Smaller differences are shown as none."""

Figures = Mapping[str, float]
"""Name -> figure, in percent."""


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
        fixed = with_fixes(content, [feature])
        if fixed.changes:
            if before is None:
                before = score(content)
            after = score(replace(content, dialogues=fixed.dialogues))
            worth[feature] = difference(before, after)
    return worth


def difference(before: Figures, after: Figures) -> str:
    """Return how figures differ: "+12.3 Inform, +8.0 Success"."""
    moved = []
    for name, value in before.items():
        change = after[name] - value
        if abs(change) >= _SEEN:
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
