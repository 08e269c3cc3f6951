"""The command `mwz dst`: options, tables, JSON, the view of one dialogue, pictures."""

from __future__ import annotations

import csv

import pytest
from helpers import write_json
from tracking_cases import FGA_FIGURE_1, GCA_SAMPLE_2, tracked, write_states

from mwz.harness.data.gold_states import install_gold_states
from mwz.harness.metrics import GoldStates, score_tracking, tracking_text


@pytest.fixture
def dst(cli):
    return cli.of("dst")


@pytest.fixture
def figure_1(tmp_path):
    return write_states(tmp_path / "first.json", FGA_FIGURE_1)


@pytest.fixture
def sample_2(tmp_path):
    return write_states(tmp_path / "second.json", GCA_SAMPLE_2)


def test_json_is_a_list_of_reports_even_for_one_file(dst, figure_1):
    [report] = dst.json(figure_1)
    assert report["file"] == str(figure_1)
    assert (report["dialogues"], report["turns"]) == (1, 6)
    assert report["metrics"]["JGA"] == pytest.approx(100 / 3)
    assert list(report["metrics"]["FGA"]) == ["0.25", "0.5", "0.75", "1"]
    assert set(report["counts"]) == {
        *("missed", "wrong", "overshot", "correct", "exact_turns", "turn_matches")
    }
    # Missed area and stars, overshot the attraction's name; correct name, day, people, stay, area.
    assert report["counts"]["missed"] == 2
    assert report["counts"]["overshot"] == 1
    assert report["counts"]["correct"] == 5
    assert (report["counts"]["exact_turns"], report["counts"]["turn_matches"]) == (2, 4)


def test_json_has_the_benchmark_and_the_coverage(dst, tmp_path):
    # Two of the 146 turns that the sample's dialogues have.
    content = {"town001": [{"response": "hello", "state": {}}] * 2}
    path = write_json(tmp_path / "two.json", content)
    [report] = dst.json(path, "--benchmark", "sample")
    fields = report["signature_fields"]
    assert (report["dialogues"], report["turns"]) == (1, 2)
    assert (fields["benchmark"], fields["rules"]) == ("sample", "2021")
    assert fields["coverage"].startswith("2/146-")
    assert report["coverage"] == {"of_dialogues": 30, "of_turns": 146}
    out = dst.done(path, "--benchmark", "sample").out
    message = " ".join(out.split())
    assert "the gold states of sample, 1 of 30 dialogues, 2 of 146 turns" in message
    assert report["signature"] in out


def test_table_shows_files_side_by_side(dst, figure_1, sample_2):
    out = dst(figure_1, sample_2).out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line}
    # JGA, RSA, FGA λ=0.5, GCA.
    assert rows["first"][:4] == ["33.33", "60.52", "46.45", "76.47"]
    assert rows["second"][:4] == ["25.00", "73.75", "34.84", "75.00"]


def test_the_empty_tracker_needs_no_file(dst):
    [report] = dst.json("@empty", "--benchmark", "sample")
    assert (report["turns"], report["counts"]["correct"]) == (146, 1)
    assert "@corpus: has no predicted states; @empty has" in dst.refused(
        "@corpus", "--benchmark", "sample"
    )


def test_per_domain_adds_domains_and_slots(dst, figure_1):
    plain = dst(figure_1).out
    detailed = dst(figure_1, "--per-domain").out
    assert "attraction-name" not in plain
    assert "attraction-name" in detailed
    latex = dst(figure_1, "--per-domain", "--format", "latex").out
    assert "attraction-name & 0 & 0 & 1 & 0" in " ".join(latex.split())
    # In CSV it is a row per file, domain and slot.
    rows = [*csv.DictReader(dst(figure_1, "--per-domain", "--format", "csv").out.splitlines())]
    assert [(row["name"], row["domain"], row["slot"]) for row in rows[:2]] == [
        ("first", "", ""),
        ("first", "attraction", ""),
    ]
    [name] = [row for row in rows if row["slot"] == "attraction-name"]
    assert (name["missed"], name["overshot"], name["JGA"]) == ("0", "1", "")
    assert [report["turns"] for report in dst.json(figure_1, "--per-domain")] == [6]


def test_a_domain_may_forget_at_its_own_rate(dst, figure_1):
    [report] = dst.json(figure_1, "--variant", "forget:hotel=0.95,6")
    # -ln(1 - .95) / 6 is .499.
    assert report["per_domain"]["hotel"]["lambda"] == 0.499289
    assert report["per_domain"]["attraction"]["lambda"] == 0.5
    assert "lambda" not in report["per_domain_mean"]
    assert report["signature_fields"]["parameters"]["domain-lambda"] == "hotel=0.499289"
    assert "unknown domain 'hotels'; choose from attraction, hotel" in dst.refused(
        figure_1, "--variant", "forget:hotels=0.95,6"
    )


@pytest.mark.parametrize(("choice", "jga"), [("keep", 0), ("drop", 100)])
def test_intervals_are_of_the_variant_that_was_asked_for(dst, tmp_path, choice, jga):
    turns = [("hotel.area=dontcare hotel.stars", "hotel.stars")]
    path = write_states(tmp_path / "states.json", turns)
    [report] = dst.json(path, "--variant", f"dontcare={choice}", "--intervals")
    assert report["metrics"]["JGA"] == report["intervals"]["scores"]["dst.JGA"]["value"] == jga


def test_two_lambdas_that_differ_in_the_seventh_digit_are_two_figures(dst, figure_1):
    # Both are 0.123457 in six digits.
    near = ["0.1234567", "0.12345674"]
    [report] = dst.json(figure_1, "--variant", "lambda=" + ",".join(near))
    assert list(report["metrics"]["FGA"]) == near
    signatures = {
        dst.json(figure_1, "--variant", f"lambda={value}")[0]["signature"] for value in near
    }
    assert len(signatures) == 2


@pytest.mark.parametrize("spelling", ["MUL0003.json", "mul0003"])
def test_a_dialogue_is_shown_turn_by_turn(dst, figure_1, spelling):
    out = dst(figure_1, "--dialogue", spelling, "--variant", "lambda=0.5").out
    assert "RSA: no slots in either state" in out
    assert "GCA: counts missed hotel-area, hotel-stars; correct" in out
    assert "FGA λ=0.5: right in itself, 1 after the turn of the latest error   0.3935" in out
    assert "AGA: left out: the gold state is empty" in out


def test_a_dialogue_is_part_of_the_json(dst, figure_1):
    [report] = dst.json(figure_1, "--dialogue", "mul0003")
    assert [turn["number"] for turn in report["dialogue"]] == list(range(6))
    assert report["dialogue"][1]["gold"] == {"hotel-name": "v"}


def test_versions_of_gold_states_are_side_by_side(cli, monkeypatch, sample, tmp_path):
    """The other version has another area in one of the dialogue's turns."""
    monkeypatch.setenv("MWZ_DATA", str(tmp_path))
    states = {id_: [*dialogue.states] for id_, dialogue in sample.dialogues.items()}
    written = write_json(
        tmp_path / "gold.json",
        {id_: [{"state": state} for state in turns] for id_, turns in states.items()},
    )
    id_, number = next(
        (i, n) for i, turns in states.items() for n, state in enumerate(turns) if state
    )
    states[id_][number] = {"hotel": {"area": "elsewhere"}}
    install_gold_states(GoldStates("2.4", "sample", states))
    install_gold_states(GoldStates("2.2", "sample", {**states, id_: sample.dialogues[id_].states}))
    reports = cli.json("dst", written, "--benchmark", "sample", "--gold", "2.2,2.4")
    assert [report["label"] for report in reports] == ["gold (2.2)", "gold (2.4)"]
    assert [report["gold_version"] for report in reports] == ["2.2", "2.4"]
    # All but one of 146 turns are right.
    assert [report["metrics"]["JGA"] for report in reports] == [100, pytest.approx(100 * 145 / 146)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--variant", "slots=2"], "2 slots are fewer than the 3 that are wrong"),
        (["--gold", "2.4"], "gold states 2.4: not installed for sample, which has none"),
        (["--dialogue", "sng9"], "no dialogue sng9"),
        (["--plot", "picture.bmp"], "picture.bmp: pictures are written as .svg or .png or .pdf"),
    ],
)
def test_bad_options_are_told_with_status_2(dst, figure_1, options, message):
    assert message in dst.refused(figure_1, *options)


def test_other_files_are_scored_where_some_cannot_be(dst, figure_1, sample_2):
    run = dst(figure_1, "missing.json", sample_2, "no-entry")
    assert run.status == 2
    assert "33.33" in run.out
    assert "25.00" in run.out
    assert "missing.json: no such file" in run.err
    assert "no-entry: no such file, and no entry" in run.err
    assert "2 of 4 files could not be scored" in run.err
    # Of a file alone nothing more is said.
    assert "could not be scored" not in dst.refused("missing.json")


def test_main_figures_and_named_lambdas_are_shown(dst, tmp_path):
    path = write_states(tmp_path / "one.json", FGA_FIGURE_1)
    compact = dst(path).out
    full = tracking_text(score_tracking([tracked(*FGA_FIGURE_1)]))
    for main in ("JGA", "RSA", "FGA λ=0.5", "GCA", "F1", "fuzzy joint accuracy"):
        assert main in compact
        assert main in full
    for further in ("joint recall", "IAGA", "FGA λ=1", "missed", "tail orientation"):
        assert further not in compact
        assert further in full
    assert "FGA λ=2" in dst(path, "--variant", "lambda=0.5,2").out


def test_files_with_different_gold_states_are_said_not_to_compare(dst, tmp_path):
    first = write_states(tmp_path / "one.json", FGA_FIGURE_1)
    same = write_states(tmp_path / "same.json", [(gold, "") for gold, _ in FGA_FIGURE_1])
    other = write_states(tmp_path / "other.json", GCA_SAMPLE_2)
    alike = dst(first, same).out
    assert "not comparable" not in alike
    assert len([line for line in alike.splitlines() if line.startswith("mwz:")]) == 1
    unlike = dst(first, same, other).out
    assert "not comparable with one: other (different gold states" in unlike
    assert "one, same: mwz:" in unlike
    assert "other: mwz:" in unlike
