"""The ceiling: what the human responses get, beside which every grounded score is shown.

The database does not have everything that people told, and no delexicaliser finds everything: what
people get is what can be had. The human responses of a benchmark are rated once, and the ratings
are kept in the data directory, dialogue by dialogue, so that any choice of dialogues has its
ceiling from there. They are kept under a hash of all that they depend on: the benchmark, its human
responses, the rule set, the delexicaliser's tables, and the code. What is damaged or of something
else is made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mwz.normalization.delexicaliser import Delexicalised, Delexicaliser

from ..benchmark import Benchmark, Dialogue
from ..checking import PlainResponse
from ..data.installed import benchmark_path, data_directory
from ..data.sealed import SEALED_SUFFIX, read_sealed, write_sealed
from ..errors import InputError
from .faithfulness import Faithfulness
from .grounded import GroundedDialogue, GroundedDomain
from .plain_responses import PlainDialogue, has_human_responses
from .rating import GroundedFigures, RatedDialogue, grounded_figures, rated

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

_FORMAT = "ceiling 1"
_SHOWN = 16
_CODE = ("mwz.normalization", "mwz.database", "mwz.harness.grounding")
"""The packages whose code rates."""


@dataclass(frozen=True)
class HumanRatings:
    """How the human responses of a benchmark's dialogues went. Dialogue id -> rating.

    Attributes:
        booked: A reference number counts once the domain is booked.
        free: It counts in any turn about the domain, as in free-running dialogues.
    """

    booked: Mapping[str, RatedDialogue]
    free: Mapping[str, RatedDialogue]


def human_ratings(
    benchmark: Benchmark,
    database: Callable[[], VenueDatabase],
    delexicaliser: Callable[[], Delexicaliser],
    depends_on: str,
) -> HumanRatings | None:
    """Return how the human responses of a benchmark went, kept or made; None if it has none.

    Those of a benchmark that is installed are kept in the data directory.

    Args:
        benchmark: The benchmark.
        database: Gives the venue database; called where ratings are to be made.
        delexicaliser: Gives the delexicaliser; called alike.
        depends_on: All that scores depend on besides the human responses and the code.
    """
    if not benchmark.dialogues or not has_human_responses(benchmark):
        return None
    path = _path(benchmark, depends_on)
    kept = None if path is None else _kept(path, benchmark)
    if kept is not None:
        return kept
    ratings = _made(benchmark, database(), delexicaliser())
    if path is not None:
        # Where nothing can be written, they are made each time.
        with contextlib.suppress(InputError):
            write_sealed(path, _document(ratings), _FORMAT)
    return ratings


def ceiling(
    dialogues: Iterable[tuple[str, int]],
    benchmark: Benchmark,
    human: Mapping[str, RatedDialogue] | None,
    cut: Callable[[Dialogue, int], RatedDialogue],
) -> GroundedFigures | None:
    """Return what the human responses of dialogues get; None where they are not known.

    Args:
        dialogues: Dialogue id and the number of its turns that are played.
        benchmark: The benchmark.
        human: How the human responses of whole dialogues went.
        cut: Rates the first turns of one.
    """
    if human is None:
        return None
    return grounded_figures(
        human[id_]
        if turns == benchmark.dialogues[id_].turns
        else cut(benchmark.dialogues[id_], turns)
        for id_, turns in dialogues
    )


def rated_human(
    dialogue: Dialogue,
    turns: int,
    database: VenueDatabase,
    delexicaliser: Delexicaliser,
    with_bookings: bool = True,
) -> RatedDialogue:
    """Rate the human responses of a dialogue's first turns."""
    responses = [_plain(text, delexicaliser) for text in dialogue.responses[:turns]]
    booked = dialogue.booked_domains if with_bookings else None
    return rated(PlainDialogue(responses, dialogue.goal, booked), database, delexicaliser.gazetteer)


def _plain(text: str, delexicaliser: Callable[[str], Delexicalised]) -> PlainResponse:
    return PlainResponse(text, delexicaliser(text))


def _made(
    benchmark: Benchmark, database: VenueDatabase, delexicaliser: Delexicaliser
) -> HumanRatings:
    booked: dict[str, RatedDialogue] = {}
    free: dict[str, RatedDialogue] = {}
    for id_, dialogue in benchmark.dialogues.items():
        responses = [_plain(text, delexicaliser) for text in dialogue.responses]
        for kept, bookings in ((booked, dialogue.booked_domains), (free, None)):
            plain = PlainDialogue(responses, dialogue.goal, bookings)
            kept[id_] = rated(plain, database, delexicaliser.gazetteer)
    return HumanRatings(booked, free)


def _path(benchmark: Benchmark, depends_on: str) -> Path | None:
    """Return where ratings are kept; None for a benchmark that is not installed."""
    installed = benchmark_path(benchmark.name)
    if installed is None or not installed.is_file():
        return None
    responses = {id_: dialogue.responses for id_, dialogue in benchmark.dialogues.items()}
    content = json.dumps([depends_on, responses, _code_digest()])
    digest = hashlib.sha256(content.encode()).hexdigest()[:_SHOWN]
    return data_directory() / "ceilings" / f"{benchmark.name}-{digest}{SEALED_SUFFIX}"


@cache
def _code_digest() -> str:
    """Return a digest of the code that rates: the version says too little of unreleased code."""
    digest = hashlib.sha256()
    for package in _CODE:
        files = [file for file in resources.files(package).iterdir() if file.name.endswith(".py")]
        for file in sorted(files, key=lambda file: file.name):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _kept(path: Path, benchmark: Benchmark) -> HumanRatings | None:
    """Return the ratings of a file; None where it is missing, damaged, or of other dialogues."""
    try:
        document = read_sealed(path, _FORMAT)
        ratings = HumanRatings(
            **{
                which: {id_: _rating(content) for id_, content in document[which].items()}
                for which in ("booked", "free")
            }
        )
    except (InputError, KeyError, TypeError, AttributeError):
        return None
    known = benchmark.dialogues.keys()
    return ratings if ratings.booked.keys() == known == ratings.free.keys() else None


def _document(ratings: HumanRatings) -> dict[str, Any]:
    return {
        which: {id_: asdict(one) for id_, one in getattr(ratings, which).items()}
        for which in ("booked", "free")
    }


def _rating(content: Mapping[str, Any]) -> RatedDialogue:
    domains = {
        name: GroundedDomain(**{**domain, "venues": tuple(domain["venues"])})
        for name, domain in content["grounded"]["domains"].items()
    }
    return RatedDialogue(GroundedDialogue(domains), Faithfulness(**content["faithfulness"]))
