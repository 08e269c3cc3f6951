"""Inform, Success and the combined score, in the set-ups asked for.

The rule is in `inform_success.py`; the combined score is (Inform + Success) / 2 + BLEU, with BLEU
against the canonical references (Mehri et al., 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..benchmark import CANONICAL_STYLE
from ..io.rendering import figure, text_table
from . import Headline, Metric, Results, no_percentages
from .bleu import COLUMNS, bleu_of_sums, counts
from .inform_success import (
    TOTAL,
    DomainTurns,
    Outcomes,
    Rates,
    dialogue_outcomes,
    goal_turns,
    rates,
)
from .played import Played
from .played_turns import PlayedTurns, SaidTurns
from .setups import MAIN_SETUP, SETUPS, chosen_setups
from .statistics import Figure, LinearStatistics, percent


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
        for name, by_domain in (("inform", self.inform), ("success", self.success)):
            if TOTAL not in by_domain:
                raise ValueError(f"{name} lacks {TOTAL}")


def informs(played: Played) -> dict[str, SetupScores]:
    """Return set-up -> Inform, Success and combined score, of the set-ups asked for."""
    bleu = played.result("bleu")
    canonical = None if bleu is None else bleu[CANONICAL_STYLE]
    scores = {}
    for name in chosen_setups(played.setup):
        found = rates(played.once(outcomes, name))
        scores[name] = setup_scores(found, canonical, SETUPS[name].domains or played.domains)
    return scores


def outcomes(played: Played, setup: str) -> Outcomes:
    """Return how the dialogues played came out under a set-up, a key of `SETUPS`."""
    how = played.database(), SETUPS[setup].setup, played.rules
    return dialogue_outcomes(played.once(played_turns, setup), played.once(seen_turns, setup), *how)


def played_turns(played: Played, setup: str) -> PlayedTurns:
    """Return the turns of the dialogues played as a set-up looks at them."""
    return PlayedTurns(played.under(setup), played.once(_said))


def _said(played: Played) -> SaidTurns:
    return SaidTurns(played.dialogues(played.domains))


def seen_turns(played: Played, setup: str) -> dict[str, DomainTurns]:
    """Return goal domain -> what a set-up sees of it, in the dialogues played."""
    return goal_turns(played.once(played_turns, setup), SETUPS[setup].setup, played.rules)


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


def check(results: Mapping[str, Any], dialogues: int) -> Iterator[str]:
    """Yield rates that no system can have, and combined scores that are not those of their parts.

    Args:
        results: The results of all metrics.
        dialogues: The number of dialogues scored.
    """
    bleu = (results.get("bleu") or {}).get(CANONICAL_STYLE)
    for name in filter(results.__contains__, SETUPS):
        scores: SetupScores = results[name]
        for place, by_domain in (("inform", scores.inform), ("success", scores.success)):
            yield from no_percentages(f"{name}.{place}", by_domain)
            # Each dialogue counts as 0 or 1.
            won = by_domain[TOTAL] * dialogues / 100
            if abs(won - round(won)) > 1e-6:
                yield f"{name}.{place}.{TOTAL}: no rate of {dialogues} dialogues"
        inform, success = scores.inform[TOTAL], scores.success[TOTAL]
        follows = None if bleu is None else combined(inform, success, bleu)
        if scores.combined != follows:
            yield f"{name}.combined: {scores.combined!r} does not follow from the rest"


def statistics(played: Played) -> LinearStatistics:
    """Return the statistics of Inform and Success in the set-ups asked for: dialogues won.

    Figures of the strict set-up are `inform`, `success` and, with BLEU, `combined`; those of
    another have its name before them.
    """
    setups = chosen_setups(played.setup)
    known = [played.once(outcomes, name) for name in setups]
    rows = [
        [1, *own]
        for own in zip(*(one for k in known for one in (k.inform, k.success)), strict=True)
    ]
    names = ["inform", "success"]
    with_bleu = "bleu" in played.metrics
    if with_bleu:
        names.append("combined")
        bleu = played.once(counts)[CANONICAL_STYLE].tolist()
        rows = [[*own, *other] for own, other in zip(rows, bleu, strict=True)]
    return LinearStatistics.of_rows(
        figures=[
            Figure(
                _name(setup, name),
                name.capitalize() if setup == MAIN_SETUP else f"{name.capitalize()}, {setup}",
                digits=2 if name == "combined" else 1,
                main=setup == MAIN_SETUP,
            )
            for setup in setups
            for name in names
        ],
        rows=rows,
        formula=partial(_figures, setups=setups, with_bleu=with_bleu),
        wins={
            _name(setup, name): 1 + 2 * at + offset
            for at, setup in enumerate(setups)
            for offset, name in enumerate(("inform", "success"))
        },
        of_samples=True,
    )


def _name(setup: str, figure: str) -> str:
    return figure if setup == MAIN_SETUP else f"{setup}.{figure}"


def _figures(sums: Sequence[float], setups: Sequence[str], with_bleu: bool) -> dict[str, float]:
    """Return figure -> value, in percent: with BLEU, its columns come last."""
    return rates_of_sums(sums, setups, bleu_of_sums(sums[-COLUMNS:]) if with_bleu else None)


def rates_of_sums(
    sums: Sequence[float], setups: Sequence[str], bleu: float | None
) -> dict[str, float]:
    """Return figure -> value, in percent.

    Args:
        sums: The number of dialogues, then for each set-up those with Inform and with Success.
        setups: The names of the set-ups.
        bleu: BLEU against the canonical references, for the combined scores; None without.
    """
    values = {}
    for at, setup in enumerate(setups):
        inform, success = (percent(sums[1 + 2 * at + k], sums[0]) for k in (0, 1))
        values[_name(setup, "inform")] = inform
        values[_name(setup, "success")] = success
        if bleu is not None:
            values[_name(setup, "combined")] = combined(inform, success, bleu)
    return values


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
    def of_report(report: Results, setup: str) -> float | None:
        scores = report.metrics.get(setup)
        return None if scores is None else value(scores)

    return of_report


METRIC = Metric(
    name="inform",
    title="Inform and Success",
    description="Whether fitting venues are offered and what was asked is told; combined score.",
    unit="percent",
    source="Budzianowski et al. (2018); Nekvinda & Dušek (2021)",
    compute=informs,
    statistics=statistics,
    check=check,
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
