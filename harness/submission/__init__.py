"""A system's outputs: read, checked once, and normalised."""

from ..errors import Remark
from .checking import (
    checked_submission,
    dialogue_id,
    normalized_by_rules,
    parse_submission,
    read_predictions,
)
from .model import (
    CONSTANT,
    EMPTY_STATES,
    HUMAN,
    NormalizedDialogue,
    NormalizedSubmission,
    Submission,
    Turn,
    delexicalise_submission,
    has_human_responses,
    human_submission,
    made_submission,
    made_submissions,
    normalize_submission,
)

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
    "read_predictions",
]
