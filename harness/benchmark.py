"""What scoring needs of a test set: references, goals, gold states and domains, venues.

A benchmark is plain data and knows nothing of files or of the network; `data/` builds and keeps
them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from mwz.database import EMBEDDED, VenueDatabase
from mwz.normalization.states import BeliefState, rule_set

from .errors import InputError
from .metrics.bleu import ReferenceIndex

STYLES = ("mwz22", "damd", "hdsa", "augpt", "uniconv", "lava")
CANONICAL_STYLE = "mwz22"
GOALS = ("all", "seen", "unseen")
"""Which dialogues a score is over: all, or those whose goal does or does not occur in train/dev."""
REQUESTABLE_SLOTS = ("PHONE", "ADDRESS", "POST", "REFERENCE", "TRAINID")

VenueRecords: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""domain -> venue records, as the public database files hold them."""


@dataclass(frozen=True)
class Goal:
    """What the user of a dialogue wants of one domain.

    Attributes:
        informable: Constraints a venue must meet, slot -> value.
        requestable: What the user asks to be told, of `REQUESTABLE_SLOTS`.
        booking: Constraints of the booking, slot -> value.
    """

    informable: Mapping[str, str]
    requestable: frozenset[str]
    booking: Mapping[str, str]


@dataclass(frozen=True)
class Dialogue:
    """One test dialogue. Every per-turn field has one entry per system turn.

    Attributes:
        goal: domain -> goal.
        references: Reference style -> normalised, delexicalised system responses.
        states: Gold belief states, normalised.
        active_domains: Gold active domains.
        booked_domains: The domains booked by then.
    """

    goal: Mapping[str, Goal]
    references: Mapping[str, Sequence[str]]
    states: Sequence[BeliefState]
    active_domains: Sequence[Sequence[str]]
    booked_domains: Sequence[Sequence[str]]

    @property
    def turns(self) -> int:
        """The number of system turns."""
        return len(self.states)


@dataclass(frozen=True)
class Benchmark:
    """A named test set. Load it once and reuse it: it keeps what scoring derives from it.

    Attributes:
        name: What users call it ("multiwoz", "sample").
        dialogues: Dialogue id (lower case) -> dialogue.
        venues: The venue records scores are made with.
        venues_by_rules: Rule set -> domain -> the records that replace those of `venues`.
        content_hashes: Rule set -> SHA-256 of all that scores under it depend on.
        seen: Ids of the dialogues whose goal also occurs in the train or dev split; None where
            that is not known.
    """

    name: str
    dialogues: Mapping[str, Dialogue]
    venues: VenueRecords
    venues_by_rules: Mapping[str, VenueRecords]
    content_hashes: Mapping[str, str]
    seen: frozenset[str] | None = None

    @staticmethod
    def load(name: str | None = None) -> Benchmark:
        """Load an installed benchmark by name; by default "multiwoz", else the built-in "sample".

        Raises:
            InputError: No benchmark of that name is installed, or its file is damaged.
        """
        from .data.installed import load_benchmark  # it imports this module

        return load_benchmark(name)

    @property
    def turns(self) -> int:
        """The number of system turns of all dialogues."""
        return sum(dialogue.turns for dialogue in self.dialogues.values())

    def part(self, goals: str) -> Benchmark:
        """Return the benchmark cut to the dialogues whose goal is seen or unseen in train or dev.

        A part has content hashes of its own: which dialogues it holds depends on what the goals
        were compared with.

        Args:
            goals: One of `GOALS`; for "all" the benchmark itself is returned.

        Raises:
            InputError: It is not known which goals are seen.
        """
        if goals == "all":
            return self
        if goals in self._parts:
            return self._parts[goals]
        if self.seen is None:
            raise InputError(
                "option goals",
                f"benchmark {self.name} does not say which goals occur in train or dev; the one "
                "that `mwz data fetch --split all` installs does",
            )
        wanted = self.seen if goals == "seen" else self.dialogues.keys() - self.seen
        kept = {id_: d for id_, d in self.dialogues.items() if id_ in wanted}
        ids = " ".join(sorted(kept))
        hashes = {
            rules: hashlib.sha256(f"{whole} {ids}".encode()).hexdigest()
            for rules, whole in self.content_hashes.items()
        }
        self._parts[goals] = replace(self, dialogues=kept, content_hashes=hashes)
        return self._parts[goals]

    def venue_records(self, rules: str) -> VenueRecords:
        """Return the venue records used with a rule set."""
        return {**self.venues, **self.venues_by_rules.get(rules, {})}

    @cached_property
    def reference_index(self) -> ReferenceIndex:
        """The references, ready for BLEU."""
        return ReferenceIndex({id_: d.references for id_, d in self.dialogues.items()})

    def database(self, rules: str, url: str = EMBEDDED) -> VenueDatabase:
        """Return the venue database under a rule set, filled on first use and then kept.

        Args:
            rules: A rule set's name.
            url: A SQLAlchemy database URL.

        Raises:
            InputError: The database cannot be reached or written.
        """
        key = (rules, url)
        if key not in self._databases:
            try:
                database = VenueDatabase(self.venue_records(rules), rule_set(rules), url)
            except (SQLAlchemyError, ImportError) as error:
                reason = str(error).splitlines()[0]
                raise InputError(
                    _without_password(url), f"cannot be used as venue database ({reason})"
                ) from None
            self._databases[key] = database
        return self._databases[key]

    @cached_property
    def _parts(self) -> dict[str, Benchmark]:
        return {}

    @cached_property
    def _databases(self) -> dict[tuple[str, str], VenueDatabase]:
        return {}


def _without_password(url: str) -> str:
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url
