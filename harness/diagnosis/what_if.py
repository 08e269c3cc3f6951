"""What if: the same responses scored with gold belief states, with gold active domains, with both.

What each would add tells where points are lost: in the states, in what is talked about, or in the
responses themselves. The figures are those of `mwz score --states gold`, `--domains gold`, and
both.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..metrics.inform_success import TOTAL, inform_success
from ..metrics.setups import STRICT
from ..playing import Played, play


@dataclass(frozen=True)
class WhatIf:
    """Strict Inform and Success with some of what a system put out replaced.

    Attributes:
        name: What is replaced.
        states: The source of belief states.
        domains: The source of active domains.
        inform: Total Inform, in percent.
        success: Total Success, in percent.
    """

    name: str
    states: str
    domains: str
    inform: float
    success: float


AS_IT_IS = "as it is"


def what_if(played: Played) -> list[WhatIf]:
    """Score what was played as it is, with gold states, with gold active domains, with both."""
    ways = {
        AS_IT_IS: (played.states, played.domains),
        "with gold states": ("gold", played.domains),
        "with gold active domains": (played.states, "gold"),
        "with both": ("gold", "gold"),
    }
    rates = {
        sources: inform_success(
            play(played.submission, played.benchmark, *sources),
            played.database(),
            STRICT,
            played.rules,
        )
        for sources in dict.fromkeys(ways.values())
    }
    return [
        WhatIf(name, *sources, rates[sources].inform[TOTAL], rates[sources].success[TOTAL])
        for name, sources in ways.items()
    ]
