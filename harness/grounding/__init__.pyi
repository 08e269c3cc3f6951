"""What other rooms may use of this one."""

from .facts import (
    in_context as in_context,
    is_closed as is_closed,
    measures_of as measures_of,
    requests as requests,
    says_unknown as says_unknown,
    sentences as sentences,
    turn_domains as turn_domains,
)
from .faults import (
    AT_FAULT as AT_FAULT,
    Fault as Fault,
    UserPart as UserPart,
    part_record as part_record,
    user_parts as user_parts,
)
from .grounded import (
    NAMING_SLOTS as NAMING_SLOTS,
    GroundedDialogue as GroundedDialogue,
    GroundedDomain as GroundedDomain,
    delexicaliser as delexicaliser,
    ground as ground,
)
from .plain_dialogues import faults_text as faults_text
from .said import Said as Said, read_user as read_user
from .scores import told_shares as told_shares
