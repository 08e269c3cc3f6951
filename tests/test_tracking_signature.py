"""The signature of state-tracking scores: gold states, slots, λ and coverage, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from helpers import benchmark, dialogue
from tracking_cases import tracked

from mwz.harness import Benchmark
from mwz.harness.metrics import (
    Choices,
    GoldStates,
    TrackedDialogue,
    track_states,
    tracking_signature,
)
from mwz.harness.signature import Signature, current_versions
from mwz.normalization import rule_set

GOLD = {"hotel": {"area": "centre"}}
LAMBDAS = (0.25, 0.5, 0.75, 1.0)
PARAMETERS = {
    "slots": "30",
    "lambda": "0.25,0.5,0.75,1",
    "per-domain": "gold-slots",
    "dontcare": "keep",
    "none": "absent",
}


TOY = benchmark({"sng0001": dialogue({}, 2, [GOLD, {}]), "sng0002": dialogue({}, 1, [{}])}, "toy")


def _signature(dialogues: Sequence[TrackedDialogue], on: Benchmark | None = None) -> Signature:
    return tracking_signature(dialogues, on, Choices(LAMBDAS, 30))


def _played(**turns: int) -> list[TrackedDialogue]:
    """Return dialogues of the toy benchmark with their first so many turns."""
    return track_states({id_: [{}] * count for id_, count in turns.items()}, TOY)


def test_signatures_have_gold_slots_and_lambdas() -> None:
    signature = _signature([tracked(("hotel.area=centre", ""))])
    # printf '{"d0001": [[0, {"hotel": {"area": "centre"}}]]}' | sha256sum
    digest = "961c0f18cbaad758b48294a70d30c3af110ebdcb02f68cb469b0c0c6a29e4273"
    fields = signature.to_dict()
    assert PARAMETERS.items() <= fields.pop("parameters").items()
    assert fields == {"gold": digest, "versions": current_versions()}
    assert "|gold:961c0f18cbaa|slots:30|lambda:0.25,0.5,0.75,1|" in str(signature)


def test_without_gold_of_its_own_a_file_has_the_benchmarks() -> None:
    signature = _signature(_played(sng0001=2, sng0002=1), TOY)
    rules = rule_set("2021")
    fields = signature.to_dict()
    assert PARAMETERS.items() <= fields.pop("parameters").items()
    assert fields == {
        "benchmark": "toy",
        "rules": "2021",
        "rules_digest": rules.digest,
        "gold": GoldStates("", "", {"sng0001": [GOLD, {}], "sng0002": [{}]}).digest,
        "versions": current_versions(),
    }
    assert f"|benchmark:toy|rules:2021-{rules.digest[:12]}|gold:" in str(signature)


def test_the_hash_of_gold_states_is_of_dialogues_turns_and_states() -> None:
    # printf '{"sng0001": [[0, {"hotel": {"area": "centre"}}], [1, {}]]}' | sha256sum
    assert GoldStates("", "", {"sng0001": [GOLD, {}]}).digest == (
        "91538b8a8a9371f85fe5ad227cdfab424953f16867c768f822eced4bed66623a"
    )


# ----------------------------------------------------------------------------- coverage


def test_coverage_is_told_unless_every_turn_is_scored() -> None:
    assert _signature(_played(sng0001=2, sng0002=1), TOY).coverage is None
    # printf '[["sng0001", [0]]]' | sha256sum
    assert _signature(_played(sng0001=1), TOY).coverage == "1/3-9d212e9a9c27"


def test_as_many_turns_of_another_dialogue_are_another_coverage() -> None:
    first = _signature(_played(sng0001=1), TOY)
    other = _signature(_played(sng0002=1), TOY)
    assert (first.coverage[:4], other.coverage[:4]) == ("1/3-", "1/3-")
    [reason] = first.comparable_with(other).reasons
    assert reason.startswith("different turns played: ")
    assert first.comparable_with(other, apart_from={"coverage"})
