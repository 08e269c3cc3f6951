"""What other rooms may use of this one."""

from .jobs import (
    ScoredSubmission as ScoredSubmission,
    Wanted as Wanted,
    explained_results as explained_results,
    free_run_predictions as free_run_predictions,
    in_processes as in_processes,
    played_predictions as played_predictions,
    run as run,
    score_predictions as score_predictions,
    with_common_metrics as with_common_metrics,
)
from .options import (
    CHOICES as CHOICES,
    LEXICALISED as LEXICALISED,
    Options as Options,
    played_remarks as played_remarks,
    sources_of as sources_of,
)
from .report import (
    FORMAT as FORMAT,
    RANKED_COVERAGE as RANKED_COVERAGE,
    Coverage as Coverage,
    Report as Report,
    has_gold_states as has_gold_states,
    read_report as read_report,
    report_text as report_text,
    reporting_words as reporting_words,
    setup_figure as setup_figure,
    whole_figure as whole_figure,
)
from .score_table import score_table as score_table
from .scorer import (
    Reward as Reward,
    Scorer as Scorer,
    check_predictions as check_predictions,
    database_of as database_of,
    delexicaliser_of as delexicaliser_of,
    evidence_of as evidence_of,
    free_run as free_run,
    normalize as normalize,
    plain_signature as plain_signature,
    report_on as report_on,
    rewarded as rewarded,
    sentence_bleu as sentence_bleu,
    venue_database as venue_database,
    with_all_metrics as with_all_metrics,
)
