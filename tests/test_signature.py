"""The signature tells everything a score depends on, and whether two scores may be compared."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields, replace
from importlib.metadata import version
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mwz.harness import Benchmark, Signature
from mwz.harness.scoring import Options
from mwz.harness.scoring.scorer import score
from mwz.harness.signature import chosen_setups, current_versions
from mwz.normalization import rule_set

CAREFUL = [{"response": "hello", "state": {}}]

# Every field has a value of its own.
FULL = Signature(
    benchmark="town",
    data="0123456789abcdef" * 4,
    rules="2021",
    rules_digest="fedcba9876543210" * 4,
    setup="both",
    domains="states",
    states="predicted",
    goals="all",
    coverage="3/9-ffffffffffff",
    gold="a1b2c3d4e5f6a7b8" * 4,
    gold_domains="damd",
    parameters={"lambda": "0.5"},
    versions={"mwz": "1.0", "sacrebleu": "2.4"},
)
OTHERS: dict[str, Any] = {
    "benchmark": "city",
    "data": "0123456789abcdef" * 3 + "0123456789abcdee",
    "rules": "2023",
    "rules_digest": "fedcba9876543210" * 3 + "fedcba9876543211",
    "setup": "damd",
    "domains": "gold",
    "states": "gold",
    "goals": "seen",
    "coverage": "3/9-eeeeeeeeeeee",
    "gold": "a1b2c3d4e5f6a7b8" * 3 + "a1b2c3d4e5f6a7b9",
    "gold_domains": "rule",
    "parameters": {"lambda": "0.75"},
    "versions": {"mwz": "1.1", "sacrebleu": "2.4"},
}
FORBIDDING = (
    *("benchmark", "data", "rules_digest", "setup", "states", "goals", "coverage", "gold"),
    *("gold_domains", "parameters"),
)


def _signature(benchmark: Benchmark, **options: str) -> Signature:
    return score({"town001": CAREFUL}, benchmark, Options(**options)).signature


# The line.


def test_it_is_one_line_of_fields_in_a_fixed_order() -> None:
    assert str(FULL) == (
        "mwz:1.0|benchmark:town|data:0123456789ab|rules:2021-fedcba987654|setup:both|"
        "domains:states|states:predicted|goals:all|coverage:3/9-ffffffffffff|gold:a1b2c3d4e5f6|"
        "gold-domains:damd|lambda:0.5|sacrebleu:2.4"
    )


def test_fields_that_mean_nothing_for_a_score_are_left_out() -> None:
    libraries = "|".join(f"{n}:{version(n)}" for n in ("sacrebleu", "sacremoses", "rapidfuzz"))
    assert str(Signature()) == f"mwz:{version('multiwoz-harness')}|{libraries}"
    assert "|rules:2021|" in str(replace(FULL, rules_digest=None))
    assert "rules:" not in str(replace(FULL, rules=None, rules_digest=None))


# The fields of a score's signature.


def test_every_field_of_a_score_is_what_it_was_scored_with(sample: Benchmark) -> None:
    signature = _signature(
        sample, rules="2023", setup="optimistic", domains="gold", states="gold", goals="all"
    )
    rules = rule_set("2023")
    assert signature == Signature(
        benchmark="sample",
        data=sample.content_hash(rules),
        rules="2023",
        rules_digest=rules.digest,
        setup="optimistic",
        domains="gold",
        states="gold",
        goals="all",
        coverage=signature.coverage,
        gold=None,
        gold_domains="rule",
        parameters={},
        versions=current_versions(),
    )


@pytest.mark.parametrize(
    ("option", "value", "changed"),
    [
        # The sample has the same venues under all rule sets.
        ("rules", "2023", {"rules", "rules_digest"}),
        ("rules", "2026", {"rules", "rules_digest"}),
        # The strict set-up uses no gold domains.
        ("setup", "strict", {"setup", "gold_domains"}),
        ("domains", "gold", {"domains"}),
        ("states", "gold", {"states"}),
    ],
)
def test_another_choice_changes_its_own_fields_alone(
    sample: Benchmark, option: str, value: str, changed: set[str]
) -> None:
    before, after = _signature(sample), _signature(sample, **{option: value})
    assert getattr(after, option) == value
    assert _different(before, after) == changed
    assert str(before) != str(after)


def _different(first: Signature, second: Signature) -> set[str]:
    return {f.name for f in fields(Signature) if getattr(first, f.name) != getattr(second, f.name)}


def test_coverage_is_the_turns_played_and_which(sample: Benchmark) -> None:
    def played(**turns: int) -> str | None:
        predictions = {id_: CAREFUL * count for id_, count in turns.items()}
        return score(predictions, sample, Options(metrics=())).signature.coverage

    # As many turns, but others.
    first, second, third = played(town001=2), played(town002=2), played(town001=1, town002=1)
    assert len({first, second, third}) == 3
    assert all(str(coverage).startswith("2/146-") for coverage in (first, second, third))
    # As many turns of the same dialogues.
    assert played(town001=2, town002=1) != played(town001=1, town002=2)
    assert played(town001=2) == first
    assert played(**{id_: dialogue.turns for id_, dialogue in sample.dialogues.items()}) is None


# As a value.


def test_it_is_equal_to_what_is_read_back(sample: Benchmark) -> None:
    for signature in (FULL, Signature(), _signature(sample)):
        written = json.loads(json.dumps(signature.to_dict()))
        assert Signature(**written) == signature
        assert hash(Signature(**written)) == hash(signature)
        assert str(Signature(**written)) == str(signature)
        assert pickle.loads(pickle.dumps(signature)) == signature


# Whether two scores may be compared.


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("benchmark", "different benchmarks: town and city"),
        ("data", "different versions of the benchmark's content: 0123456789ab and 0123456789ab"),
        ("rules_digest", "different rules: 2021-fedcba987654 and 2021-fedcba987654"),
        ("setup", "different set-ups: both and damd"),
        ("states", "different sources of belief states: predicted and gold"),
        ("goals", "different goals: all and seen"),
        ("coverage", "different turns played: 3/9-ffffffffffff and 3/9-eeeeeeeeeeee"),
        ("gold", "different gold states: a1b2c3d4e5f6 and a1b2c3d4e5f6"),
        (
            "gold_domains",
            "different gold active domains (`mwz data import … --mintl` adds DAMD's): "
            "damd and rule",
        ),
        ("parameters", "different lambda: 0.5 and 0.75"),
    ],
)
def test_these_fields_forbid_to_compare_and_say_so(name: str, reason: str) -> None:
    assert name in FORBIDDING
    other = replace(FULL, **{name: OTHERS[name]})
    assert hash(other) != hash(FULL)
    verdict = FULL.comparable_with(other)
    assert not verdict
    assert verdict.reasons == (reason,)
    assert verdict.notes == ()


def test_a_field_that_is_not_there_differs_from_one_that_is() -> None:
    (reason,) = replace(FULL, coverage=None).comparable_with(FULL).reasons
    assert reason == "different turns played: all and 3/9-ffffffffffff"


def test_a_metric_that_one_score_lacks_is_noted() -> None:
    first, other = (replace(FULL, parameters={"polite.words": words}) for words in ("a", "b"))
    lacking = replace(FULL, parameters={})
    assert first.comparable_with(other).reasons == ("different polite.words: a and b",)
    assert first.comparable_with(lacking).notes == ("different polite.words: a and none",)
    assert lacking.comparable_with(first)


_TEXTS = st.none() | st.sampled_from(["a", "b"])


@pytest.mark.parametrize("setup", ["strict", "optimistic"])
def test_a_set_ups_figures_compare_by_themselves(sample: Benchmark, setup: str) -> None:
    both, alone = _signature(sample, setup="both"), _signature(sample, setup=setup)
    # Only the optimistic set-up takes gold active domains.
    assert (alone.gold_domains is None) == (setup == "strict")
    assert both.part(setup) == alone
    verdict = both.comparable_with(alone)
    assert verdict
    assert verdict.notes == (f"only figures of the {setup} set-up compare",)


def _parts(signature: Signature) -> list[Signature]:
    return [signature.part(setup) for setup in chosen_setups(signature.setup or "")]


def test_strict_figures_do_not_compare_with_optimistic_ones(sample: Benchmark) -> None:
    strict, optimistic = (_signature(sample, setup=setup) for setup in ("strict", "optimistic"))
    assert not strict.comparable_with(optimistic)
    assert _parts(_signature(sample, setup="both")) == [strict, optimistic]
    assert strict.part("optimistic") == strict


@settings(deadline=None)
@given(
    st.builds(
        Signature,
        setup=st.sampled_from(["both", "strict", "optimistic", "damd"]),
        domains=_TEXTS,
        gold_domains=_TEXTS,
    )
)
def test_parts_compare_only_with_themselves(signature: Signature) -> None:
    parts = _parts(signature)
    for part in parts:
        assert _parts(part) == [part]
        assert signature.comparable_with(part)
        assert part.comparable_with(signature)
    assert len(parts) == (2 if signature.setup == "both" else 1)
    assert bool(parts[0].comparable_with(parts[-1])) == (len(parts) == 1)


def test_strict_figures_depend_on_the_source_of_gold_domains() -> None:
    both = replace(FULL, domains="gold")
    strict = both.part("strict")
    assert strict.gold_domains == "damd"
    assert both.comparable_with(strict)
    (reason,) = both.comparable_with(replace(strict, gold_domains="rule")).reasons
    assert reason.endswith("damd and rule")


def test_other_domains_and_versions_are_noted_and_forbid_nothing() -> None:
    other = replace(FULL, domains="gold", versions={"mwz": "1.1", "rapidfuzz": "3"})
    verdict = FULL.comparable_with(other)
    assert verdict
    assert verdict.reasons == ()
    assert verdict.notes == (
        "active domains come from states and gold",
        "mwz 1.0 and 1.1",
        "sacrebleu 2.4 and unknown",
        "rapidfuzz unknown and 3",
    )


@pytest.mark.parametrize("name", [*FORBIDDING[:-1], "lambda"])
def test_fields_that_may_differ_are_no_reason(name: str) -> None:
    other = Signature(**OTHERS)
    allowed = FULL.comparable_with(other, apart_from=(name,))
    assert len(allowed.reasons) == len(FORBIDDING) - 1
    assert set(allowed.reasons) < set(FULL.comparable_with(other).reasons)
    assert not allowed
    everything = (*FORBIDDING[:-1], "lambda")
    assert FULL.comparable_with(other, apart_from=everything)


_SIGNATURES = st.builds(
    Signature,
    **{f.name: _TEXTS for f in fields(Signature) if f.name not in {"parameters", "versions"}},
    parameters=st.dictionaries(st.sampled_from(["k", "l"]), st.sampled_from(["1", "2"])),
    versions=st.dictionaries(st.sampled_from(["mwz", "x"]), st.sampled_from(["1", "2"])),
)


@settings(deadline=None)
@given(_SIGNATURES, _SIGNATURES)
def test_comparability_is_symmetric(first: Signature, second: Signature) -> None:
    ours, theirs = first.comparable_with(second), second.comparable_with(first)
    assert bool(ours) == bool(theirs)
    assert len(ours.reasons) == len(theirs.reasons)
    assert len(ours.notes) == len(theirs.notes)
    assert (first == second) == (hash(first) == hash(second))
    if first == second:
        assert ours
        assert not ours.notes
    assert Signature(**first.to_dict()) == first
    differing = _different(first, second)
    forbidding = [name for name in differing if name in FORBIDDING]
    assert bool(ours) == (not forbidding)
