"""What other rooms may use of this one."""

from .bleu import (
    bleu_figure as bleu_figure,
    style_columns as style_columns,
)
from .counts import (
    COLUMNS as COLUMNS,
    References as References,
    bleu_of_counts as bleu_of_counts,
    bleu_of_samples as bleu_of_samples,
    reference_13a as reference_13a,
    tokenize_13a as tokenize_13a,
)
from .diversity import (
    Diversity as Diversity,
    measured_diversity as measured_diversity,
)
from .flags import (
    FEWEST as FEWEST,
    GOLD_STATES as GOLD_STATES,
    gold_share as gold_share,
    queries as queries,
)
from .inform import (
    TOTAL as TOTAL,
    LowerBound as LowerBound,
    SetupScores as SetupScores,
    Step as Step,
    domain_result as domain_result,
    matched as matched,
    outcomes as outcomes,
    rates as rates,
    setup_figure_name as setup_figure_name,
    steps as steps,
)
from .knowledge import (
    measured_knowledge as measured_knowledge,
    words_of as words_of,
)
from .metric import (
    HUMAN as HUMAN,
    Figure as Figure,
    Figures as Figures,
    Formula as Formula,
    Metric as Metric,
    Number as Number,
    Presentation as Presentation,
    Results as Results,
    Row as Row,
    Rows as Rows,
    Sums as Sums,
    percent as percent,
    share as share,
    sum_rows as sum_rows,
)
from .played import (
    DialogueResult as DialogueResult,
    DomainResult as DomainResult,
    Played as Played,
    WrongSlot as WrongSlot,
)
from .registry import (
    metric_results as metric_results,
    named_metrics as named_metrics,
    reported_figures as reported_figures,
    resampled_metrics as resampled_metrics,
    response_metrics as response_metrics,
    result_keys as result_keys,
    result_types as result_types,
)
from .setups import (
    BOTH as BOTH,
    COMPARISONS as COMPARISONS,
    DOMAIN_SOURCES as DOMAIN_SOURCES,
    MAIN_SETUP as MAIN_SETUP,
    RANKED as RANKED,
    SETUP_DIGESTS as SETUP_DIGESTS,
    SETUPS as SETUPS,
    UPDATES as UPDATES,
    PlayedDialogue as PlayedDialogue,
    Setup as Setup,
    chosen_setups as chosen_setups,
    play as play,
)
from .totals import (
    TOTALS as TOTALS,
    TOTALS_COLUMNS as TOTALS_COLUMNS,
    totals_of as totals_of,
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
    dialogue_rows as dialogue_rows,
    figure_headings as figure_headings,
    joined_metric as joined_metric,
    mistakes_by_turn as mistakes_by_turn,
    non_uniformity as non_uniformity,
    score_tracking as score_tracking,
    slot_rates as slot_rates,
    tail_orientation as tail_orientation,
    tracking_shares as tracking_shares,
    tracking_text as tracking_text,
)
from .tracking.goal_accuracy import count_exact_turns as count_exact_turns, is_exact as is_exact
from .tracking.matching import (
    SEPARATOR as SEPARATOR,
    alternatives as alternatives,
    without_booking_prefix as without_booking_prefix,
)
from .tracking.metric import heading as heading
from .tracking.registry import (
    MAIN as MAIN,
    VERDICTS as VERDICTS,
    compact_keys as compact_keys,
    tracking_metrics as tracking_metrics,
    tracking_signature as tracking_signature,
    verdicts_of as verdicts_of,
)
from .tracking.slot_accuracy import judge_changes as judge_changes
from .tracking.states import (
    DialogueStates as DialogueStates,
    GoldStates as GoldStates,
    StatePair as StatePair,
    TrackedDialogue as TrackedDialogue,
    TrackedFile as TrackedFile,
    dialogue_states as dialogue_states,
    flat_state as flat_state,
    parse_tracking_file as parse_tracking_file,
    slot_name as slot_name,
    track_states as track_states,
    tracked_dialogues as tracked_dialogues,
)
