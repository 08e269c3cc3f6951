"""What other rooms may use of this one."""

from .bleu import bleu_of_sums as bleu_of_sums
from .counts import (
    References as References,
    reference_13a as reference_13a,
    tokenize_13a as tokenize_13a,
)
from .diversity import measured_diversity as measured_diversity
from .flags import (
    FEWEST as FEWEST,
    GOLD_STATES as GOLD_STATES,
    gold_share as gold_share,
    queries as queries,
)
from .inform import (
    TOTAL as TOTAL,
    Step as Step,
    domain_result as domain_result,
    figures_of_sums as figures_of_sums,
    matched as matched,
    rates as rates,
    steps as steps,
)
from .lower_bound import LowerBound as LowerBound
from .metric import (
    Headline as Headline,
    Metric as Metric,
    Played as Played,
    default_metrics as default_metrics,
    dialogue_results as dialogue_results,
    headlines as headlines,
    named_metrics as named_metrics,
    resampled_metrics as resampled_metrics,
    response_metrics as response_metrics,
)
from .results import (
    COLUMNS as COLUMNS,
    DialogueResult as DialogueResult,
    DomainResult as DomainResult,
    Fault as Fault,
    Figure as Figure,
    Statistics as Statistics,
    percent as percent,
)
from .setups import (
    BOTH as BOTH,
    COMPARISONS as COMPARISONS,
    DOMAIN_SOURCES as DOMAIN_SOURCES,
    MAIN_SETUP as MAIN_SETUP,
    RANKED as RANKED,
    SETUPS as SETUPS,
    UPDATES as UPDATES,
    PlayedDialogue as PlayedDialogue,
    Setup as Setup,
    chosen_setups as chosen_setups,
    play as play,
    setup_digest as setup_digest,
)
from .tracking.choices import (
    HEADLINE_LAMBDA as HEADLINE_LAMBDA,
    VARIANTS as VARIANTS,
    Choices as Choices,
    lambda_label as lambda_label,
)
from .tracking.evaluation import (
    TrackingResult as TrackingResult,
    cell as cell,
    correlation as correlation,
    mistakes_by_turn as mistakes_by_turn,
    non_uniformity as non_uniformity,
    score_tracking as score_tracking,
    tail_orientation as tail_orientation,
    tracking_statistics as tracking_statistics,
)
from .tracking.goal_accuracy import is_exact as is_exact
from .tracking.matching import (
    SEPARATOR as SEPARATOR,
    alternatives as alternatives,
    comparable_states as comparable_states,
    without_booking_prefix as without_booking_prefix,
)
from .tracking.metric import (
    metrics_of as metrics_of,
    tracking_metrics as tracking_metrics,
    tracking_signature as tracking_signature,
)
from .tracking.slot_accuracy import judge_changes as judge_changes
from .tracking.states import (
    DialogueStates as DialogueStates,
    GoldStates as GoldStates,
    StatePair as StatePair,
    TrackedDialogue as TrackedDialogue,
    TrackedFile as TrackedFile,
    TrackedTurn as TrackedTurn,
    dialogue_states as dialogue_states,
    flat_state as flat_state,
    parse_tracking_file as parse_tracking_file,
    slot_name as slot_name,
    track_states as track_states,
    tracked_dialogues as tracked_dialogues,
    without_absent as without_absent,
)
