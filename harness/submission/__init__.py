"""A system's outputs: read, checked once, and normalised."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mwz.normalization.rules import (
    DEFAULT_RULES,
    Aliases,
    RuleSet,
    published_rule_sets,
    rule_set,
    with_aliases,
)

from ..benchmark import Benchmark
from ..io.files import limits, read_bytes, shown_name
from .checking import Conversations, checked_conversations, checked_dialogues, dialogue_id
from .formats import READING, Reading, Standard, read_standard, standard_form
from .made import (
    CONSTANT,
    EMPTY_STATES,
    HUMAN,
    has_human_responses,
    human_submission,
    made_submission,
    made_submissions,
)
from .model import (
    NormalizedDialogue,
    NormalizedSubmission,
    Submission,
    Turn,
    delexicalise_submission,
    normalize_submission,
)
from .remarks import Remark, state_remarks, text_remarks

__all__ = [
    "CONSTANT",
    "EMPTY_STATES",
    "HUMAN",
    "NormalizedDialogue",
    "NormalizedSubmission",
    "Remark",
    "Submission",
    "Turn",
    "checked_submission",
    "delexicalise_submission",
    "dialogue_id",
    "has_human_responses",
    "human_submission",
    "made_submission",
    "made_submissions",
    "normalize_submission",
    "normalized_by_rules",
    "parse_submission",
    "read_conversations",
    "read_predictions",
    "read_submission",
]


def read_submission(path: str | Path, benchmark: Benchmark) -> Submission:
    """Read a predictions file (JSON, plain or gzipped; `-`: standard input) and check it.

    Raises:
        InputError: The file cannot be read, or is no submission to the benchmark.
    """
    return checked_submission(read_predictions(path), benchmark, shown_name(path))


def read_predictions(path: str | Path) -> Standard:
    """Read a predictions file whose benchmark is not known yet; its turns are not checked.

    Raises:
        InputError: The file cannot be read, or is of no known format.
    """
    source = shown_name(path)
    return read_standard(read_bytes(path, limits()), source)


def read_conversations(path: str | Path) -> tuple[Conversations, Sequence[Remark]]:
    """Read dialogues (`-`: standard input) of any ids and lengths, and what there is to say of it.

    Raises:
        InputError: The file cannot be read, is too large, or is not dialogue id -> turns; with
            every place.
    """
    standard = read_predictions(path)
    return checked_conversations(standard, shown_name(path)), standard.remarks


def parse_submission(
    content: object,
    benchmark: Benchmark,
    source: str,
    rules: RuleSet | None = None,
    reading: Reading = READING,
    remarked: bool = True,
) -> Submission:
    """Check a predictions object and return it as a submission; the object is left as it is.

    Args:
        content: Predictions in any of the formats of `formats/`. In the standard form: dialogue
            id -> list of turns, each an object with `response` and optionally `state` (domain ->
            slot -> value) and `active_domains` (list); other keys are not read.
        benchmark: The benchmark whose dialogues are played.
        source: What the error message calls the object.
        rules: As for `checked_submission`.
        reading: What of states is refused.
        remarked: As for `checked_submission`.

    Raises:
        InputError: With every problem found.
    """
    standard = standard_form(content, source)
    return checked_submission(standard, benchmark, source, rules, reading, remarked)


def checked_submission(
    standard: Standard,
    benchmark: Benchmark,
    source: str,
    rules: RuleSet | None = None,
    reading: Reading = READING,
    remarked: bool = True,
) -> Submission:
    """Check predictions in the standard form and return them as a submission.

    Args:
        standard: The predictions.
        benchmark: The benchmark whose dialogues are played.
        source: What the error message calls the predictions.
        rules: The rule set by which placeholders are remarked; None for the default one.
        reading: What of states is refused.
        remarked: Whether responses and states are looked through for what is to be remarked.

    Raises:
        InputError: With every problem found.
    """
    named = standard.dialogues_among(benchmark.users)
    dialogues, remarks = checked_dialogues(named, benchmark, source, reading)
    found = [*standard.remarks, *remarks.listed()]
    if remarked:
        by = rules or rule_set(DEFAULT_RULES)
        if reading.uses_states:
            states = {id_: [turn.state for turn in turns] for id_, turns in dialogues.items()}
            found += state_remarks(states, benchmark, by)
        texts = [turn.response for turns in dialogues.values() for turn in turns]
        found += text_remarks(texts, benchmark, by)
    return Submission(dialogues, source, standard.format, tuple(found))


def normalized_by_rules(
    content: bytes | str, benchmark: Benchmark, source: str, aliases: Aliases | None = None
) -> dict[str, NormalizedSubmission]:
    """Return published rule set -> normalised submission; the content is read and checked once.

    Args:
        content: An (unpacked) predictions file, or the name of a submission that is made.
        benchmark: The benchmark whose dialogues are played.
        source: What error messages call the predictions.
        aliases: Placeholders that are read besides those of the rule sets.

    Raises:
        InputError: The predictions are no submission to the benchmark.
    """
    names = published_rule_sets()
    if isinstance(content, str):
        return dict.fromkeys(names, made_submission(benchmark, content))
    submission = checked_submission(read_standard(content, source), benchmark, source)
    return {
        rules: normalize_submission(submission, with_aliases(rule_set(rules), aliases))
        for rules in names
    }
