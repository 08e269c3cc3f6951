"""What other rooms may use of this one."""

from .causes import (
    CAUSES as CAUSES,
    SLOT_CAUSES as SLOT_CAUSES,
    Diagnosis as Diagnosis,
    cause_words as cause_words,
    diagnose as diagnose,
    dialogue_text as dialogue_text,
    followed as followed,
    goal_text as goal_text,
    joined as joined,
    labelled as labelled,
    turn_text as turn_text,
    wrapped as wrapped,
)
from .losses import (
    Causes as Causes,
    diagnosis_text as diagnosis_text,
    losses_text as losses_text,
    lost_by as lost_by,
)
from .slots import (
    SLOT_ERRORS as SLOT_ERRORS,
    TrackedDiagnosis as TrackedDiagnosis,
    diagnose_states as diagnose_states,
    pages_of_states as pages_of_states,
    tracked_text as tracked_text,
)
