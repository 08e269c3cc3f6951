"""The evaluation harness: submissions in, reports out.

The whole way of the data is one line::

    from mwz.harness import Options, Scorer, load_benchmark

    scorer = Scorer(load_benchmark("multiwoz"), Options(rules="2021"))
    report = scorer.score(predictions)

`score(predictions, benchmark)` does it once. The names are imported when they are first used: much
of the command line does without them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
