"""What other rooms may use of this one."""

from .checking import (
    Conversations as Conversations,
    checked_conversations as checked_conversations,
    checked_submission as checked_submission,
    dialogue_id as dialogue_id,
    meant_key as meant_key,
    normalized_by_rules as normalized_by_rules,
    parse_submission as parse_submission,
    read_predictions as read_predictions,
)
from .formats.arrangements import read_arranged as read_arranged
from .formats.damd_log import align_dialogues as align_dialogues, parse_damd_log as parse_damd_log
from .formats.standard import (
    ACTIVE_DOMAINS as ACTIVE_DOMAINS,
    PLAY_BEGINS as PLAY_BEGINS,
    RESPONSE as RESPONSE,
    STATE as STATE,
    USER as USER,
    Reading as Reading,
    Standard as Standard,
    is_play as is_play,
    parse_predictions as parse_predictions,
    read_standard as read_standard,
    special_format as special_format,
    standard_form as standard_form,
)
from .model import (
    CONSTANT as CONSTANT,
    EMPTY_STATES as EMPTY_STATES,
    HUMAN as HUMAN,
    NormalizedSubmission as NormalizedSubmission,
    Submission as Submission,
    Turn as Turn,
    delexicalise_submission as delexicalise_submission,
    has_human_responses as has_human_responses,
    human_submission as human_submission,
    made_submission as made_submission,
    made_submissions as made_submissions,
    normalize_submission as normalize_submission,
)
from .notations import (
    DOMAINS as DOMAINS,
    NO_VALUE as NO_VALUE,
    STATE_DOMAINS as STATE_DOMAINS,
    TRACKED_SLOTS as TRACKED_SLOTS,
    VALUE_LISTS as VALUE_LISTS,
    metadata_slots as metadata_slots,
    notation_of as notation_of,
    read_state as read_state,
)
from .remarks import (
    FEW as FEW,
    KIND as KIND,
    MANY_UNKNOWN as MANY_UNKNOWN,
    alias_problems as alias_problems,
    chosen_aliases as chosen_aliases,
    counted_placeholders as counted_placeholders,
    frequent_tags as frequent_tags,
)
