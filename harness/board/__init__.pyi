"""What other rooms may use of this one."""

from .columns import (
    Column as Column,
    named as named,
)
from .entries import (
    ENTRY_FILE as ENTRY_FILE,
    PUBLISHED as PUBLISHED,
    Entry as Entry,
    absent_packages as absent_packages,
    chosen_entries as chosen_entries,
    find_entry as find_entry,
    read_entries as read_entries,
)
from .entry_scores import (
    DIALOGUE_METRICS as DIALOGUE_METRICS,
    Outputs as Outputs,
    Reading as Reading,
    read_responses as read_responses,
)
from .markdown import entered_text as entered_text
from .model import (
    LEADERBOARD as LEADERBOARD,
    Board as Board,
    read_board as read_board,
)
from .pairs import (
    IN_WORDS as IN_WORDS,
    of_file as of_file,
    states_of_file as states_of_file,
    stored_evidence as stored_evidence,
    stored_states as stored_states,
)
from .paper_table import (
    PaperSystem as PaperSystem,
    paper as paper,
)
from .paper_trackers import (
    main_version as main_version,
    stored_row as stored_row,
    tracker_row as tracker_row,
    zero_shot_row as zero_shot_row,
)
from .rescoring import (
    Rescored as Rescored,
    find_predictions as find_predictions,
    mismatches_table as mismatches_table,
    rescore as rescore,
    verified_text as verified_text,
    verify as verify,
)
from .rows import (
    Mark as Mark,
    Row as Row,
    Value as Value,
    completed as completed,
    figure_of as figure_of,
    ranked as ranked,
    response_figures as response_figures,
    response_flags as response_flags,
)
from .scores import Scores as Scores, hashes_of as hashes_of, mismatches as mismatches
from .submitting import (
    enter as enter,
    entered_remarks as entered_remarks,
    locked as locked,
    outdated as outdated,
    publish as publish,
    review_text as review_text,
    touched_entries as touched_entries,
)
from .systems import (
    FACTS as FACTS,
    PREDICTIONS_FILE as PREDICTIONS_FILE,
    Predictions as Predictions,
    System as System,
    declared_system as declared_system,
)
from .track import Track as Track, submitted_tracks as submitted_tracks, tracks as tracks
