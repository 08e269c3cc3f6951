"""The results of dialogues as JSON lines, and the corpus scores that they add up to.

A line holds all that corpus scores are made of (`metrics/results.py`), so lines give these to the
last digit, whether they come from one file or are those of two halves put together; their order
matters to MSTTR alone. What the human responses get is no part of them. What is scored decides what
there is: without BLEU among the metrics, a line has no counts for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..diagnosis import diagnose
from ..errors import InputError
from ..io import parse_json, read_bytes, shown_name, validated
from ..metrics import MAIN_SETUP, DialogueResult, Played, response_metrics
from ..signature import Signature


def explained_results(played: Played) -> list[DialogueResult]:
    """Return the results of the dialogues played; in the strict set-up with causes."""
    results = [*played.results]
    if not results[0].goals.get(MAIN_SETUP):
        # Without Inform and Success, or free-running.
        return results
    return [
        replace(one, goals={**one.goals, MAIN_SETUP: explained.domains})
        for one, explained in zip(results, diagnose(played).results, strict=True)
    ]


def lines_text(results: Sequence[DialogueResult], signature: Signature) -> str:
    """Return results as JSON lines.

    Args:
        results: The results.
        signature: The signature of their scores; its coverage is left out.
    """
    scored_by = str(replace(signature, coverage=None))
    lines = []
    for one in results:
        content = asdict(one)
        head: dict[str, Any] = {
            "dialogue": content.pop("id"),
            "turns": content.pop("turns"),
            "signature": scored_by,
        }
        if MAIN_SETUP in one.goals:
            head |= {"inform": one.inform, "success": one.success}
        content["goals"] = {
            setup: {domain: _present(result) for domain, result in domains.items()}
            for setup, domains in content["goals"].items()
        }
        line = {**head, **_present(content)}
        lines.append(json.dumps(line, ensure_ascii=False, default=sorted) + "\n")
    return "".join(lines)


def _present(content: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if value not in (None, (), [], {})}


def read_dialogue_lines(*paths: str | Path) -> list[DialogueResult]:
    """Read the lines of files, plain or gzipped, or of standard input for `-`, as one.

    Raises:
        InputError: A file cannot be read, a line is malformed, or the lines do not belong together:
            a dialogue comes twice, the signatures differ, or some hold what others lack.
    """
    first: dict[str, str] = {}
    results: list[DialogueResult] = []
    signatures: list[object] = []
    for source, text in ((shown_name(p), t) for p in paths for t in _numbered_lines(p)):
        place, signature, result = _read_line(source, *text)
        if result.id in first:
            raise InputError(place, f"dialogue {result.id} is in {first[result.id]}, too")
        if results and signature != signatures[0]:
            raise InputError(place, f"scored otherwise than the first line ({signature})")
        if results and _metrics(result) != _metrics(results[0]):
            raise InputError(place, "holds other metrics than the first line")
        first[result.id] = place
        results.append(result)
        signatures.append(signature)
    if not results:
        names = ", ".join(map(shown_name, paths))
        raise InputError(names, "no lines; expected one JSON object for each dialogue")
    return results


def _numbered_lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    lines = enumerate(read_bytes(path).splitlines(), start=1)
    return ((number, text) for number, text in lines if text.strip())


def _read_line(source: str, number: int, text: bytes) -> tuple[str, object, DialogueResult]:
    """Return where a line is, its signature and its result."""
    place = f"{source}, line {number}"
    line = parse_json(text, place)
    if not isinstance(line, dict) or "dialogue" not in line:
        raise InputError(place, "expected an object with `dialogue`")
    derived = ("dialogue", "signature", "inform", "success")
    content = {name: value for name, value in line.items() if name not in derived}
    result = validated(DialogueResult, {"id": line["dialogue"], **content}, place)
    further = {
        name: validated(response_metrics()[name].row_type, value, place, name)
        for name, value in result.further.items()
    }
    return place, line.get("signature"), replace(result, further=further)


def _metrics(result: DialogueResult) -> set[str]:
    """Return the metrics that a result has a part of."""
    return {
        name
        for name, metric in response_metrics().items()
        if metric.per_dialogue is not None
        and (getattr(result, metric.fills) if metric.fills else name in result.further)
    }


def corpus_scores(results: Sequence[DialogueResult]) -> dict[str, Any]:
    """Return the corpus scores that results add up to, as `Report.metrics` has them.

    Args:
        results: At least one; of one file or of several, put together.
    """
    names = _metrics(results[0])
    scores: dict[str, Any] = {}
    for name, metric in response_metrics().items():
        if name in names:
            scores |= metric.of_results(results)
    return scores
