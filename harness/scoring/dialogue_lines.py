"""The results of dialogues as JSON lines.

A line holds all that corpus scores are made of (`metrics/results.py`). What the human responses get
is no part of them. What is scored decides what there is: without BLEU among the metrics, a line has
no counts for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ..diagnosis import diagnose
from ..metrics import MAIN_SETUP, DialogueResult, Played
from ..signature import Signature


def explained_results(played: Played) -> list[DialogueResult]:
    """Return the results of the dialogues played; in the strict set-up with causes."""
    results = list(played.results)
    if not results[0].goals.get(MAIN_SETUP):
        # Without Inform and Success, or free-running.
        return results
    explained = []
    for result, diagnosed in zip(results, diagnose(played).results, strict=True):
        goals = {**result.goals, MAIN_SETUP: diagnosed.domains}
        explained.append(replace(result, goals=goals))
    return explained


def lines_text(results: Sequence[DialogueResult], signature: Signature) -> str:
    """Return results as JSON lines.

    Args:
        results: The results.
        signature: The signature of their scores; its coverage is left out.
    """
    scored_by = str(replace(signature, coverage=None))
    lines = []
    for result in results:
        content = asdict(result)
        head: dict[str, Any] = {
            "dialogue": content.pop("id"),
            "turns": content.pop("turns"),
            "signature": scored_by,
        }
        if MAIN_SETUP in result.goals:
            head |= {"inform": result.inform, "success": result.success}
        for domains in content["goals"].values():
            for domain, outcome in domains.items():
                domains[domain] = _present(outcome)
        line = {**head, **_present(content)}
        lines.append(json.dumps(line, ensure_ascii=False, default=sorted) + "\n")
    return "".join(lines)


def _present(content: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if value not in (None, (), [], {})}
