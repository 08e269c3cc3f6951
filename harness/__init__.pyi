"""What users of the library import from `mwz.harness`."""

from .benchmark import Benchmark as Benchmark
from .data.installed import load_benchmark as load_benchmark
from .errors import InputError as InputError, ReadingWarning as ReadingWarning
from .metrics.played import DialogueResult as DialogueResult
from .scoring.options import Options as Options
from .scoring.report import Report as Report
from .scoring.scorer import Scorer as Scorer, score as score
from .signature import Signature as Signature
from .submission.formats.standard import load_predictions as load_predictions

__version__: str
