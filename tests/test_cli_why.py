"""`mwz why`: what it tells, in 100 columns, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers import CAREFUL, HASTY, Cli, sample_predictions, write_json

from mwz.harness import Benchmark, ReadingWarning
from mwz.harness.scoring import Options, Scorer


@pytest.fixture
def why(cli: Cli) -> Cli:
    return cli.of("why", "--benchmark", "sample")


def written(tmp_path: Path, predictions: object) -> Path:
    return write_json(tmp_path / "predictions.json", predictions)


def row(text: str, title: str, nth: int = 0) -> list[str]:
    """Return the cells behind the title of a table's row."""
    found = [line for line in text.splitlines() if re.match(rf"{re.escape(title)}  ", line)]
    return found[nth].removeprefix(title).split()


@pytest.fixture(scope="module")
def scorer(sample: Benchmark) -> Scorer:
    return Scorer(sample, Options(setup="strict", metrics=["inform"]))


def test_the_tables_add_up_to_the_score(why: Cli, scorer: Scorer) -> None:
    run = why(HASTY)
    assert run.status == 0
    with pytest.warns(ReadingWarning):
        report = scorer.score(sample_predictions("hasty"))
    assert run.out.startswith(f"Inform {report.inform:.1f}, Success {report.success:.1f}, strict")
    # The last columns of the totals are the points lost.
    assert row(run.out, "all")[-1] == f"{100 - report.inform:.2f}"
    domains_lost, slots_lost = (float(row(run.out, "all", nth)[-1]) for nth in (0, 1))
    assert domains_lost + slots_lost == pytest.approx(100 - report.success, abs=0.01)
    strict = report.strict
    names = ["attraction", "hotel", "restaurant", "taxi", "train"]
    assert row(run.out, "Inform (%)") == [f"{strict.inform[name]:.1f}" for name in names]
    assert row(run.out, "Success (%)") == [f"{strict.success[name]:.1f}" for name in names]


def test_what_if_is_what_score_says(why: Cli, scorer: Scorer) -> None:
    run = why(HASTY)
    for title, options in {
        "with gold states": {"states": "gold"},
        "with gold active domains": {"domains": "gold"},
        "with both": {"states": "gold", "domains": "gold"},
    }.items():
        report = scorer.with_options(**options).score(sample_predictions("hasty"))
        cells = row(run.out, title)
        assert (cells[0], cells[2]) == (f"{report.inform:.1f}", f"{report.success:.1f}")


def test_the_first_dialogues_of_the_largest_causes_are_shown(why: Cli, scorer: Scorer) -> None:
    # Three dialogues of each of three causes; of one that is asked for, all.
    assert len(re.findall(r"^  town\d+, ", why(HASTY).out, re.M)) == 9
    cause = "no venue"
    out = why(HASTY, "--cause", cause).out
    listed = re.findall(r"^  (town\d+), (\w+):", out, re.M)
    expected = []
    for outcome in scorer.dialogues(sample_predictions("hasty")):
        lost = [domain for domain, result in outcome.domains.items() if result.cause == cause]
        expected += [(outcome.id, domain) for domain in lost]
    assert listed == expected != []


def test_one_domain_and_one_cause(why: Cli) -> None:
    out = why(HASTY, "--domain", "hotel").out
    assert "restaurant" not in out
    assert " train" not in out
    out = why(HASTY, "--cause", "never said").out
    assert "domain not matched" not in out
    assert "said before booked" not in out


def test_everything_fits_into_100_columns(why: Cli) -> None:
    texts = [why(HASTY).out, why(HASTY, "--domain", "hotel").out]
    texts += [why(HASTY, "--cause", cause).out for cause in ("other value", "never said")]
    texts += [why(HASTY, "--dialogue", f"town00{number}").out for number in (1, 2)]
    assert max(len(line) for text in texts for line in text.splitlines()) <= 100


def test_a_dialogue_is_followed_turn_by_turn(why: Cli, sample: Benchmark) -> None:
    outcomes = Scorer(sample).dialogues(sample_predictions("hasty"))
    lost, domain, diagnosis = next(
        (outcome, domain, diagnosis)
        for outcome in outcomes
        for domain, diagnosis in outcome.domains.items()
        if diagnosis.cause == "missing"
    )
    out = why(HASTY, "--dialogue", f"{lost.id.upper()}.json").out
    text = " ".join(out.split())
    gold = sample.dialogues[lost.id]
    turns = sample_predictions("hasty")[lost.id]
    assert [f"turn {number}" in out for number in range(len(turns))] == [True] * len(turns)
    for said in gold.users[: len(turns)]:
        assert " ".join(said.split()) in text
    for reference in gold.references["mwz22"][: len(turns)]:
        assert " ".join(reference.split()) in text
    assert f"{domain} not matched, {diagnosis.cause}: the venues offered in turn" in text
    assert str(diagnosis.faults[0]) in text
    assert "venues, offered" in text


def test_one_turn_of_several_systems_stands_side_by_side(why: Cli, sample: Benchmark) -> None:
    id_ = next(id_ for id_, turns in sample_predictions("hasty").items() if len(turns) > 1)
    run = why.done(HASTY, CAREFUL, "--dialogue", id_.upper(), "--turn", 1)
    gold = sample.dialogues[id_]
    references = gold.references["mwz22"]
    labels = re.findall(r"^  (\w+) ", run.out, re.M)
    assert labels == ["user", "reference", "user", "reference", "hasty", "careful"]
    text = " ".join(run.out.split())
    for said in (gold.users[0], references[0], gold.users[1], references[1]):
        assert " ".join(said.split()) in text
    for path in (HASTY, CAREFUL):
        alone = " ".join(why(path, "--dialogue", id_).out.split("turn 1\n")[1].split())
        response = alone.split(" response ")[1].split(" reference ")[0]
        assert f"{path.stem} {response}" in text


def test_a_part_of_the_benchmark_is_named(why: Cli, tmp_path: Path) -> None:
    ids = list(sample_predictions("hasty"))
    part = {id_: sample_predictions("hasty")[id_] for id_ in ids[:3]}
    part[ids[2]] = part[ids[2]][:1]
    file = written(tmp_path, part)
    turns = sum(map(len, part.values()))
    assert f"coverage: 3 of {len(ids)} dialogues, {turns} of" in why(file).out
    assert re.search(r"dialogue \w+, 1 of \d+ turns", why(file, "--dialogue", ids[2]).out)
    message = why.refused(file, "--dialogue", ids[3])
    assert f"dialogue {ids[3]} is not played; the first that is played is {ids[0]}" in message


def test_without_losses_no_table_is_shown(why: Cli, tmp_path: Path, scorer: Scorer) -> None:
    won = next(o.id for o in scorer.dialogues(sample_predictions("careful")) if o.success)
    run = why.done(written(tmp_path, {won: sample_predictions("careful")[won]}))
    assert run.out.startswith("Inform 100.0, Success 100.0")
    assert "most often wrong" not in run.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "PREDICTIONS"),
        ((HASTY, "--dialogue", "nowhere"), "dialogue nowhere is not played; the first"),
        ((HASTY, "--cause", "bad luck"), "unknown cause 'bad luck'"),
        ((HASTY, "--domain", "zoo"), "'zoo'"),
        (("no-such.json",), "no-such.json: no such file"),
        ((HASTY, "--turn", 0), "--turn goes with --dialogue"),
        ((HASTY, "--dialogue", "town001", "--domain", "hotel"), "go without --dialogue"),
        ((HASTY, "--serve", "0", "--html", "web"), "--html and --serve go without each other"),
        ((HASTY, "--html", "web", "--domain", "hotel"), "--html and --serve go without"),
        ((HASTY, "--dialogue", "nowhere", "--turn", 0), "hasty: dialogue nowhere, turn 0 is not"),
        ((HASTY, "--dialogue", "town001", "--turn", 99), "turn 99 is not played; its turns are 0"),
    ],
)
def test_bad_arguments_are_refused(arguments: tuple[object, ...], message: str, why: Cli) -> None:
    assert message in why.refused(*arguments)
