"""The signature tells everything a score depends on."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

import pytest

from mwz.harness import Benchmark, score
from mwz.harness.scoring import Options
from mwz.harness.signature import signature

CAREFUL = [{"response": "hello", "state": {}}]


def _signature(benchmark: Benchmark, **options: str) -> dict[str, str]:
    report = score({"town001": CAREFUL}, benchmark, Options(**options))
    assert "\n" not in report.signature
    return dict(field.split(":", 1) for field in report.signature.split("|"))


def test_it_is_one_line_of_fields_in_a_fixed_order() -> None:
    choices = {"rules": "2021", "setup": "both"}
    libraries = "|".join(f"{n}:{version(n)}" for n in ("sacrebleu", "sacremoses", "rapidfuzz"))
    assert signature("town", "0123456789abcdef", choices) == (
        f"mwz:{version('multiwoz-harness')}|benchmark:town|data:0123456789ab|rules:2021|"
        f"setup:both|{libraries}"
    )


def test_it_names_what_was_chosen_for_auto(sample: Benchmark) -> None:
    fields = _signature(sample)
    assert fields["benchmark"] == "sample"
    assert (fields["rules"], fields["setup"]) == ("2021", "both")
    assert (fields["domains"], fields["states"]) == ("states", "predicted")
    assert sample.content_hashes["2021"].startswith(fields["data"])


@pytest.mark.parametrize(
    ("option", "value"),
    [("rules", "2023"), ("setup", "strict"), ("domains", "gold"), ("states", "gold")],
)
def test_another_choice_is_another_signature(sample: Benchmark, option: str, value: str) -> None:
    before, after = _signature(sample), _signature(sample, **{option: value})
    assert after[option] == value
    assert {field for field in before if before[field] != after[field]} == {option}


def test_other_data_is_another_signature(sample: Benchmark) -> None:
    other = replace(sample, content_hashes={"2021": "f" * 64, "2023": "e" * 64})
    assert _signature(other)["data"] == "f" * 12
    assert _signature(other, rules="2023")["data"] == "e" * 12


def test_the_system_does_not_matter(sample: Benchmark) -> None:
    other = {"town002": [{"response": "[name] is nice", "state": {"hotel": {"area": "x"}}}]}
    assert score(other, sample).signature == score({"town001": CAREFUL}, sample).signature
