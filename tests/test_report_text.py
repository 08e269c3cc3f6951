"""The report as text."""

from __future__ import annotations

from helpers import benchmark, dialogue, goal

from mwz.harness.benchmark import Benchmark
from mwz.harness.scoring import Options, report_text
from mwz.harness.scoring.scorer import score

TOWN = benchmark(
    {
        "mul0001": dialogue(
            {"restaurant": goal({"area": "north"}), "taxi": goal()},
            2,
            states=[{"restaurant": {"area": "north"}}] * 2,
            references=["how about NAME in the north?", "good bye"],
        )
    }
)
ONE = {"mul0001": [{"response": "how about [name] in the north?"}]}
WHOLE = {"mul0001": [{"response": "[what] [what]"}, {"response": "[ever]"}]}


def _text(predictions: dict[str, list[dict[str, str]]], town: Benchmark = TOWN, **o: str) -> str:
    return report_text(score(predictions, town, Options(**o)))


def _cells(text: str, first: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(first)]
    return line.split()


def test_the_sections_of_a_report_are_in_order() -> None:
    text = _text(ONE)
    places = [text.index(head) for head in ("total ", "domain ", "reference style", "diversity")]
    assert places == sorted(places)
    assert text.splitlines()[2].startswith("total")
    assert text.splitlines()[-3].endswith("Signature:")
    signature = score(ONE, TOWN).signature
    parts = [str(signature.part(setup)) for setup in ("strict", "optimistic")]
    assert text.splitlines()[-2:] == parts


def test_numbers_are_those_of_the_report() -> None:
    text = _text(ONE)
    assert _cells(text, "strict ") == ["strict", "100.0", "100.0", "100.0", "200.0"]
    assert _cells(text, "restaurant ")[1:] == ["100.0", "100.0", "0.0", "0.0"]
    assert _cells(text, "taxi ")[1:] == ["100.0", "100.0", "100.0", "0.0"]
    assert _cells(text, "mwz22 ") == ["mwz22", "(canonical)", "100.00"]
    assert text.count("(canonical)") == 1


def test_coverage_is_shown_only_below_100_percent() -> None:
    assert "coverage: 1 of 1 dialogues, 1 of 2 turns (50.00 %)" in _text(ONE)
    assert "coverage" not in _text(WHOLE)


def test_unknown_placeholders_are_shown_with_counts() -> None:
    assert "unknown placeholders, removed: [what] 2×, [ever] 1×" in _text(WHOLE)
    assert "unknown placeholders" not in _text(ONE)


def test_many_unknown_placeholders_and_long_ones_fit_a_screen() -> None:
    long = f"[{'x' * 50_000}]"
    names = " ".join(f"[unknown{number}]" for number in range(3_000))
    text = _text({"mul0001": [{"response": long}, {"response": names}]})
    assert "and 2981 more" in text
    assert max(map(len, text.splitlines())) < 3000


def test_it_says_where_domains_and_states_come_from() -> None:
    assert "active domains (strict): states; belief states: gold" in _text(ONE)
    assert "active domains (strict): gold; belief states: gold" in _text(ONE, domains="gold")
    assert "(strict)" not in _text(ONE, setup="optimistic")


def test_what_was_not_computed_is_not_shown() -> None:
    text = report_text(score(ONE, TOWN, Options(metrics=("inform",), setup="strict")))
    assert _cells(text, "strict ") == ["strict", "–", "100.0", "100.0", "–"]
    for absent in ("optimistic ", "reference style", "diversity"):
        assert absent not in text
    text = report_text(score(ONE, TOWN, Options(metrics=("bleu",))))
    assert "Inform" not in text
    assert "mwz22 (canonical)" in text
    assert text.count("|setup:") == 1
    # With no metric at all there is still what was played, and with what.
    text = report_text(score(ONE, TOWN, Options(metrics=())))
    assert text.startswith("coverage: 1 of 1 dialogues")


def test_state_tracking_is_shown_where_asked_for() -> None:
    predictions = {"mul0001": [{"response": "ok", "state": {"restaurant": {"area": "north"}}}]}
    text = report_text(score(predictions, TOWN, Options(metrics=("dst",))))
    assert text.splitlines()[0].endswith("state tracking")
    assert _cells(text, "JGA ") == ["JGA", "100.00"]
    assert "state tracking" not in _text(ONE)
