"""What is taken literally in files with gold states of their own.

Such files are compared as they are, since the published code of the metrics normalises nothing.
Values that mean absent are no slots there either, but for two kinds that published figures depend
on:

- Most states of TripPy's file have values that begin with a blank. In a file like it blanks belong
  to the values, and an empty text is one: ` none` is a wrong value.
- T5's files have a `none` here and there in gold. To granular change accuracy, and to it alone,
  that is a slot that was dropped, as in the published code. Where most gold states have absent
  slots it is another matter: they name all slots there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mwz.normalization import BeliefState, is_absent

DROPPED = "none"
"""The value that a slot has once a state no longer has it, as in the published code."""


@dataclass(frozen=True)
class TakenLiterally:
    """What is taken literally in the states of a dialogue.

    Attributes:
        blanks: Whether blanks around a value, and an empty text, make it a value.
        dropped: Whether a gold `none` is a change to granular change accuracy.
    """

    blanks: bool = False
    dropped: bool = False

    def is_absent(self, value: str) -> bool:
        """Return whether a value says that its slot has none."""
        if self.blanks and (not value or value != value.strip()):
            return False
        return is_absent(value)


def literal_parts(gold: Sequence[BeliefState], predicted: Sequence[BeliefState]) -> TakenLiterally:
    """Return what is taken literally in a file, given all its gold and predicted states."""
    padded = [state for state in predicted if _is_padded(state)]
    with_absent = [state for state in gold if any(map(is_absent, _values(state)))]
    has_dropped = any(DROPPED in _values(state) for state in with_absent)
    return TakenLiterally(
        blanks=2 * len(padded) > len(predicted),
        dropped=has_dropped and 2 * len(with_absent) < len(gold),
    )


def _values(state: BeliefState) -> Sequence[str]:
    return [value for slots in state.values() for value in slots.values()]


def _is_padded(state: BeliefState) -> bool:
    return any(value.strip() not in ("", value) for value in _values(state))
