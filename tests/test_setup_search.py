"""The search of set-ups: what is in it, that its figures are right, and its cache."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from entered import SAMPLE_SUBMISSIONS
from helpers import RULES, VENUES, benchmark, database, dialogue, goal
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from mwz.harness import Benchmark, Scorer
from mwz.harness.benchmark import STYLES
from mwz.harness.board.audit import setup_search
from mwz.harness.board.audit.setup_rates import setup_rates
from mwz.harness.board.audit.setup_search import (
    BleuPoint,
    Outputs,
    RatesPoint,
    SetupSearch,
    nearest,
    nearest_named,
    search_setups,
)
from mwz.harness.board.entries import OwnSetup, Reported
from mwz.harness.data.installed import install_benchmark, loaded_once
from mwz.harness.errors import InputError
from mwz.harness.metrics.played import PlayedDialogue
from mwz.harness.metrics.setups import ALL_SETUPS, OPTIMISTIC, SETUPS, STRICT, Setup
from mwz.harness.scoring import Options, score
from mwz.harness.submission import normalize_submission, parse_submission
from mwz.normalization.rules import RuleSet, published_rule_sets, rule_set

# What each sample submission allows: sources of states, and of active domains.
ALLOWED = {
    "careful": ({"gold", "predicted"}, {"states", "gold"}),
    "scripted": ({"gold"}, {"states", "gold", "slots"}),
    "hasty": ({"gold", "predicted"}, {"states", "gold", "predicted"}),
}


def _content(name: str) -> bytes:
    return (SAMPLE_SUBMISSIONS / f"{name}.json").read_bytes()


def _searched(content: bytes, benchmark: str, workers: int = 1, **how: Any) -> SetupSearch:
    """Search the set-ups of one submission."""
    return search_setups({"one": Outputs(content, benchmark)}, workers, **how)["one"]


@pytest.fixture(scope="module")
def searches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, SetupSearch]]:
    """The set-up searches of the sample submissions, computed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MWZ_DATA", str(tmp_path_factory.mktemp("data")))
        yield search_setups({name: Outputs(_content(name), "sample") for name in ALLOWED}, 2)


@pytest.mark.parametrize("name", ALLOWED)
def test_a_search_has_every_combination_that_the_file_allows_and_no_other(
    name: str, searches: Mapping[str, SetupSearch]
) -> None:
    states, domains = ALLOWED[name]
    comparisons = ("subset", "intersection", "first", "sampling")
    setups = product(comparisons, ("name", "reference", "end"), (False, True))
    wanted = product(published_rule_sets(), states, domains, [Setup(*setup) for setup in setups])
    found = [(p.rules, p.states, p.domains, p.setup) for p in searches[name].rates]
    assert len(found) == len(published_rule_sets()) * len(states) * len(domains) * 24
    assert set(found) == set(wanted)
    bleu = [(point.style, point.tokenization) for point in searches[name].bleu]
    assert len(bleu) == 18
    assert set(bleu) == set(product(STYLES, ("13a", "none", "lowered")))


@pytest.mark.parametrize("rules", published_rule_sets())
@pytest.mark.parametrize("name", ALLOWED)
def test_its_named_points_are_the_scores_under_those_names(
    name: str, rules: str, searches: Mapping[str, SetupSearch], sample: Benchmark
) -> None:
    named = {point.name: point for point in searches[name].named if point.rules == rules}
    assert list(named).count(None) == 0
    assert set(named) == set(SETUPS)
    assert len(searches[name].named) == len(SETUPS) * len(published_rule_sets())
    for setup, point in named.items():
        options = Options(rules=rules, setup=setup or "", metrics=["inform"])
        report = score(json.loads(_content(name)), sample, options)
        rates = report.setup(setup or "")
        assert rates is not None
        assert (point.inform, point.success) == (rates.inform["total"], rates.success["total"])
        assert (point.domains, point.states) == (rates.domains, report.states)


@pytest.mark.parametrize("rules", published_rule_sets())
@pytest.mark.parametrize("name", ALLOWED)
def test_its_strict_and_optimistic_points_are_the_scores(
    name: str, rules: str, searches: Mapping[str, SetupSearch], sample: Benchmark
) -> None:
    scored = score(json.loads(_content(name)), sample, Options(rules=rules))
    for setup, rates in ((STRICT, scored.strict), (OPTIMISTIC, scored.optimistic)):
        assert rates is not None
        [point] = [
            point
            for point in searches[name].rates
            if (point.rules, point.states, point.setup) == (rules, scored.states, setup)
            and point.domains == rates.domains
        ]
        assert (point.inform, point.success) == (rates.inform["total"], rates.success["total"])
        assert point.inform_deviation == point.success_deviation == 0


@pytest.mark.parametrize(
    ("tokenization", "options"),
    [
        ("13a", {}),
        ("none", {"tokenize": "none"}),
        ("lowered", {"tokenize": "none", "lowercase": True}),
    ],
)
@pytest.mark.parametrize("name", ALLOWED)
def test_its_bleu_points_are_sacrebleus(
    name: str,
    tokenization: str,
    options: dict[str, Any],
    searches: Mapping[str, SetupSearch],
    sample: Benchmark,
) -> None:
    parsed = parse_submission(json.loads(_content(name)), sample, name)
    responses = normalize_submission(parsed, rule_set("2021")).responses
    hypotheses = [text for texts in responses.values() for text in texts]
    for point in searches[name].bleu:
        if point.tokenization == tokenization:
            references = [
                text
                for id_, texts in responses.items()
                for text in sample.dialogues[id_].references[point.style][: len(texts)]
            ]
            bleu = BLEU(**options, force=True).corpus_score(hypotheses, [references]).score
            assert point.bleu == pytest.approx(bleu, abs=1e-9), point


def test_set_ups_of_nothing_to_do_and_of_no_dialogue() -> None:
    idle = PlayedDialogue("idle", dialogue({}, 1), ["hello"], [{}], [[]])
    for played, won in (([idle], 100), ([], 0)):
        [rates] = setup_rates(played, [STRICT], DATABASE, RULES).values()
        assert (rates.inform, rates.success) == (won, won)


def test_set_ups_tell_a_state_without_constraints_from_none() -> None:
    """A state that has the domain finds all venues; r1 and r2, of four, are in the north."""
    wanted = dialogue({"restaurant": goal({"area": "north"})}, 1)
    drawn = Setup("sampling", "end")
    for state, inform in (({}, 0.0), ({"restaurant": {}}, 50.0)):
        played = [PlayedDialogue("n", wanted, ["NAME"], [state], [["restaurant"]])]
        [rates] = setup_rates(played, [drawn], DATABASE, RULES).values()
        assert rates.inform == inform


def test_only_sampling_has_a_deviation(searches: Mapping[str, SetupSearch]) -> None:
    drawn = {point.setup.comparison for point in searches["hasty"].rates if point.inform_deviation}
    assert drawn == {"sampling"}


# ------------------------------------------------------------- sampling, draw by draw

_AREAS = st.fixed_dictionaries(
    {},
    optional={
        "area": st.sampled_from(["north", "south", "west"]),
        "food": st.sampled_from(["thai", "greek"]),
        "pricerange": st.sampled_from(["cheap", "dear"]),
    },
)
_TURNS = st.lists(st.tuples(st.sampled_from(["NAME", "bye"]), _AREAS), min_size=1, max_size=5)
DATABASE = database()


def _chance(
    offered: str | None, results: Sequence[Sequence[str]], fitting: frozenset[str]
) -> Fraction:
    """Return the probability that the venue offered last fits, by trying every draw."""
    if not results:
        return Fraction(offered in fitting)
    found, later = results[0], results[1:]
    if offered in found:
        return _chance(offered, later, fitting)
    drawn: Sequence[str | None] = found or [None]
    return sum((_chance(venue, later, fitting) for venue in drawn), start=Fraction(0)) / len(drawn)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(_AREAS, _TURNS), min_size=1, max_size=3))
def test_sampling_gives_the_exact_expectation_over_all_draws(
    dialogues: list[tuple[dict[str, str], list[tuple[str, dict[str, str]]]]],
) -> None:
    played, chances = [], []
    for wanted, turns in dialogues:
        played.append(
            PlayedDialogue(
                id=f"d{len(played)}",
                gold=dialogue({"restaurant": goal(wanted)}, len(turns)),
                responses=[response for response, _ in turns],
                states=[{"restaurant": state} for _, state in turns],
                active_domains=[["restaurant"]] * len(turns),
            )
        )
        results = [
            list(DATABASE.query("restaurant", state))
            for response, state in turns
            if "N" in response
        ]
        fitting = frozenset(DATABASE.query("restaurant", wanted))
        chances.append(_chance(None, results, fitting))
    [rates] = setup_rates(played, [Setup(comparison="sampling")], DATABASE, RULES).values()
    count = len(chances)
    assert rates.inform == pytest.approx(float(100 * sum(chances) / count))
    # Of all sets of draws in all dialogues, their share of matches: mean and variance.
    variance = sum(chance * (1 - chance) for chance in chances) / count**2
    assert rates.inform_deviation == pytest.approx(100 * float(variance) ** 0.5, abs=1e-6)


def test_the_expectation_by_hand_is_among_the_combinations() -> None:
    # Two restaurants in the north, one of them Thai: r2 is drawn by half. The second dialogue
    # asks for the north and gets it. Inform (1/2 + 1) / 2 = 75 %, of which each of two dialogues
    # varies by 1/4 and 0: the deviation is the root of 1/4 over 2, 25 points.
    thai, north = {"restaurant": goal({"food": "thai"})}, {"restaurant": goal({"area": "north"})}
    state = [{"restaurant": {"area": "north"}}]
    tiny = benchmark({"a": dialogue(thai, 1, state), "b": dialogue(north, 1, state)}, "tiny-hand")
    install_benchmark(tiny)
    search = _searched(_predictions("a", "b"), "tiny-hand")
    sampled = [
        p for p in search.rates if p.setup.comparison == "sampling" and p.domains == "states"
    ]
    assert sampled
    for point in sampled:
        assert (point.inform, point.inform_deviation) == pytest.approx((75, 25))
    # By subset r1 does not fit; by intersection r2 does; the first result is r1.
    others = {
        point.setup.comparison: point.inform
        for point in search.rates
        if point.setup.comparison != "sampling" and point.domains == "states"
    }
    assert others == {"subset": 50, "intersection": 100, "first": 50}


def _predictions(*ids: str, text: str = "[name] is nice") -> bytes:
    return json.dumps({id_: [{"response": text}] for id_ in ids}).encode()


# ----------------------------------------------------------------------------- the cache


def _install(name: str, food: str = "thai", **changes: Any) -> None:
    goals = {"restaurant": goal({"area": "north", "food": food})}
    one = dialogue(goals, 1, [{"restaurant": {"area": "north"}}])
    install_benchmark(replace(benchmark({"a": one}, name), **changes))
    # A process loads a benchmark once; a new installation is for the next one.
    loaded_once.cache_clear()


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts how often somebody is asked to compute a search."""
    started: list[int] = []
    real = setup_search.run

    def start(function: Any, jobs: list[Any], *more: Any) -> Any:
        started.append(len(jobs))
        return real(function, jobs, *more)

    monkeypatch.setattr(setup_search, "run", start)
    return started


def test_other_predictions_are_computed(pools: list[int]) -> None:
    _install("tiny")
    found = [
        _searched(_predictions("a", text=text), "tiny") for text in ("[name] is nice", "hello")
    ]
    assert len(pools) == 2
    assert found[0] != found[1]


def test_other_data_under_the_same_name_are_computed(pools: list[int]) -> None:
    for food in ("thai", "greek"):
        _install("tiny", food)
        _searched(_predictions("a"), "tiny")
    assert len(pools) == 2


def test_data_that_differ_under_one_rule_set_only_are_computed(pools: list[int]) -> None:
    # Of the published rule sets, 2021 has venues of its own.
    for versions in ({}, {"2021": {"restaurant": VENUES["restaurant"][:2]}}):
        _install("tiny", venue_versions=versions)
        _searched(_predictions("a"), "tiny")
    assert len(pools) == 2


def test_data_whose_hashes_differ_in_the_part_not_shown_are_computed(
    pools: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    _install("tiny")
    for last in "12":
        monkeypatch.setattr(Scorer, "content_hash", lambda *_, last=last: "0" * 63 + last)
        _searched(_predictions("a"), "tiny")
    assert len(pools) == 2


@pytest.mark.parametrize("changed", published_rule_sets())
def test_other_rules_under_the_same_name_are_computed(
    changed: str, pools: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    _install("tiny")
    _searched(_predictions("a"), "tiny")
    rules = rule_set(changed)
    queries = {**rules.tables["queries"], "fuzzy_ratio": 91}
    other = replace(rules, tables={**rules.tables, "queries": queries})
    assert other.digest != rules.digest

    def look_up(name: str) -> RuleSet:
        return other if name == changed else rule_set(name)

    for module in ("scoring", "scoring.options"):
        monkeypatch.setattr(f"mwz.harness.{module}.rule_set", look_up)
    _searched(_predictions("a"), "tiny")
    assert len(pools) == 2
    # And those before are still there.
    monkeypatch.undo()
    _searched(_predictions("a"), "tiny")
    assert len(pools) == 2


def test_another_published_rule_set_is_computed(
    pools: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    _install("tiny")
    whole = _searched(_predictions("a"), "tiny")
    monkeypatch.setattr(setup_search, "published_rule_sets", lambda: ("2021", "2023"))
    part = _searched(_predictions("a"), "tiny")
    assert len(pools) == 2
    assert part.rates == tuple(point for point in whole.rates if point.rules in ("2021", "2023"))


def test_several_submissions_are_one_run(pools: list[int]) -> None:
    _install("tiny")
    texts = {"nice": "[name] is nice", "hello": "hello", "bye": "bye"}
    outputs = {name: Outputs(_predictions("a", text=text), "tiny") for name, text in texts.items()}
    alone = {name: search_setups({name: one}, 1)[name] for name, one in outputs.items()}
    assert search_setups(outputs, 2) == alone
    assert pools == [1, 1, 1, 3]


def _cut(text: str) -> str:
    return text[: len(text) // 2]


def _changed(*place: str | int, value: object) -> Callable[[str], str]:
    def change(text: str) -> str:
        header, body = text.split("\n")
        table = content = json.loads(body)
        for part in place[:-1]:
            table = table[part]
        table[place[-1]] = value
        return f"{header}\n{json.dumps(content)}"

    return change


def test_progress_is_told_of_every_submission(data_directory: Path) -> None:
    _install("tiny")
    told: list[int] = []

    def progress(searches: Iterable[Any], count: int) -> Iterator[Any]:
        told.append(count)
        for search in searches:
            told.append(1)
            yield search

    _searched(_predictions("a"), "tiny", progress=progress)
    assert told == [1, 1]


def test_the_number_of_workers_changes_nothing() -> None:
    _install("tiny")
    alone = _searched(_predictions("a"), "tiny")
    assert _searched(_predictions("a"), "tiny", 3) == alone


def test_predictions_that_do_not_fit_the_benchmark_are_refused() -> None:
    _install("tiny")
    with pytest.raises(InputError, match="in the benchmark tiny"):
        _searched(_predictions("b"), "tiny")


# ----------------------------------------------------------------- nearest, and stated set-ups


def _point(inform: float, success: float, setup: Setup = STRICT) -> RatesPoint:
    return RatesPoint("2021", "gold", "states", setup, inform, success, 0.0, 0.0)


def _reported(**figures: float) -> Reported:
    return Reported.model_validate({"source": "table 1", **figures})


def test_the_nearest_points_come_first() -> None:
    # Off by 1 + 1, 0 + 3 and 0.5 + 0.5 from (70, 60).
    near = [_point(71, 59), _point(70, 63), _point(70.5, 60.5)]
    search = SetupSearch(
        (BleuPoint("damd", "none", 21), BleuPoint("lava", "13a", 19.5)), tuple(near)
    )
    reported = _reported(bleu=20, inform=70, success=60)
    assert nearest(search.rates, reported)[:2] == [near[2], near[0]]
    assert [point.off_by(reported) for point in near] == [2, 3, 1]
    assert [point.style for point in nearest(search.bleu, reported)] == ["lava", "damd"]


def test_the_named_set_ups_come_once_each_by_their_nearest_rule_set() -> None:
    def point(name: str, rules: str, inform: float) -> RatesPoint:
        return replace(_point(inform, 60), name=name, rules=rules)

    # Off by 2 and 1, by 3, and by 1: of ubar the nearer one; pptod is equally near, and comes later
    # in the table of set-ups.
    points = [
        point("pptod", "2021", 71),
        point("ubar", "2021", 72),
        point("ubar", "2023", 69),
        point("damd", "2021", 73),
    ]
    found = nearest_named(SetupSearch((), (), tuple(points)), _reported(inform=70, success=60))
    assert found == [points[2], points[0], points[3]]
    assert points[2].description == "set-up ubar, states gold, rules 2023"
    assert nearest_named(SetupSearch((), (), tuple(points)), _reported(bleu=20)) == []


def test_only_what_is_reported_makes_the_distance() -> None:
    search = SetupSearch((BleuPoint("damd", "none", 21),), (_point(70, 10), _point(71, 60)))
    assert nearest(search.rates, _reported(inform=70))[0] == _point(70, 10)
    assert nearest(search.bleu, _reported(inform=70)) == []
    assert nearest(search.rates, _reported(bleu=20)) == []


def test_the_stated_set_up_is_recognised() -> None:
    own = OwnSetup(
        style="damd",
        tokenization="word",
        comparison="intersection",
        updates="name",
        reduced_search=True,
        domains="states",
    )
    assert _point(0, 0, OPTIMISTIC).stated(own)
    assert not _point(0, 0, STRICT).stated(own)
    assert not replace(_point(0, 0, OPTIMISTIC), domains="gold").stated(own)
    assert not _point(0, 0, OPTIMISTIC).stated(None)
    assert BleuPoint("damd", "none", 0).stated(own)
    assert not BleuPoint("damd", "13a", 0).stated(own)
    assert not BleuPoint("damd", "none", 0).stated(None)


@pytest.mark.parametrize("point", [_point(70, 60), BleuPoint("damd", "none", 20)])
def test_a_set_up_of_which_nothing_is_known_marks_nothing(point: RatesPoint | BleuPoint) -> None:
    assert not point.stated(OwnSetup())


def test_all_set_ups_differ() -> None:
    assert len(set(ALL_SETUPS)) == len(ALL_SETUPS) == 24
    assert STRICT in ALL_SETUPS
    assert OPTIMISTIC in ALL_SETUPS


def test_the_venues_of_these_tests_are_as_their_comments_say() -> None:
    north = [venue["id"] for venue in VENUES["restaurant"] if venue["area"] == "north"]
    thai = [venue["id"] for venue in VENUES["restaurant"] if venue["food"] == "thai"]
    assert (north, thai) == (["r1", "r2"], ["r2", "r4"])
