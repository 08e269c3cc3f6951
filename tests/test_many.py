"""Several files at once: one table, lines as they are done, going on, and reports that are kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import Run, run_cli

from mwz.harness import load_benchmark
from mwz.harness.io.store import Store
from mwz.harness.scoring import many
from mwz.harness.scoring.report import Report

SUBMISSIONS = Path(__file__).parents[1] / "harness" / "sample" / "submissions"
FILES = [SUBMISSIONS / f"{name}.json" for name in ("scripted", "careful", "hasty")]
NAMES = [file.stem for file in FILES]

Capture = pytest.CaptureFixture[str]


def _score(capsys: Capture, *arguments: object) -> Run:
    return run_cli(capsys, "score", *arguments, "--benchmark", "sample", "--jobs", 1)


def _rows(run: Run) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run.out)["scores"]
    return rows


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are scored, and not known from before."""
    found: list[str] = []
    real = many.score_predictions

    def score(scorer: Any, content: Any, source: str, asked: Any) -> Any:
        found.append(Path(source).stem)
        return real(scorer, content, source, asked)

    monkeypatch.setattr(many, "score_predictions", score)
    return found


def test_the_table_has_the_scores_of_each_file_by_itself_in_their_order(capsys: Capture) -> None:
    run = _score(capsys, *FILES, "--format", "json")
    assert run.status == 0
    rows = _rows(run)
    assert [row["name"] for row in rows] == NAMES
    for file, row in zip(FILES, rows, strict=True):
        alone = json.loads(_score(capsys, file, "--no-cache", "--json", "-").out)
        assert (row["inform"], row["success"]) == (alone["inform"], alone["success"])
        assert row["bleu"] == alone["bleu"]["mwz22"]
        assert row["optimistic_inform"] == alone["optimistic"]["inform"]["total"]
        assert row["signature"] == alone["signature"]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_the_number_of_processes_changes_nothing(capsys: Capture, jobs: int) -> None:
    arguments = ("score", *FILES, "--benchmark", "sample", "--no-cache", "--format", "csv")
    one = run_cli(capsys, *arguments, "--jobs", 1)
    assert run_cli(capsys, *arguments, "--jobs", jobs).out == one.out


def test_a_file_that_cannot_be_scored_is_told_and_the_others_are_scored(
    capsys: Capture, tmp_path: Path
) -> None:
    broken, missing = tmp_path / "broken.json", tmp_path / "missing.json"
    broken.write_text("{", encoding="utf-8")
    run = _score(capsys, FILES[0], broken, FILES[1], missing, "--format", "json")
    assert run.status == 2
    assert [row["name"] for row in _rows(run)] == NAMES[:2]
    told = run.err.splitlines()
    assert any(line.startswith(f"mwz: {broken}: not JSON") for line in told)
    assert f"mwz: {missing}: no such file" in told
    assert told[-1] == "mwz: 2 of 4 files could not be scored"


def test_if_no_file_can_be_scored_there_is_no_table(capsys: Capture, tmp_path: Path) -> None:
    run = _score(capsys, tmp_path / "a.json", tmp_path / "b.json")
    assert (run.status, run.out) == (2, "")


def test_lines_are_whole_reports_written_when_they_are_done(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.jsonl"
    written: list[int] = []
    real = many.score_predictions

    def score(*arguments: Any) -> Any:
        written.append(len(target.read_text(encoding="utf-8").splitlines()))
        return real(*arguments)

    monkeypatch.setattr(many, "score_predictions", score)
    assert _score(capsys, *FILES, "--json", target).status == 0
    assert written == [0, 1, 2]
    lines = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert [line["file"] for line in lines] == list(map(str, FILES))
    for file, line in zip(FILES, lines, strict=True):
        alone = json.loads(_score(capsys, file, "--json", "-").out)
        assert {key: line[key] for key in alone} == alone


def test_lines_go_to_standard_output_without_a_table(capsys: Capture) -> None:
    lines = _score(capsys, *FILES, "--json", "-").out.splitlines()
    assert [Path(json.loads(line)["file"]).stem for line in lines] == NAMES


def _torn(text: str) -> str:
    return text[:-20]


def _torn_behind(text: str) -> str:
    return text + '{"file": "hasty.json", "predi'


def _forged(text: str) -> str:
    first, *rest = text.splitlines()
    line = json.loads(first)
    line["inform"] = 100.0
    return "\n".join([json.dumps(line), *rest]) + "\n"


@pytest.mark.parametrize(
    ("damage", "again"),
    [
        (lambda text: text, []),
        (_torn, ["careful"]),
        (_torn_behind, []),
        (_forged, ["scripted"]),
    ],
)
def test_what_the_lines_of_an_earlier_run_hold_is_not_scored_again(
    capsys: Capture,
    tmp_path: Path,
    computed: list[str],
    damage: Callable[[str], str],
    again: list[str],
) -> None:
    target, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    expected = _score(capsys, *FILES, "--no-cache", "--json", whole).out
    _score(capsys, *FILES[:2], "--no-cache", "--json", target)
    target.write_text(damage(target.read_text(encoding="utf-8")), encoding="utf-8")
    computed.clear()
    run = _score(capsys, *FILES, "--no-cache", "--json", target, "--resume")
    assert (run.status, run.out) == (0, expected)
    assert computed == [*again, "hasty"]
    lines = target.read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(whole.read_text(encoding="utf-8").splitlines())


def test_other_options_or_other_predictions_are_scored_again(
    capsys: Capture, tmp_path: Path, computed: list[str]
) -> None:
    target, changed = tmp_path / "out.jsonl", tmp_path / "careful.json"
    changed.write_bytes(FILES[1].read_bytes())
    files = [FILES[0], changed]
    _score(capsys, *files, "--no-cache", "--json", target)
    computed.clear()
    _score(capsys, *files, "--no-cache", "--json", target, "--resume", "--rules", "2023")
    assert computed == ["scripted", "careful"]
    computed.clear()
    content = json.loads(changed.read_text(encoding="utf-8"))
    next(iter(content.values()))[0]["response"] = "goodbye"
    changed.write_text(json.dumps(content), encoding="utf-8")
    _score(capsys, *files, "--no-cache", "--json", target, "--resume", "--rules", "2023")
    assert computed == ["careful"]


def test_going_on_from_another_file_is_refused_and_it_stays(
    capsys: Capture, tmp_path: Path
) -> None:
    target = tmp_path / "notes.txt"
    target.write_text("my notes\n", encoding="utf-8")
    run = _score(capsys, *FILES, "--json", target, "--resume")
    assert run.status == 2
    assert "holds no line of `mwz score --json`" in run.err
    assert target.read_text(encoding="utf-8") == "my notes\n"


def test_intervals_stand_in_the_cells_and_in_the_lines_and_can_be_gone_on_with(
    capsys: Capture, tmp_path: Path, computed: list[str]
) -> None:
    target = tmp_path / "out.jsonl"
    options = ("--intervals", "--metrics", "inform,bleu", "--json", target)
    first = _score(capsys, *FILES, *options)
    assert computed == NAMES
    line = json.loads(target.read_text(encoding="utf-8").splitlines()[0])
    inform = line["intervals"]["scores"]["inform"]
    assert f"{inform['value']:.1f} [{inform['low']:.1f}, {inform['high']:.1f}]" in first.out
    assert _score(capsys, *FILES, *options, "--resume").out == first.out
    assert computed == NAMES


def test_several_files_have_a_file_each_of_lines_per_dialogue(
    capsys: Capture, tmp_path: Path
) -> None:
    folder = tmp_path / "lines"
    assert _score(capsys, *FILES, "--per-dialogue", folder).status == 0
    assert sorted(path.stem for path in folder.iterdir()) == sorted(NAMES)
    for file in FILES:
        alone = _score(capsys, file, "--per-dialogue", "-").out
        assert (folder / f"{file.stem}.jsonl").read_text(encoding="utf-8") == alone


def test_several_files_are_drawn_in_one_picture(capsys: Capture, tmp_path: Path) -> None:
    picture = tmp_path / "scores.svg"
    assert _score(capsys, *FILES, "--metrics", "inform", "--plot", picture).status == 0
    drawn = picture.read_text(encoding="utf-8")
    assert all(f"<!-- {name} -->" in drawn for name in NAMES)


def test_scores_that_do_not_compare_are_told_and_not_the_best(
    capsys: Capture, tmp_path: Path
) -> None:
    content = json.loads(FILES[1].read_text(encoding="utf-8"))
    for turns in content.values():
        for turn in turns:
            turn.pop("state", None)
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps(content), encoding="utf-8")
    out = _score(capsys, FILES[1], FILES[2], gold, "--format", "md").out
    assert "not comparable with careful: gold" in out
    assert "with gold belief states, not with predicted ones: gold" in out
    row = next(line for line in out.splitlines() if line.startswith("| gold"))
    assert "**" not in row
    assert "**" in out


# ----------------------------------------------------------------------------- what is kept


def test_a_second_run_computes_nothing_and_says_the_same(
    capsys: Capture, computed: list[str]
) -> None:
    first = _score(capsys, FILES[0])
    second = _score(capsys, FILES[0])
    assert (second.out, second.err) == (first.out, first.err)
    assert computed == ["scripted"]
    _score(capsys, FILES[0], "--no-cache")
    assert computed == ["scripted"] * 2


@pytest.mark.parametrize(
    "options",
    [("--rules", "2023"), ("--setup", "strict"), ("--metrics", "bleu"), ("--states", "gold")],
)
def test_what_is_asked_otherwise_is_computed(
    capsys: Capture, computed: list[str], options: tuple[str, ...]
) -> None:
    _score(capsys, FILES[0])
    _score(capsys, FILES[0], *options)
    assert computed == ["scripted"] * 2


def test_changed_code_keeps_nothing(
    capsys: Capture, computed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _score(capsys, FILES[0])
    monkeypatch.setattr("mwz.harness.scoring.many.code_digest", lambda: "other")
    _score(capsys, FILES[0])
    assert computed == ["scripted"] * 2


def _other_figure(text: str) -> str:
    header, body = text.split("\n")
    content = json.loads(body)
    assert content["report"]["inform"] != 100.0
    content["report"]["inform"] = 100.0
    return f"{header}\n{json.dumps(content)}"


@pytest.mark.parametrize(
    "damage",
    [lambda text: "", lambda text: "{", lambda text: "[]", lambda text: text[:-9], _other_figure],
)
def test_a_damaged_report_is_computed_anew(
    capsys: Capture, computed: list[str], data_directory: Path, damage: Callable[[str], str]
) -> None:
    first = _score(capsys, FILES[0])
    [path] = (data_directory / "cache" / "reports").iterdir()
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    assert _score(capsys, FILES[0]).out == first.out
    assert computed == ["scripted"] * 2


def test_a_report_in_the_place_of_another_is_none(data_directory: Path) -> None:
    store = Store("things")
    store.put("a", 1)
    store.put("b", 2)
    first, second = sorted((data_directory / "cache" / "things").iterdir())
    first.write_bytes(second.read_bytes())
    assert [store.get("a"), store.get("b")].count(None) == 1


def test_no_more_is_kept_than_allowed_and_the_oldest_goes(
    data_directory: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = Store("things", files=2)
    for number in range(3):
        store.put(number, number)
    assert [store.get(number) for number in range(3)] == [None, 1, 2]
    small = Store("small", size=300)
    small.put("a", "x" * 100)
    small.put("b", "x" * 100)
    assert [small.get("a"), small.get("b")] == [None, "x" * 100]
    monkeypatch.setenv("MWZ_CACHE", str(tmp_path / "elsewhere"))
    assert store.get(2) is None
    store.put(2, 2)
    assert list((tmp_path / "elsewhere" / "things").iterdir())


def test_where_nothing_can_be_kept_all_is_scored_all_the_same(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("MWZ_CACHE", str(tmp_path / "file" / "cache"))
    assert _score(capsys, FILES[0]).status == 0


def test_a_kept_report_reads_back_as_it_was(capsys: Capture) -> None:
    first = json.loads(_score(capsys, FILES[0], "--json", "-").out)
    second = json.loads(_score(capsys, FILES[0], "--json", "-").out)
    assert second == first
    assert Report.from_dict(second, "report").benchmark == load_benchmark("sample").name


def test_several_files_in_plain_english_keep_their_grounded_scores(
    capsys: Capture, tmp_path: Path
) -> None:
    files = [tmp_path / file.name for file in FILES[:2]]
    for file, plain in zip(FILES, files, strict=False):
        run_cli(capsys, "lexicalise", file, "-o", plain, "--benchmark", "sample")
    rows = _rows(_score(capsys, *files, "--lexicalised", "--format", "json"))
    for row, plain in zip(rows, files, strict=True):
        alone = json.loads(_score(capsys, plain, "--lexicalised", "--json", "-").out)["grounded"]
        assert row["grounded.inform"] == alone["inform"]["total"]
        assert row["grounded.success"] == alone["success"]["total"]
    # What the human responses get stands beside them, once.
    human = alone["ceiling"]["inform"]["total"]
    text = _score(capsys, *files, "--lexicalised").out
    assert text.count(f"human responses: Grounded Inform {human:.1f};") == 1


@pytest.mark.parametrize("command", ["score", "compare", "why", "check"])
def test_every_command_says_of_a_file_what_the_others_say(
    capsys: Capture, tmp_path: Path, command: str
) -> None:
    # No state in any turn, and placeholders that nobody knows.
    played = json.loads(FILES[0].read_text(encoding="utf-8"))
    content = {
        id_: [{"response": turn["response"].replace("[", "[my_")} for turn in turns]
        for id_, turns in played.items()
    }
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    others = [FILES[1]] if command == "compare" else []
    run = run_cli(capsys, command, file, *others, "--benchmark", "sample")
    told = run.out if command == "check" else run.err
    assert told.count("no turn has a `state`; scored with gold belief states") == 1
    assert told.count("unknown placeholders may cost points") == 1


@pytest.mark.parametrize("command", ["score", "dst"])
def test_state_tracking_says_what_is_not_read_as_well(
    capsys: Capture, tmp_path: Path, command: str
) -> None:
    content = json.loads(FILES[0].read_text(encoding="utf-8"))
    next(iter(content.values()))[0]["states"] = {}
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert "`states` is" in run_cli(capsys, command, file, "--benchmark", "sample").err


def test_the_best_is_of_files_that_compare_and_of_incomplete_ones_what_ranks_is_shown(
    capsys: Capture, tmp_path: Path
) -> None:
    predictions = json.loads(FILES[1].read_text(encoding="utf-8"))
    for id_ in list(predictions)[:3]:
        del predictions[id_]
    part = tmp_path / "part.json"
    part.write_text(json.dumps(predictions), encoding="utf-8")
    # scripted has no states: it compares with none of the others.
    files = (FILES[0], part, FILES[1], FILES[2])
    alone = json.loads(_score(capsys, part, "--json", "-").out)
    table = _score(capsys, *files, "--format", "md").out
    rows = {line.split()[1]: line for line in table.splitlines() if line.startswith("| ")}
    inform = rows["part"].split("|")[2].strip(" *")
    # 27 of 30 dialogues are played: the rate of these, times 0.9.
    assert inform == f"{0.9 * alone['inform']:.1f}"
    assert "**" not in rows["scripted"]
    assert "**" not in rows["part"]
    assert "**" in rows["careful"]
    assert "not comparable with part: scripted" in table
    assert f"of what it plays it has Inform {alone['inform']:.1f}" in table
    found = _rows(_score(capsys, *files, "--format", "json"))
    assert [round(row["whole_inform"] / row["inform"], 9) for row in found] == [1, 0.9, 1, 1]


def test_of_two_files_that_do_not_compare_none_is_the_best(capsys: Capture) -> None:
    assert "**" not in _score(capsys, FILES[0], FILES[1], "--format", "md").out
    assert "**" in _score(capsys, FILES[1], FILES[2], "--format", "md").out
