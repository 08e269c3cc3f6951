"""What other rooms may use of this one."""

from .comparing import (
    Comparison as Comparison,
    Pair as Pair,
    check_comparable as check_comparable,
    compare as compare,
    compare_pairs as compare_pairs,
)
from .evidence import (
    Evidence as Evidence,
    bootstrap_interval as bootstrap_interval,
    intervals_document as intervals_document,
    intervals_of as intervals_of,
    resampled_signature as resampled_signature,
)
from .interval import (
    DEFAULT_TEST as DEFAULT_TEST,
    INTERVAL_LEVEL as INTERVAL_LEVEL,
    INTERVAL_SAMPLES as INTERVAL_SAMPLES,
    SEED as SEED,
    SIGNIFICANCE as SIGNIFICANCE,
    TEST_SAMPLES as TEST_SAMPLES,
    Interval as Interval,
    Spread as Spread,
    main_figures as main_figures,
    p_text as p_text,
    p_words as p_words,
    plot_scores as plot_scores,
    spread_of as spread_of,
)
