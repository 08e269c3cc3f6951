"""`mwz score`: what it prints, what it writes, and what it says to bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import CAREFUL, Cli, write_json

from mwz.harness.benchmark import Benchmark
from mwz.harness.cli import main
from mwz.harness.scoring import Options
from mwz.harness.scoring.scorer import score

NOTICE = "mwz: multiwoz is not installed; the benchmark is the built-in `sample`\n"


@pytest.fixture
def file(tmp_path: Path, careful: dict[str, Any]) -> Path:
    return write_json(tmp_path / "careful.json", careful)


def test_a_figure_below_its_limit_fails(cli: Cli) -> None:
    # Of the sample: combined 124.68, BLEU 39.7.
    score = ("score", CAREFUL, "--benchmark", "sample", "--at-least")
    assert cli.done(*score, "combined=124.6", "--at-least", "bleu=39").err.count("below") == 0
    run = cli.failed(*score, "combined=124.7", "--at-least", "bleu=39")
    assert "careful: combined is 124.68, below 124.7\n" in run.err
    assert "--at-least: bleu: 'much' is no number" in cli(*score, "bleu=much").err
    assert "unknown figure 'blue'" in cli.refused(*score, "blue=1")
    assert "bleu of careful: not computed" in cli(*score, "bleu=1", "--metrics", "inform").err


def _refused(cli: Cli, *arguments: object) -> str:
    """Return the one message of a run that is refused."""
    message = cli.refused("score", *arguments).removeprefix(NOTICE)
    assert message.count("mwz: ") == 1
    assert message.startswith("mwz: ")
    return message.removeprefix("mwz: ").removesuffix("\n")


# What is printed.


def test_the_table_is_printed_and_last_the_signature_of_each_set_up(
    cli: Cli, file: Path, careful: dict[str, Any], sample: Benchmark
) -> None:
    run = cli.done("score", file)
    assert run.out.startswith("total")
    alone = [score(careful, sample, Options(setup=name)) for name in ("strict", "optimistic")]
    signatures = run.out.splitlines()[-2:]
    assert signatures == [str(report.signature) for report in alone]
    # The strict one is that of a paper's table.
    assert f"Signature: `{signatures[0]}`" in cli.done("table", file, "--format", "md").out


def test_json_to_standard_output_is_all_that_is_printed(
    cli: Cli, file: Path, careful: dict[str, Any], sample: Benchmark
) -> None:
    assert cli.json("score", file) == score(careful, sample).to_dict()


# Where predictions come from.


def test_the_corpus_is_scored_as_a_submission(cli: Cli) -> None:
    found = cli.json("score", "@corpus:damd", "--metrics", "bleu")
    assert found["bleu"]["damd"] == pytest.approx(100)
    for name in ("@corpus", "@corpus:mwz22"):
        report = cli.json("score", name)
        # Against itself it has no BLEU, unless that is asked for, and no combined score.
        assert "bleu" not in report
        assert report["strict"]["combined"] is None
        assert report["states"] == "gold"
        assert report["coverage"]["dialogues"] == 30


def test_an_entry_is_scored_by_its_name(cli: Cli, file: Path, here: Path) -> None:
    entered = ("--name", "Mine", "--track", "end-to-end", "--submissions", "submissions")
    cli.done("submit", file, *entered)
    by_name = cli.json("score", "mine")
    assert by_name == cli.json("score", file)
    # A file comes first.
    write_json(here / "mine", {"town001": [{"response": "hello"}]})
    assert cli.json("score", "mine")["coverage"]["dialogues"] == 1
    assert _refused(cli, "yours").startswith("yours: no such file, and no entry of submissions")


# Options.


def test_options_are_those_of_the_library(
    cli: Cli, file: Path, careful: dict[str, Any], sample: Benchmark
) -> None:
    arguments = ("--rules", "2023", "--setup", "strict", "--domains", "gold", "--states", "gold")
    sources = {"domains": "gold", "states": "gold"}
    options = Options(rules="2023", setup="strict", metrics=["bleu", "inform"], **sources)
    report = cli.json("score", file, *arguments, "--metrics", "bleu,inform")
    assert report == score(careful, sample, options).to_dict()


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("x.json", "--rules", "2022"),
        ("x.json", "--setup", "lax"),
        ("x.json", "--domains", "guess"),
        ("x.json", "--states", "guess"),
        ("x.json", "--goals", "some"),
        ("-", "-"),
        ("x.json", "y.json", "--per-dialogue", "-"),
        ("x.json", "--format", "html"),
        ("x.json", "--nosuch"),
    ],
)
def test_wrong_usage_exits_2_and_says_how(cli: Cli, arguments: tuple[str, ...]) -> None:
    message = cli.refused("score", *arguments)
    assert message.count("Error: ") == 1
    assert "Usage: mwz score" in message


# Bad input. What else is refused is in test_files and test_submission.


def test_several_problems_are_listed_together(cli: Cli, tmp_path: Path) -> None:
    path = write_json(tmp_path / "bad.json", {"nosuch": [], "town001": [{}], "town002": None})
    assert _refused(cli, path).splitlines() == [
        f"{path}: 3 problems",
        "  dialogue nosuch: not in the benchmark sample; leave it out",
        "  dialogue town001, turn 0: `response` is missing; expected a string",
        "  dialogue town002: expected a list of turns, found null",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--benchmark", "nosuch"), "benchmark nosuch: not installed; choose from sample"),
        (("--states", "predicted"), "option states: `predicted` needs `state` in every turn; "),
        (("--domains", "predicted"), "option domains: `predicted` needs `active_domains` in every"),
        (("--metrics", "bleu,rouge"), "options: unknown metric 'rouge'; choose from inform, bl"),
        (("--metrics", ""), "options: unknown metric ''; choose from inform, bleu"),
        (("--metrics", "dst"), "option metrics: `dst` needs a `state` in every turn"),
        (("--goals", "seen"), "option goals: benchmark sample does not say which goals occur in"),
    ],
)
def test_options_that_do_not_fit_the_data_are_bad_input(
    cli: Cli, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    path = write_json(tmp_path / "bad.json", {"town001": [{"response": "hello"}]})
    assert _refused(cli, path, *arguments).startswith(message)


def test_an_unknown_style_is_bad_input(cli: Cli) -> None:
    message = _refused(cli, "@corpus:mwz23")
    assert message.startswith("@corpus:mwz23: unknown submission that the harness makes")
    assert message.endswith("(did you mean @corpus:mwz22?)")


# Writing.


def test_a_refused_submission_leaves_the_old_report(cli: Cli, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_text("old")
    file.write_text("{")
    _refused(cli, file, "--json", out)
    assert out.read_text() == "old"


def test_failed_writes_leave_no_scraps(cli: Cli, file: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    before = file.read_bytes()
    for place in (tmp_path / "folder", file / "report.json"):
        assert "cannot be written" in cli("score", file, "--json", place).err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["careful.json", "folder"]
    assert file.read_bytes() == before


# The command as a whole.


def test_failed_imports_are_no_missing_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = {"hello": "Say hello."}
    monkeypatch.setattr("mwz.harness.cli.COMMANDS", made_up)
    monkeypatch.setattr("mwz.harness.cli.commands", lambda: made_up)
    with pytest.raises(ModuleNotFoundError):
        main(["hello"])


def test_a_misspelled_command_is_refused_with_the_one_that_is_meant(cli: Cli) -> None:
    message = cli.refused("scroe")
    assert "unknown command 'scroe'; choose from ablation, " in message
    assert "(did you mean score?)" in message


# Standard output that cannot take what is printed.


def _shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell command in which `mwz` is the command line of the harness."""
    return subprocess.run(
        ["/bin/sh", "-c", f'mwz() {{ "{sys.executable}" -m mwz "$@"; }}\n{command}'],
        capture_output=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_a_closed_pipe_gives_no_traceback(file: Path) -> None:
    done = _shell(f"(sleep 0.1; mwz score {file}; echo status $? >&2) | true")
    assert done.stderr.decode() == f"{NOTICE}status 1\n"


def test_tables_are_shown_where_the_terminal_lacks_their_dashes(file: Path) -> None:
    done = _shell("mwz data list", PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"sample" in done.stdout


def test_json_is_utf_8_whatever_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"town001": [{"response": "[h\\u00f8tel]"}]}')
    done = _shell(f"mwz score {path} --json -", PYTHONIOENCODING="latin-1")
    assert json.loads(done.stdout.decode())["unknown_placeholders"] == {"høtel": 1}
