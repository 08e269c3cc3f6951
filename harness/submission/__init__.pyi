"""What other rooms may use of this one."""

from .checking import (
    checked_conversations as checked_conversations,
    checked_submission as checked_submission,
    dialogue_id as dialogue_id,
)
from .formats.arrangements import read_arranged as read_arranged
from .formats.damd import GOLD_DOMAINS as GOLD_DOMAINS
from .formats.fga import CORRECTNESS as CORRECTNESS
from .formats.roles import role_of as role_of
from .formats.standard import (
    ACTIVE_DOMAINS as ACTIVE_DOMAINS,
    GOLD as GOLD,
    RESPONSE as RESPONSE,
    STATE as STATE,
    USER as USER,
    Standard as Standard,
    StateChecks as StateChecks,
    is_play as is_play,
    lasting_form as lasting_form,
    parse_predictions as parse_predictions,
    plain_form as plain_form,
    read_predictions as read_predictions,
    read_standard as read_standard,
    standard_form as standard_form,
)
from .formats.user_agent import plain_instructions as plain_instructions
from .model import (
    CONSTANT as CONSTANT,
    EMPTY_STATES as EMPTY_STATES,
    HUMAN as HUMAN,
    NormalizedSubmission as NormalizedSubmission,
    Submission as Submission,
    Turn as Turn,
    alias_problems as alias_problems,
    chosen_aliases as chosen_aliases,
    delexicalise_submission as delexicalise_submission,
    empty_states as empty_states,
    human_submission as human_submission,
    made_submission as made_submission,
    made_submissions as made_submissions,
    normalize_submission as normalize_submission,
)
from .notations import (
    DOMAINS as DOMAINS,
    TRACKED_SLOTS as TRACKED_SLOTS,
    common_slot_name as common_slot_name,
    known_slot_name as known_slot_name,
    metadata_slots as metadata_slots,
    read_state as read_state,
)
from .profile.fixes import (
    FIXES as FIXES,
    change_lines as change_lines,
    fixed_content as fixed_content,
    unusual_features as unusual_features,
    with_fixes as with_fixes,
)
from .profile.measuring import profile_of as profile_of
from .profile.profile import (
    Profile as Profile,
    declared_features as declared_features,
    declared_flags as declared_flags,
    highest_likely as highest_likely,
    profile_remarks as profile_remarks,
)
from .profile.vocabulary import Content as Content, plain_value as plain_value
