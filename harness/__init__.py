"""The evaluation harness: submissions in, reports out.

The whole way of the data is one line::

    from mwz.harness import Options, Scorer, load_benchmark

    scorer = Scorer(load_benchmark("multiwoz"), Options(rules="2021"))
    report = scorer.score(predictions)

`score(predictions, benchmark)` does it once. The names are imported when they are first used: much
of the command line does without them. `__version__` is that of the package.
"""

import lazy_loader

import mwz

_public_name, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    # Python asks a package for its version by the name of a module that it imports.
    return mwz.__version__ if name == "__version__" else _public_name(name)
