"""The search of set-ups: what is in it, that its figures are right, and what comes nearest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from entered import sample_content
from helpers import RULES, benchmark, database, dialogue, goal, parse_submission
from hypothesis import given, settings, strategies as st
from sacrebleu.metrics.bleu import BLEU
from stepped import play

from mwz.harness import Benchmark
from mwz.harness.benchmark import STYLES
from mwz.harness.board.audit.setup_search import (
    Point,
    SetupSearch,
    nearest,
    nearest_named,
    nearness,
    search_setups,
    setup_rates,
)
from mwz.harness.board.systems import OwnSetup, Reported
from mwz.harness.data.installed import install_benchmark
from mwz.harness.metrics import SETUPS, PlayedDialogue, Setup
from mwz.harness.scoring import Options
from mwz.harness.scoring.scorer import score
from mwz.harness.submission import normalize_submission
from mwz.normalization import published_rule_sets, rule_set

STRICT, OPTIMISTIC = (SETUPS[name].setup for name in ("strict", "optimistic"))

# What each sample submission allows: sources of states, and of active domains.
ALLOWED = {
    "careful": ({"gold", "predicted"}, {"states", "gold"}),
    "scripted": ({"gold"}, {"states", "gold", "slots"}),
    "hasty": ({"gold", "predicted"}, {"states", "gold", "predicted"}),
}


def _setup(point: Point) -> Setup:
    return Setup(**{name: point.ways[name] for name in asdict(STRICT)})


def _both(point: Point) -> tuple[float, float]:
    return point.figures["inform"], point.figures["success"]


def _searched(content: bytes, benchmark: str) -> SetupSearch:
    """Search the set-ups of one submission."""
    [(_, search)] = search_setups({"one": (content, benchmark, None)}, 1)
    return search


@pytest.fixture(scope="module")
def searches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, SetupSearch]]:
    """The set-up searches of the sample submissions, computed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MWZ_DATA", str(tmp_path_factory.mktemp("data")))
        outputs = {name: (sample_content(name), "sample", None) for name in ALLOWED}
        yield dict(search_setups(outputs, 2))


@pytest.mark.parametrize("name", ALLOWED)
def test_searches_try_all_combinations(name: str, searches: Mapping[str, SetupSearch]) -> None:
    states, domains = ALLOWED[name]
    comparisons = ("subset", "intersection", "first", "sampling")
    setups = product(comparisons, ("name", "reference", "end"), (False, True))
    wanted = product(published_rule_sets(), states, domains, [Setup(*setup) for setup in setups])
    tried = [
        (*(point.ways[way] for way in ("rules", "states", "domains")), _setup(point))
        for point in searches[name].rates
    ]
    assert len(tried) == len(published_rule_sets()) * len(states) * len(domains) * 24
    assert set(tried) == set(wanted)
    bleu = [tuple(point.ways.values()) for point in searches[name].bleu]
    assert len(bleu) == 18
    assert set(bleu) == set(product(STYLES, ("13a", "none", "lowered")))


@pytest.mark.parametrize(
    ("name", "rules"), [("careful", "2021"), ("scripted", "2023"), ("hasty", "2026")]
)
def test_its_named_points_are_the_scores_under_those_names(
    name: str, rules: str, searches: Mapping[str, SetupSearch], sample: Benchmark
) -> None:
    points = [point for point in searches[name].named if point.ways["rules"] == rules]
    named = {point.ways["setup"]: point for point in points}
    # Some need placeholders that name their domain.
    allowed = {
        n
        for n, named_setup in SETUPS.items()
        if named_setup.domains in (None, "gold", *ALLOWED[name][1])
    }
    assert set(named) == allowed
    assert len(searches[name].named) == len(allowed) * len(published_rule_sets())
    for setup, point in named.items():
        options = Options(rules=rules, setup=setup, metrics=["inform"])
        report = score(json.loads(sample_content(name)), sample, options)
        rates = report.metrics[setup]
        assert _both(point) == (rates.inform["total"], rates.success["total"])
        assert (point.ways["domains"], point.ways["states"]) == (
            rates.domains,
            report.signature.states,
        )


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
    parsed = parse_submission(json.loads(sample_content(name)), sample, name)
    responses = normalize_submission(parsed, rule_set("2021")).responses
    hypotheses = [text for texts in responses.values() for text in texts]
    for point in searches[name].bleu:
        if point.ways["tokenization"] == tokenization:
            references = [
                text
                for id_, texts in responses.items()
                for text in sample.dialogues[id_].references[point.ways["style"]][: len(texts)]
            ]
            bleu = BLEU(**options, force=True).corpus_score(hypotheses, [references]).score
            assert point.figures["bleu"] == pytest.approx(bleu, abs=1e-9), point


def test_set_ups_of_nothing_to_do_and_of_no_dialogue() -> None:
    idle = PlayedDialogue("idle", dialogue({}, 1), ["hello"], [{}], [[]])
    for played, won in (([idle], 100), ([], 0)):
        [rates] = setup_rates(played, [STRICT], DATABASE, RULES).values()
        assert (rates["inform"], rates["success"]) == (won, won)


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
    first, later = results[0], results[1:]
    if offered in first:
        return _chance(offered, later, fitting)
    drawn: Sequence[str | None] = first or [None]
    return sum((_chance(venue, later, fitting) for venue in drawn), start=Fraction(0)) / len(drawn)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(_AREAS, _TURNS), min_size=1, max_size=3))
def test_sampling_gives_the_exact_expectation_over_all_draws(
    dialogues: list[tuple[dict[str, str], list[tuple[str, dict[str, str]]]]],
) -> None:
    played, chances = [], []
    for wanted, turns in dialogues:
        played.append(
            play(
                {"restaurant": goal(wanted)},
                *((response, {"restaurant": state}) for response, state in turns),
                id_=f"d{len(played)}",
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
    assert rates["inform"] == pytest.approx(float(100 * sum(chances) / count))
    # Of all sets of draws in all dialogues, their share of matches: mean and variance.
    variance = sum(chance * (1 - chance) for chance in chances) / count**2
    assert rates["inform_deviation"] == pytest.approx(100 * float(variance) ** 0.5, abs=1e-6)


def test_the_expectation_by_hand_is_among_the_combinations() -> None:
    # Two restaurants in the north, one of them Thai: r2 is drawn by half. The second dialogue
    # asks for the north and gets it. Inform (1/2 + 1) / 2 = 75 %, of which each of two dialogues
    # varies by 1/4 and 0: the deviation is the root of 1/4 over 2, 25 points.
    thai, north = {"restaurant": goal({"food": "thai"})}, {"restaurant": goal({"area": "north"})}
    state = [{"restaurant": {"area": "north"}}]
    tiny = benchmark({"a": dialogue(thai, 1, state), "b": dialogue(north, 1, state)}, "tiny-hand")
    install_benchmark(tiny)
    search = _searched(_predictions("a", "b"), "tiny-hand")
    points = [point for point in search.rates if point.ways["domains"] == "states"]
    sampled = [point.figures for point in points if point.ways["comparison"] == "sampling"]
    assert sampled
    for figures in sampled:
        assert (figures["inform"], figures["inform_deviation"]) == pytest.approx((75, 25))
    # By subset r1 does not fit; by intersection r2 does; the first result is r1.
    others = {
        point.ways["comparison"]: point.figures["inform"]
        for point in points
        if point.ways["comparison"] != "sampling"
    }
    assert others == {"subset": 50, "intersection": 100, "first": 50}


def _predictions(*ids: str, text: str = "[name] is nice") -> bytes:
    return json.dumps({id_: [{"response": text}] for id_ in ids}).encode()


# -------------------------------------------------------------------------------- the jobs


def test_several_submissions_give_in_processes_what_each_gives_alone() -> None:
    goals = {"restaurant": goal({"area": "north", "food": "thai"})}
    gold = dialogue(goals, 1, [{"restaurant": {"area": "north"}}])
    install_benchmark(benchmark({"a": gold}, "apart"))
    texts = {"nice": "[name] is nice", "hello": "hello", "bye": "bye"}
    contents = {name: _predictions("a", text=text) for name, text in texts.items()}
    outputs = {name: (content, "apart", None) for name, content in contents.items()}
    alone = {name: _searched(content, "apart") for name, content in contents.items()}
    assert dict(search_setups(outputs, 2)) == alone
    assert alone["nice"] != alone["hello"]


# ----------------------------------------------------------------- nearest, and stated set-ups


_SOURCES = {"rules": "2021", "states": "gold", "domains": "states"}


def _point(inform: float, success: float, way: Setup = STRICT, **ways: str) -> Point:
    figures = {"inform": inform, "success": success}
    return Point({**_SOURCES, **asdict(way), **ways}, figures)


def _bleu(style: str, tokenization: str, bleu: float) -> Point:
    return Point({"style": style, "tokenization": tokenization}, {"bleu": bleu})


def _reported(**figures: float | str) -> Reported:
    return Reported.model_validate({"source": "table 1", **figures})


def test_the_nearest_points_come_first() -> None:
    # Off by 1 + 1, 0 + 3 and 0.5 + 0.5 from (70, 60).
    near = [_point(71, 59), _point(70, 63), _point(70.5, 60.5)]
    search = SetupSearch((_bleu("damd", "none", 21), _bleu("lava", "13a", 19.5)), tuple(near))
    reported = _reported(bleu=20, inform=70, success=60)
    assert nearest(search.rates, reported)[:2] == [near[2], near[0]]
    assert [point.off_by(reported) for point in near] == [2, 3, 1]
    assert [point.ways["style"] for point in nearest(search.bleu, reported)] == ["lava", "damd"]
    # Only what is reported makes the distance.
    assert nearest(search.rates, _reported(success=63))[0] == near[1]
    assert nearest(search.bleu, _reported(inform=70)) == []
    assert nearest(search.rates, _reported(bleu=20)) == []


def test_the_named_set_ups_come_once_each_by_their_nearest_rule_set() -> None:
    def point(name: str, rules: str, inform: float) -> Point:
        return _point(inform, 60, setup=name, rules=rules)

    # Off by 2 and 1, by 3, and by 1: of ubar the nearer one; pptod is equally near, and comes later
    # in the table of set-ups.
    points = [
        point("pptod", "2021", 71),
        point("ubar", "2021", 72),
        point("ubar", "2023", 69),
        point("damd", "2021", 73),
    ]
    named = nearest_named(SetupSearch((), (), tuple(points)), _reported(inform=70, success=60))
    assert named == [points[2], points[0], points[3]]
    assert points[2].description == "set-up ubar, states gold, rules 2023"
    assert nearest_named(SetupSearch((), (), tuple(points)), _reported(bleu=20)) == []


OWN = OwnSetup(
    style="damd",
    tokenization="word",
    comparison="intersection",
    updates="name",
    reduced_search=True,
    domains="states",
)


@pytest.mark.parametrize(
    ("point", "own", "stated"),
    [
        (_point(0, 0, OPTIMISTIC), OWN, True),
        (_point(0, 0, STRICT), OWN, False),
        (_point(0, 0, OPTIMISTIC, domains="gold"), OWN, False),
        (_point(0, 0, OPTIMISTIC), None, False),
        (_point(0, 0), OwnSetup(), False),
        (_bleu("damd", "none", 0), OWN, True),
        (_bleu("damd", "13a", 0), OWN, False),
        (_bleu("damd", "none", 0), None, False),
        (_bleu("damd", "none", 0), OwnSetup(), False),
    ],
)
def test_the_stated_set_up_is_recognised(point: Point, own: OwnSetup | None, stated: bool) -> None:
    assert point.stated(own) is stated


def test_alternatives_give_all_rates_and_are_no_expectation() -> None:
    drawn = _point(75.0, 66.0, Setup("sampling", "end"))
    apart = (_point(75.0, 50.0), _point(50.0, 66.0))
    both = _point(75.04, 65.96, Setup("first", "end"))
    search = SetupSearch((_bleu("hdsa", "none", 24.04),), (drawn, *apart, both))
    reported = _reported(inform="75.0", success="66.0", bleu="24.0")
    assert list(search.alternatives(reported, "inform")) == [
        (
            "venues by first, updates at end, full search, domains states, states gold, rules 2021",
            75.04,
        )
    ]
    assert list(search.alternatives(reported, "bleu")) == [
        ("hdsa references, tokenisation none", 24.04)
    ]


# ---------------------------------------------------------------------------------- chance


def test_how_near_the_combinations_come_is_counted() -> None:
    search = SetupSearch((), (_point(70, 60), _point(70.1, 60), _point(80, 70)))
    [near] = nearness(search, _reported(inform="71.0", success="60.0"))
    # 0.9 off, 1.0 off by rounding as near, 19 off.
    assert (near["tried"], near["as_near"]) == (3, 2)
    assert near["off_by"] == pytest.approx(0.9)
    assert near["share"] == pytest.approx(100 * 2 / 3)
    assert nearness(search, _reported(bleu="20.0")) == []


def test_by_chance_is_the_share_of_figures_as_near() -> None:
    # BLEU from 10 to 20 in steps of 0.1; 1 off reaches 10 to 11 and 19 to 20: 22 of 101 steps.
    search = SetupSearch((_bleu("damd", "none", 10.0), _bleu("hdsa", "none", 20.0)))
    [near] = nearness(search, _reported(bleu="21.0"))
    assert near["by_chance"] == pytest.approx(100 * 22 / 101)
    [sure] = nearness(search, _reported(bleu="99.0"))
    assert sure["by_chance"] == 100.0
