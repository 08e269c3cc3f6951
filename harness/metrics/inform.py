"""Inform, Success and the combined score, in the set-ups asked for.

The rule is in `inform_success.py`; the combined score is (Inform + Success) / 2 + BLEU, with BLEU
against the canonical references (Mehri et al., 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..benchmark import CANONICAL_STYLE
from ..playing import Played
from ..rendering import figure, text_table
from .inform_success import TOTAL, Rates, inform_success
from .registry import Headline, Metric
from .setups import SETUPS, chosen_setups

if TYPE_CHECKING:
    from ..report import Report


@dataclass(frozen=True)
class SetupScores:
    """Inform and Success under one set-up.

    Attributes:
        inform: "total" or domain -> Inform, in percent.
        success: "total" or domain -> Success, in percent.
        combined: (Inform + Success) / 2 + BLEU of the canonical style; None without BLEU.
        domains: The source of the active domains.
    """

    inform: Mapping[str, float]
    success: Mapping[str, float]
    combined: float | None
    domains: str

    def __post_init__(self) -> None:
        for name, rates in (("inform", self.inform), ("success", self.success)):
            if TOTAL not in rates:
                raise ValueError(f"{name} lacks {TOTAL}")


def informs(played: Played) -> dict[str, SetupScores]:
    """Return set-up -> Inform, Success and combined score, of the set-ups asked for."""
    bleu = played.result("bleu")
    canonical = None if bleu is None else bleu[CANONICAL_STYLE]
    scores = {}
    for name in chosen_setups(played.setup):
        rates = inform_success(
            played.under(name), played.database(), SETUPS[name].setup, played.rules
        )
        scores[name] = setup_scores(rates, canonical, SETUPS[name].domains or played.domains)
    return scores


def setup_scores(rates: Rates, bleu: float | None, domains: str) -> SetupScores:
    """Return the scores of a set-up, of its rates, BLEU of the canonical style and its domains."""
    inform, success = rates.inform[TOTAL], rates.success[TOTAL]
    return SetupScores(
        inform=rates.inform,
        success=rates.success,
        combined=None if bleu is None else combined(inform, success, bleu),
        domains=domains,
    )


def combined(inform: float, success: float, bleu: float) -> float:
    """Return the combined score, all in percent."""
    return (inform + success) / 2 + bleu


def _text(_: Metric, setups: Mapping[str, SetupScores]) -> str:
    """Show the rates by domain; the totals head every report."""
    headers = ["domain"]
    for name in setups:
        headers += [f"Inform {name}", f"Success {name}"]
    domains = sorted(next(iter(setups.values())).inform.keys() - {TOTAL})
    rows = [
        [
            domain,
            *(
                figure(rates[domain])
                for scores in setups.values()
                for rates in (scores.inform, scores.success)
            ),
        ]
        for domain in domains
    ]
    return text_table(headers, rows)


def _of_setup(value: Callable[[SetupScores], float | None]) -> Callable[..., float | None]:
    def of_report(report: Report, setup: str) -> float | None:
        scores = report.setup(setup)
        return None if scores is None else value(scores)

    return of_report


METRIC = Metric(
    name="inform",
    title="Inform and Success",
    description="Whether fitting venues are offered and what was asked is told; combined score.",
    unit="percent",
    source="Budzianowski et al. (2018); Nekvinda & Dušek (2021)",
    compute=informs,
    keys=dict.fromkeys(SETUPS, SetupScores),
    text=_text,
    headlines=(
        Headline("inform", "Inform", _of_setup(lambda scores: scores.inform[TOTAL])),
        Headline("success", "Success", _of_setup(lambda scores: scores.success[TOTAL])),
        Headline("combined", "Combined", _of_setup(lambda scores: scores.combined), highest=200.0),
    ),
    aliases=("success",),
    rank=1,
)
