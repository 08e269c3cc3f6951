"""Reading as a user meets it: `mwz check`, `mwz convert`, and what score, dst and submit say."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import CAREFUL, Cli, Run, write_json

Mwz = Callable[..., Run]

NOTICE = "mwz: multiwoz is not installed;"


@pytest.fixture
def mwz(cli: Cli, here: Path) -> Mwz:
    """Runs `mwz` in an empty folder; gives its status and output."""

    def run(*arguments: object) -> Run:
        done = cli(*arguments)
        warnings = [line for line in done.err.splitlines() if not line.startswith(NOTICE)]
        return Run(done.status, done.out, "\n".join(warnings))

    return run


def _with(content: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return predictions with the first turn of all changed; None takes a key out."""
    id_, *_ = content
    first = {**content[id_][0], **changes}
    first = {key: value for key, value in first.items() if value is not None}
    return {**content, id_: [first, *content[id_][1:]]}


# mwz check


def test_check_says_what_a_file_holds(mwz: Mwz) -> None:
    run = mwz("check", CAREFUL)
    assert (run.status, run.err) == (0, "")
    facts = _facts(run)
    assert "NAME" in facts["known"]
    expected = {"format": "standard form", "benchmark": "sample", "dialogues": "30 of 30"}
    expected |= {"turns": "146 of 146", "states": "in every turn", "active domains": "none"}
    assert facts.items() >= {**expected, "unknown": "none", "warnings": "none"}.items()


def test_check_counts_known_and_unknown_placeholders(cli: Cli, tmp_path: Path) -> None:
    texts = ("[hotel_name] [value_name]s , [value_area]", "[x y] [hotel]")
    turns = [{"response": text} for text in texts]
    run = cli("check", write_json(tmp_path / "p.json", {"town001": turns}))
    # One of two turns has a name.
    assert "placeholders    5; about venues: 0.50 a turn\n" in run.out
    assert "  known         NAME 2×, AREA 1×\n" in run.out
    assert "  unknown       [x y] 1×, [hotel] 1×\n" in run.out
    assert "dialogues       1 of 30\n" in run.out
    assert "; missing from town001 turn 2, town002 turn 0, town003 turn 0, …\n" in run.out
    assert "states          none\n" in run.out


def test_check_warns_and_exits_with_1(mwz: Mwz, tmp_path: Path, careful: Any) -> None:
    run = mwz("check", write_json(tmp_path / "p.json", _with(careful, stat="x")))
    assert (run.status, run.err) == (1, "")
    message = "keys of turns that are not read: stat 1× (did you mean state?)"
    assert f"warning         {message}\n" in run.out
    assert "warnings        1\n" in run.out
    # Other keys are noted.
    run = mwz("check", write_json(tmp_path / "p.json", _with(careful, asked="hello")))
    assert run.status == 0
    assert "note            keys of turns that are not read: asked 1×\n" in run.out


def test_check_refuses_what_score_refuses(mwz: Mwz, tmp_path: Path, careful: Any) -> None:
    half = write_json(tmp_path / "half.json", _with(careful, state=None))
    checked, scored = mwz("check", half), mwz("score", half)
    assert (checked.status, scored.status, scored.out) == (2, 2, "")
    assert checked.err == scored.err
    assert "turn 0: no `state`, as in 1 of 146 turns, while the others have one;" in scored.err
    assert "states          in 145 of 146 turns\n" in checked.out


def _facts(run: Run) -> dict[str, str]:
    """Return what `mwz check` shows: name -> text, of several lines of a name the last."""
    return {line[:16].strip(): line[16:] for line in run.out.splitlines()}


def _rows(run: Run) -> list[list[str]]:
    """Return the rows of the table of fields, their cells."""
    table = run.out.split("\n\n")[0]
    return [re.split(r"  +", line) for line in table.splitlines()[2:]]


def _responses(content: dict[str, Any], pattern: str, text: str) -> dict[str, Any]:
    """Return predictions with what a pattern finds in responses replaced."""
    return _every(content, lambda t: {**t, "response": re.sub(pattern, text, t["response"])})


def _every(content: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return predictions with each turn changed."""
    return {id_: [change(turn) for turn in turns] for id_, turns in content.items()}


def _state_alone(turn: Any) -> dict[str, Any]:
    return {"state": turn["state"]}


def _response_alone(turn: Any) -> dict[str, Any]:
    return {"response": turn["response"]}


def test_check_shows_which_keys_are_read_as_which_fields(cli: Cli, tmp_path: Path) -> None:
    turn = {"gold": "x", "generated": "hello", "pred_state": {"hotel": {"area": "north"}}}
    silent = {"gold": "x", "generated": "", "pred_state": {}}
    path = write_json(tmp_path / "p.json", {"town001": [turn, silent]})
    assert _rows(cli("check", path, "--benchmark", "sample")) == [
        ["response", "`generated`", "2 of 2", "hello"],
        ["state", "`pred_state`", "2 of 2", '{"hotel": {"area": "north"}}'],
        ["gold_response", "`gold`", "not used"],
    ]


def test_check_shows_gold_states_of_a_tracker(cli: Cli, tmp_path: Path) -> None:
    north, south = {"hotel": {"area": "north"}}, {"hotel": {"area": "south"}}
    path = write_json(tmp_path / "log.json", {"d1": [{"state": south, "pred": north}]})
    run = cli("check", path)
    assert run.status == 0, run.out
    assert _rows(run) == [
        ["state", "`pred`", "1 of 1", '{"hotel": {"area": "north"}}'],
        ["gold_state", "`state`", "1 of 1", '{"hotel": {"area": "south"}}'],
    ]
    facts = _facts(run)
    assert facts["benchmark"] == "none: it has gold states of its own"
    assert facts["slots"] == "hotel-area 1×"


def test_check_reads_states_as_dst_does(cli: Cli, here: Path, careful: dict[str, Any]) -> None:
    states = _every(careful, _state_alone)
    write_json(here / "states.json", states)
    run = cli("check", "states.json", "--benchmark", "sample")
    assert (run.status, _facts(run)["turns"]) == (0, "146 of 146")
    assert cli.refused("check", "states.json", "--rules", "2023").endswith(
        "--rules is not for files of states alone; leave it out\n"
    )
    lacking = {**states, "town001": [{}, *states["town001"][1:]]}
    write_json(here / "lacking.json", lacking)
    checked = cli.refused("check", "lacking.json", "--benchmark", "sample")
    assert checked == cli.refused("dst", "lacking.json", "--benchmark", "sample")


def test_check_says_what_a_fix_is_worth(cli: Cli, here: Path, careful: dict[str, Any]) -> None:
    write_json(here / "in order.json", careful)
    write_json(here / "spoilt it.json", _responses(careful, r"\[name\]", "<name>"))
    named = ("--benchmark", "sample")
    figures = []
    for name in ("in order.json", "spoilt it.json"):
        report = cli.json("score", name, *named, "--setup", "strict")
        figures.append([report["inform"], report["success"], report["bleu"]["mwz22"]])
    gains = [right - wrong for right, wrong in zip(*figures, strict=True)]
    assert min(gains) > 1
    inform, success, bleu = gains
    run = cli.failed("check", "spoilt it.json", *named)
    facts = _facts(run)
    assert facts["worth"] == f"+{inform:.1f} Inform, +{success:.1f} Success, +{bleu:.1f} BLEU"
    command = "mwz convert --fix 'spoilt it.json' -o OUT --benchmark sample"
    assert facts["to fix it"] == command
    assert "to fix it" not in _facts(cli("check", "in order.json", *named))


def test_check_values_fixes_of_states(cli: Cli, here: Path, careful: dict[str, Any]) -> None:
    text = json.dumps(_every(careful, _state_alone))
    (here / "right.json").write_text(text)
    (here / "wrong.json").write_text(text.replace('"area": "', '"area": "the '))
    named = ("--benchmark", "sample")
    right, lost = (
        cli.json("dst", name, *named)[0]["metrics"]["JGA"] for name in ("right.json", "wrong.json")
    )
    run = cli.failed("check", "wrong.json", *named)
    assert _facts(run)["worth"] == f"+{right - lost:.1f} JGA"


def test_check_names_the_best_table(cli: Cli, here: Path, careful: dict[str, Any]) -> None:
    write_json(here / "p.json", _responses(careful, r"\[ref\]", "[restaurant_ref]"))
    named = ("--benchmark", "sample")
    run = cli.failed("check", "p.json", *named)
    assert _facts(run)["worth"].startswith("--placeholders dard: +")
    # With the table there is nothing to remark.
    assert cli("check", "p.json", *named, "--placeholders", "dard").status == 0


# mwz convert


def test_convert_writes_the_standard_form_of_the_family(mwz: Mwz, tmp_path: Path) -> None:
    span, said = "<sos_b> [hotel] area north <eos_b>", "<sos_r> hello <eos_r>"
    turn = {"dial_id": "town001", "turn_num": 0, "resp_gen": said, "resp": "x", "bspn_gen": span}
    family = write_json(tmp_path / "family.json", [turn, {**turn, "turn_num": 1}])
    run = mwz("convert", family, "-o", "new.json.gz")
    assert (run.status, run.out) == (0, "")
    assert "read as belief spans (resp_gen, bspn_gen)" in run.err
    assert "wrote new.json.gz: 1 dialogue, 2 turns" in run.err
    converted = json.loads(gzip.decompress((tmp_path / "new.json.gz").read_bytes()))
    read = {"response": "hello", "state": {"hotel": {"area": "north"}}}
    assert converted == {"town001": [read] * 2}


def test_convert_does_not_write_over_its_input(mwz: Mwz, tmp_path: Path, careful: Any) -> None:
    path = write_json(tmp_path / "p.json", careful)
    (tmp_path / "link.json").symlink_to(path)
    before = path.read_bytes()
    for target in ("p.json", "./p.json", "link.json"):
        run = mwz("convert", "p.json", "-o", target)
        assert (run.status, run.out) == (2, "")
        assert run.err == f"mwz: {target}: is the input; write to another file"
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["link.json", "p.json"]


def test_convert_writes_to_standard_output(cli: Cli, careful: Any) -> None:
    run = cli.done("convert", CAREFUL, "-o", "-")
    assert json.loads(run.out) == careful


def test_convert_writes_states_alone_by_the_key_that_is_named(cli: Cli, tmp_path: Path) -> None:
    rows = [{"session": "town001", "turn": 0, "track": {"hotel-area": "north"}}]
    path = write_json(tmp_path / "log.json", rows)
    keys = ("--key", "state=track", "--key", "id=session")
    run = cli.done("convert", path, "-o", "-", "--benchmark", "sample", *keys)
    assert json.loads(run.out) == {"town001": [{"state": {"hotel": {"area": "north"}}}]}


def test_convert_keeps_the_gold_states_of_a_tracker(cli: Cli, tmp_path: Path) -> None:
    turn = {"state": {"hotel": {"area": "south"}}, "pred": {"hotel": {"area": "north"}}}
    path = write_json(tmp_path / "log.json", {"d1": [turn]})
    run = cli.done("convert", path, "-o", "-")
    assert json.loads(run.out) == {"d1": [{"state": turn["pred"], "gold_state": turn["state"]}]}
    assert "read `state` as gold states, which are no predictions" in run.err


@pytest.mark.parametrize(
    "arguments",
    [
        *((command, "NAME") for command in ("score", "dst", "check", "why", "table", "ablation")),
        ("compare", "NAME", CAREFUL),
        ("data", "import", "--states", "2.1", "NAME"),
        ("verify", "--submissions", "NAME"),
        ("leaderboard", "--submissions", "NAME"),
        ("score", CAREFUL, CAREFUL, "--per-dialogue", "NAME"),
    ],
)
def test_a_name_too_long_for_a_file_is_refused(cli: Cli, arguments: tuple[object, ...]) -> None:
    run = cli(*("x" * 300 if argument == "NAME" else argument for argument in arguments))
    assert run.status == 2
    assert run.err.startswith("mwz: ")


# Gold states.

GOLD_USED = "no turn has a `state`; scored with gold belief states"
HEAD = "Inform and Success with gold belief states, not with predicted ones\n\ntotal "


def test_score_says_where_gold_states_are_used(cli: Cli, tmp_path: Path, careful: Any) -> None:
    def score(*arguments: object) -> Run:
        return cli("score", *arguments, "--benchmark", "sample")

    path = write_json(tmp_path / "policy.json", _every(careful, _response_alone))
    for name in (path, "@corpus"):
        run = score(name)
        assert run.err == f"mwz: {name}: {GOLD_USED}\n"
        assert run.out.startswith(HEAD)
    # By choice they are named in the report only, and nowhere if no state is used.
    run = score(CAREFUL, "--states", "gold")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith(HEAD)
    assert "belief states" not in score(path, "--metrics", "bleu").err


# Submitting.


def test_submit_tells_remarks_and_gold_states(mwz: Mwz, tmp_path: Path, careful: Any) -> None:
    policy = _with(_every(careful, _response_alone), sate={})
    path = write_json(tmp_path / "p.json", policy)
    about = ("--name", "Mine", "--track", "policy-optimization", "--benchmark", "sample")
    run = mwz("submit", path, *about, "--submissions", "submissions")
    assert run.status == 0, run.err
    assert "sate 1× (did you mean state?)" in run.err
    assert f"p.json: {GOLD_USED}" in run.err
