"""What other rooms may use of this one."""

from .causes import (
    CAUSES as CAUSES,
    SLOT_CAUSES as SLOT_CAUSES,
    Called as Called,
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
    causes_of as causes_of,
    diagnosis_text as diagnosis_text,
    losses_text as losses_text,
    lost_by as lost_by,
)
