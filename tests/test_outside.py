"""A package from outside brings a metric, a format, a set-up and a rule set by entry points."""

from __future__ import annotations

import gzip
import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import CAREFUL, HASTY, PROJECT, Cli, run_process, write_json

from mwz.harness import Scorer, load_benchmark
from mwz.harness.metrics import metric_results, reported_figures, response_metrics, result_types
from mwz.harness.scoring import normalize
from mwz.normalization.packages import RESERVED

FILES = {
    "manners/__init__.py": "",
    **dict(
        re.findall(
            r"<!-- (\S+) -->\n```\w+\n(.*?)```",
            (PROJECT / "docs/extending.md").read_text(encoding="utf-8"),
            re.DOTALL,
        )
    ),
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package of the page from its source; return where it is installed."""
    folder = tmp_path_factory.mktemp("manners")
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation")
    subprocess.run([*pip, "--target", str(folder / "installed"), str(folder)], check=True)
    return folder / "installed"


def mwz(package: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `mwz` beside an installed package."""
    return run_process(*arguments, PYTHONPATH=package)


def edited(package: Path, tmp_path: Path, file: str, before: str, after: str) -> Path:
    """Return a copy of an installed package with something else in one of its files."""
    copy = shutil.copytree(package, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    path = copy / "manners" / file
    content = path.read_text(encoding="utf-8")
    assert before in content
    path.write_text(content.replace(before, after, 1), encoding="utf-8")
    return copy


def test_the_package_of_the_page_needs_no_copy_of_this_one(package: Path, tmp_path: Path) -> None:
    # town001 has three turns, the first of which asks something, and a goal of restaurants alone.
    responses = ["where to?", "[restaurant_name] is at [my_phone]", "bye"]
    predictions = write_json(tmp_path / "chat.json", {"chats": {"town001": responses}})
    command = ("score", predictions, "--benchmark", "sample", "--json", "-", "--rules", "seafood")
    options = ("--metrics", "questions,inform", "--setup", "lenient", "--intervals")
    done = mwz(package, *command, *options)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["questions"] == pytest.approx(100 / 3)
    assert report["lenient"]["inform"]["total"] == 100
    assert report["unknown_placeholders"] == {}
    assert [report["intervals"]["scores"]["questions"][end] for end in ("low", "high")] == [
        pytest.approx(100 / 3)
    ] * 2
    signed = report["signature_fields"]
    assert signed["versions"]["mwz-manners"] == "1.0"
    assert signed["rules"] == "seafood"
    assert len(signed["parameters"]["setup-digest"]) == 12


def test_intervals_of_several_files_come_from_several_processes(package: Path) -> None:
    options = ("--benchmark", "sample", "--metrics", "questions", "--intervals", "--jobs", "2")
    done = mwz(package, "score", CAREFUL, HASTY, *options)
    assert done.returncode == 0, done.stderr
    # 48 and 66 of the 146 responses ask something.
    assert re.search(r"careful +32\.88 \[.*\nhasty +45\.21 \[", done.stdout)


@pytest.fixture
def place(tmp_path: Path) -> tuple[object, ...]:
    """The option that names a folder of submissions of its own."""
    return ("--submissions", tmp_path / "submissions")


def submit(
    package: Path,
    predictions: Path,
    place: tuple[object, ...],
    track: str = "end-to-end",
    status: int = 0,
) -> Path:
    """Submit a system, and return its `scores.json`."""
    facts = ("--name", "C", "--track", track, "--benchmark", "sample")
    done = mwz(package, "submit", predictions, *facts, *place)
    assert done.returncode == status, done.stderr
    return Path(str(place[1])) / "c" / "scores.json"


def test_entries_without_installed_figures_hold(
    package: Path, tmp_path: Path, place: tuple[object, ...]
) -> None:
    path = submit(tmp_path, CAREFUL, place)
    scores = path.read_bytes()
    checked = mwz(package, "leaderboard", "--check", "--rescore", *place)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert path.read_bytes() == scores
    # Scored again, it has the figure and a column for it, and holds.
    assert "figures changed" in mwz(package, "leaderboard", "--rescore", *place).stdout
    assert b'"questions"' in path.read_bytes()
    # 48 of the 146 responses ask something.
    tables = (tmp_path / "docs" / "board-tables.md").read_text("utf-8")
    assert re.search(r"\| C +\|.* 32\.88 \|", tables)
    assert "1 of 1 entries hold" in mwz(package, "verify", *place).stdout


def test_what_is_stored_of_any_track_holds_beside_a_package(
    package: Path, tmp_path: Path, place: tuple[object, ...], plays: Path, cli: Cli
) -> None:
    benchmark = load_benchmark("sample")
    tracked, plain = {}, {}
    for id_, dialogue in benchmark.dialogues.items():
        tracked[id_] = [{"state": state} for state in dialogue.states]
        plain[id_] = [{"response": text} for text in dialogue.responses]
    message = dict(list(plain.items())[:20])
    outputs: dict[str, tuple[object, ...]] = {
        "Careful": (CAREFUL, "--track", "end-to-end"),
        "Hasty": (HASTY, "--track", "end-to-end"),
        "Plain": (write_json(tmp_path / "plain.json", plain), "--track", "lexicalised"),
        "Free": (
            *(write_json(tmp_path / "free.json", message), "--free-running"),
            *("--track", "lexicalised"),
        ),
        "Tracker": (write_json(tmp_path / "states.json", tracked), "--track", "state-tracking"),
        "Player": (plays, "--track", "live"),
    }
    for name, options in outputs.items():
        cli.done("submit", *options, "--name", name, "--benchmark", "sample", *place)
    verified = mwz(package, "verify", "--strict", *place)
    assert (verified.returncode, verified.stdout.splitlines()[-1:]) == (
        0,
        ["6 of 6 entries hold"],
    ), verified
    stored = {path: path.read_bytes() for path in Path(str(place[1])).rglob("*.json*")}
    checked = mwz(package, "leaderboard", "--check", "--rescore", *place)
    assert (checked.returncode, checked.stdout.count(": unchanged")) == (0, 6), checked.stdout
    assert {path: path.read_bytes() for path in stored} == stored
    # Entries of the board, whose outputs are not here.
    compare = ("compare", "ubar", "mars", "--json", "-")
    alone, beside = (run_process(*compare, PYTHONPATH=path) for path in (tmp_path, package))
    assert (alone.returncode, alone.stdout) == (0, beside.stdout)


@pytest.mark.slow
def test_the_board_stays_as_it_is_beside_a_metric_from_outside(package: Path) -> None:
    done = mwz(package, "leaderboard", "--check", "--submissions", PROJECT / "submissions")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_packages_rule_set_replaces_values(package: Path, tmp_path: Path) -> None:
    """The tables have 90 and "name"; a list is joined."""
    own = '[rules.queries]\nfuzzy_ratio = 80\nno_constraint = ["all"]\n[rules.value_rules]\nname = '
    copy = edited(package, tmp_path, "seafood.toml", "[rules.food]", f'{own}"food"\n[rules.food]')
    shown = "(s.fuzzy_ratio, s.tables['value_rules']['name'], s.tables['queries']['no_constraint'])"
    code = (
        f"from mwz.normalization import rule_set as r; s = r('seafood'); print({shown}, s.digest)"
    )
    lines = [
        subprocess.check_output(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(place)}, text=True
        )
        for place in (package, copy)
    ]
    assert lines[0].startswith("(90, 'name', ['dontcare', ")
    assert lines[1].startswith("(80, 'food', ['dontcare', ")
    assert ", 'all'])" in lines[1]
    assert lines[0].split()[-1] != lines[1].split()[-1]


def test_stored_entries_need_no_format_package(
    package: Path, tmp_path: Path, place: tuple[object, ...]
) -> None:
    careful = json.loads(CAREFUL.read_bytes())
    chats = {id_: [turn["response"] for turn in turns] for id_, turns in careful.items()}
    predictions = write_json(tmp_path / "chats.json", {"chats": chats})
    path = submit(package, predictions, place, "policy-optimization")
    stored = gzip.decompress(path.with_name("predictions.json.gz").read_bytes())
    assert json.loads(stored) == {
        id_: [{"response": text} for text in texts] for id_, texts in chats.items()
    }
    # Of the metric of the package its figure is left as it is.
    scores = path.read_bytes()
    needed = "scored with mwz-manners 1.0, which is not installed; pip install mwz-manners"
    assert mwz(tmp_path, "verify", *place).stdout == (
        f"c: not scored again: {needed}\n0 of 1 entries hold; 1 could not be scored again\n"
    )
    rescored = mwz(tmp_path, "leaderboard", "--rescore", *place)
    assert (rescored.returncode, f"c: kept as it is: {needed}" in rescored.stdout) == (0, True)
    assert rescored.stderr == "mwz: mwz-manners is not installed; its columns are left out\n"
    assert path.read_bytes() == scores
    assert "1 of 1 entries hold" in mwz(package, "verify", *place).stdout
    site = mwz(package, "site", tmp_path / "web", "--rules", "seafood", *place)
    assert site.stderr == "mwz: --rules: unknown rule set 'seafood'; choose from 2021, 2023, 2026\n"


def test_no_metric_or_set_up_is_called_as_a_key_of_reports(package: Path, tmp_path: Path) -> None:
    score = ("score", "@constant", "@empty", "--benchmark", "sample", "--json", "-")
    lines = mwz(tmp_path, *score).stdout.splitlines()
    reports = [json.loads(line) for line in lines]
    for path in PROJECT.glob("submissions/*/scores.json"):
        reports += json.loads(path.read_bytes()).get("reports", {}).values()
    keys = {key for report in reports for key in report}
    results = {key for metric in response_metrics().values() for key in result_types(metric)}
    assert keys - results - reported_figures().keys() <= RESERVED
    copy = shutil.copytree(package, tmp_path / "copy")
    copy.joinpath("manners/lenient.toml").rename(copy / "manners/both.toml")
    (points,) = copy.glob("*.dist-info/entry_points.txt")
    points.write_text(points.read_text("utf-8").replace("lenient =", "both ="), "utf-8")
    done = mwz(copy, *score)
    assert (done.returncode, done.stdout) == (2, "")
    assert "mwz-manners 1.0, mwz.setups both: the name is taken; choose another" in done.stderr


def test_a_result_is_a_number_or_several_or_nothing() -> None:
    bleu = response_metrics()["bleu"]
    scorer = Scorer(load_benchmark("sample"))
    played = scorer.played(normalize(scorer, "mwz22"))

    def result(value: object) -> Mapping[str, Any]:
        metric = replace(bleu, result={}, value=lambda _: {"bleu": value})
        return metric_results(metric, played)

    for value in (1, 0.5, None, {"a": 1.5, "b": None}):
        assert result(value) == {"bleu": value}
    for value in ("1", [1], {1}, True, math.nan, -math.inf, {"a": "1"}, {1: 1}, {"a": {}}):
        with pytest.raises(ValueError, match="expected a finite number, a mapping of names to"):
            result(value)


@pytest.mark.parametrize(("result", "status"), [('{"a": 1, "b": None}', 0), ("{1}", 2)])
def test_an_entry_has_the_result_of_a_metric_or_is_not_there(
    package: Path, tmp_path: Path, place: tuple[object, ...], result: str, status: int
) -> None:
    after = f'{{"questions": {result} or 100'
    copy = edited(package, tmp_path, "questions.py", '{"questions": 100', after)
    path = submit(copy, CAREFUL, place, status=status)
    assert path.exists() == (status == 0)
    if status == 0:
        assert "1 of 1 entries hold" in mwz(copy, "verify", *place).stdout


@pytest.mark.parametrize(
    ("file", "before", "after", "message"),
    [
        ("seafood.toml", 'date = "2031-05"', "", "mwz.rules seafood: date: field required"),
        ("seafood.toml", '"2031-05"', '"soon"', "date: string should match pattern '^[0-9]{4}-"),
        ("seafood.toml", "[rules.food]", "[rules.foood]", "seafood: foood: unknown key"),
        ("seafood.toml", "PHONE =", "TELE =", "seafood: ontology.TELE: unknown key"),
        ("seafood.toml", '"venues"]', '"tables"]', "seafood: tables.3: unknown value 'tables'"),
        ("seafood.toml", 'fish = "seafood"', "fish = 3", "food.fish: input should be a valid str"),
        ("seafood.toml", ', "venues"]', "]", "queries: field required; domains: field required"),
        ("lenient.toml", '"intersection"', '"some"', "setup: unknown comparison 'some'; choose"),
        ("questions.py", 'title="Questions",\n', "", "argument: 'title'"),
        ("questions.py", 'unit="percent"', 'unit="miles"', "unit: unknown unit 'miles'; choose"),
        ("questions.py", '"Questions",\n', '"",\n', "title: expected text, found nothing"),
        ("questions.py", "needs=()", "needs=(), result=3", "questions: result."),
        ("questions.py", 'name="questions"', 'name="a,b"', "digits and hyphens, found 'a,b'"),
        ("questions.py", 'name="questions"', 'name="combined"', "set-ups are called combined"),
        ("questions.py", 'name="questions"', 'name="coverage"', "questions: the name is taken"),
        ("questions.py", "needs=()", 'result={"lenient": float}', "set-ups are called lenient"),
        ("questions.py", "formula=formula,", "", "formula: expected two functions, or one as `va"),
        ("questions.py", 'name="questions"', 'name="bleu"', "questions: the name is taken"),
        ("chat.py", 'name="chat"', 'name="DAMD\'s log"', "mwz.formats chat: the name is taken"),
        ("chat.py", "read=read,", "read=read, is_text=recognises,", "`is_text` needs `parse`"),
        ("questions.py", '{"questions": 100', '{"q": 100', "lacks the figure 'questions'"),
        ("questions.py", "played.responses.items()", "[]", "`rows` lacks dialogue "),
        ("chat.py", "FORMAT =", "OTHER =", "manners.chat:FORMAT cannot be loaded: AttributeError"),
        ("chat.py", "from mwz", "exit(0)\nfrom mwz", "chat:FORMAT cannot be loaded: Sys"),
        (
            "chat.py",
            "return isinstance",
            "return 1 / 0, isinstance",
            "mwz.formats chat: ZeroDivisionError: division by zero (line 6 of manners.chat)",
        ),
        ("chat.py", "    if not", "    return None\n    if not", "TypeError: replace() should be"),
        # By two processes.
        (
            "questions.py",
            'sums["asking"]',
            'sums["asked"]',
            "questions: KeyError: 'asked' (line 14 of manners.questions)",
        ),
        (
            "questions.py",
            '100 * sums["asking"] / max(sums["turns"], 1)',
            '"much"',
            "questions: ValueError: the result: expected a finite number, a mapping of names to",
        ),
        ("questions.py", "    return rows", "", "TypeError: argument of type 'NoneType'"),
    ],
)
def test_what_a_package_declares_amiss_is_named_with_the_package(
    package: Path, tmp_path: Path, file: str, before: str, after: str, message: str
) -> None:
    copy = edited(package, tmp_path, file, before, after)
    chat = write_json(tmp_path / "chat.json", {"chats": {}})
    outputs = chat if file == "chat.py" else "@corpus"
    jobs = ("@corpus", "--jobs", "2") if "KeyError" in message else ()
    on = ("--benchmark", "sample", "--rules", "seafood")
    done = mwz(copy, "score", outputs, *jobs, *on)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "mwz: mwz-manners 1.0, " in done.stderr
    assert "Traceback" not in done.stderr
