"""What other rooms may use of this one."""

from .bleu import bleu_of_sums as bleu_of_sums, corpus_bleu as corpus_bleu
from .counts import (
    TOKENIZERS as TOKENIZERS,
    References as References,
    reference_13a as reference_13a,
    tokenize_13a as tokenize_13a,
)
from .diversity import measured_diversity as measured_diversity
from .flags import (
    COPIED_STATES as COPIED_STATES,
    FEWEST as FEWEST,
    FLAGS as FLAGS,
    GOLD_STATES as GOLD_STATES,
    OF_STATES as OF_STATES,
    gold_share as gold_share,
    queries as queries,
)
from .inform import (
    TOTAL as TOTAL,
    SetupScores as SetupScores,
    Step as Step,
    domain_result as domain_result,
    matched as matched,
    rates as rates,
    rates_of_sums as rates_of_sums,
    steps as steps,
)
from .lower_bound import LowerBound as LowerBound
from .metric import (
    Headline as Headline,
    Metric as Metric,
    Played as Played,
    Results as Results,
    default_metrics as default_metrics,
    dialogue_results as dialogue_results,
    headlines as headlines,
    named_metrics as named_metrics,
    resampled_metrics as resampled_metrics,
    response_metrics as response_metrics,
    result_keys as result_keys,
    result_types as result_types,
    table_figures as table_figures,
)
from .played import (
    DOMAIN_SOURCES as DOMAIN_SOURCES,
    STATE_SOURCES as STATE_SOURCES,
    PlayedDialogue as PlayedDialogue,
    gold_active_domains as gold_active_domains,
    play as play,
)
from .results import (
    COLUMNS as COLUMNS,
    SEED as SEED,
    Bools as Bools,
    DialogueResult as DialogueResult,
    DomainResult as DomainResult,
    Fault as Fault,
    Figure as Figure,
    Floats as Floats,
    Statistics as Statistics,
    Values as Values,
    percent as percent,
)
from .setups import (
    ALL_SETUPS as ALL_SETUPS,
    BOTH as BOTH,
    COMPARISONS as COMPARISONS,
    MAIN_SETUP as MAIN_SETUP,
    RANKED as RANKED,
    SETUPS as SETUPS,
    STRICT as STRICT,
    UPDATES as UPDATES,
    Setup as Setup,
    chosen_setups as chosen_setups,
)
from .tracking.choices import (
    HEADLINE_LAMBDA as HEADLINE_LAMBDA,
    VARIANTS as VARIANTS,
    Choices as Choices,
    lambda_label as lambda_label,
)
from .tracking.evaluation import (
    Number as Number,
    TrackingResult as TrackingResult,
    cell as cell,
    correlation as correlation,
    mistakes_by_turn as mistakes_by_turn,
    non_uniformity as non_uniformity,
    score_tracking as score_tracking,
    tail_orientation as tail_orientation,
    tracking_statistics as tracking_statistics,
)
from .tracking.files import (
    TrackedFile as TrackedFile,
    parse_tracking_file as parse_tracking_file,
    tracking_signature as tracking_signature,
)
from .tracking.gca import judge_changes as judge_changes
from .tracking.metric import (
    TrackingMetric as TrackingMetric,
    Verdicts as Verdicts,
    tracking_metrics as tracking_metrics,
)
from .tracking.plots import plot_tracking as plot_tracking
from .tracking.scored_files import (
    ScoredFile as ScoredFile,
    annotated as annotated,
    breakdown_tables as breakdown_tables,
    dialogue_tables as dialogue_tables,
    headlines_table as headlines_table,
    score_file as score_file,
)
from .tracking.states import (
    DONTCARE as DONTCARE,
    DialogueStates as DialogueStates,
    GoldStates as GoldStates,
    State as State,
    TrackedDialogue as TrackedDialogue,
    TrackedTurn as TrackedTurn,
    dialogue_states as dialogue_states,
    flat_state as flat_state,
    slot_name as slot_name,
    track_states as track_states,
    without_booking_prefix as without_booking_prefix,
)
