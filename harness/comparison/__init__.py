"""Is it better? Intervals of scores, and paired tests between systems.

The unit is the dialogue, for every metric: the turns of a dialogue are not independent. A system is
known by `Evidence`, per-dialogue sufficient statistics as arrays; every resampled score is computed
from these by matrix products, and no text is scored again::

    from mwz.harness import Scorer, load_benchmark
    from mwz.harness.comparison import compare, intervals_of

    scorer = Scorer(load_benchmark("multiwoz"))
    first, second = (scorer.evidence(name, file) for name, file in predictions.items())
    intervals_of(first)["inform"]  # Interval(value=88.9, low=86.80…, high=90.69…, …)
    compare(first, [second]).pairs[0].differences["bleu"].p

A metric can be resampled if it has rows and a formula.

The names are imported when they are first used: NumPy takes 0.1 s.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
