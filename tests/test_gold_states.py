"""Gold states of other versions: both public shapes, kept beside the benchmark, compared with.

The files are made up; their shapes are those of MultiWOZ's data.json (2.0, 2.1, 2.3, 2.4), of its
2.2 as converted by its own script, and of the test_dials.json of TRADE and of MultiWOZ 2.4.
"""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, benchmark, dialogue, goal, refusal, write_json

from mwz.harness import Benchmark
from mwz.harness.data import load_gold_states
from mwz.harness.data.gold_states import (
    gold_states_path,
    install_gold_states,
    installed_gold_states,
    read_gold_states,
)
from mwz.harness.data.installed import install_benchmark
from mwz.harness.errors import InputError
from mwz.harness.metrics import GoldStates

State = Mapping[str, Mapping[str, str]]

# The first dialogue's states, as they are to be read.
HOTEL = {"hotel": {"area": "centre", "stars": "dontcare"}}
BOOKED = {
    "hotel": {"area": "centre", "stars": "dontcare", "bookday": "monday", "bookpeople": "2"},
    "train": {"leave": "09:15", "departure": "cambridge"},
}
STATES: dict[str, list[State]] = {"sng0001": [HOTEL, BOOKED], "mul0002": [{}]}


def tiny() -> Benchmark:
    """Return a benchmark of two dialogues; its own states leave out `dontcare`."""
    own = [{"hotel": {"area": "centre"}}, {"hotel": {"area": "centre", "bookday": "monday"}}]
    first = dialogue({"hotel": goal()}, 2, states=own, active=[["hotel"]] * 2)
    return benchmark({"sng0001": first, "mul0002": dialogue({"train": goal()}, 1)}, "multiwoz")


@pytest.fixture
def installed() -> None:
    """The benchmark above is installed, with the gold states of 2.4."""
    install_benchmark(tiny())
    install_gold_states(GoldStates("2.4", "multiwoz", STATES))


def metadata(**domains: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a turn's `metadata`: domains with and without slots, as the real files hold them."""
    empty = {
        "police": ({}, {}),
        "hospital": ({}, {"department": ""}),
        "hotel": (
            {"people": "", "day": "", "stay": ""},
            {"name": "not mentioned", "area": "", "parking": "none", "stars": "", "type": ""},
        ),
        "train": (
            {"people": "", "ticket": ""},
            {"leaveAt": "", "destination": "", "day": "", "arriveBy": "", "departure": ""},
        ),
    }
    return {
        domain: {
            "book": {"booked": [], **book, **domains.get(domain, {}).get("book", {})},
            "semi": {**semi, **domains.get(domain, {}).get("semi", {})},
        }
        for domain, (book, semi) in empty.items()
    }


def log(*states: Mapping[str, Any]) -> dict[str, Any]:
    turns: list[dict[str, Any]] = []
    for state in states:
        turns += [{"text": "user", "metadata": {}}, {"text": "system", "metadata": state}]
    return {"goal": {}, "log": turns}


def data_json(dontcare: str = "dont care", time: Any = "9:15", area: Any = "centre") -> Any:
    """Return the content of a data.json that has the states above, and a train dialogue."""
    first = metadata(hotel={"semi": {"area": area, "stars": dontcare}})
    booked = [{"name": "some hotel", "reference": "ABCD1234"}]
    second = metadata(
        hotel={
            "semi": {"area": area, "stars": dontcare},
            "book": {"booked": booked, "day": "monday", "people": "2"},
        },
        train={"semi": {"leaveAt": time, "departure": "Cambridge"}, "book": {"ticket": "2"}},
        hospital={"semi": {"department": "cardiology"}},
    )
    return {
        "SNG0001.json": log(first, second),
        "MUL0002.json": log(metadata()),
        # A train dialogue, which the benchmark does not have, however wrong it is.
        "SNG9999.json": {"log": "lost"},
    }


def trade_dials(pairs: bool = False) -> Any:
    """Return the content of a test_dials.json with the same states: TRADE's, or 2.4's own."""
    slots = [
        [["hotel-area", "centre"], ["hotel-stars", "dontcare"]],
        [
            *(["hotel-area", "centre"], ["hotel-stars", "dontcare"], ["hotel-book day", "monday"]),
            *(["hotel-book people", "2"], ["train-leaveat", "09:15"]),
            *(["train-departure", "cambridge"], ["train-destination", "none"]),
            *(["hospital-department", "cardiology"], ["hotel-name", "not mentioned"]),
        ],
    ]

    def turn(number: int, state: Sequence[Any]) -> dict[str, Any]:
        listed = state if pairs else [{"slots": [pair], "act": "inform"} for pair in state]
        return {"turn_idx": number, "transcript": "user", "domain": "hotel", "belief_state": listed}

    return [
        {"dialogue_idx": "SNG0001.json", "dialogue": [turn(0, slots[0]), turn(1, slots[1])]},
        {"dialogue_idx": "MUL0002.json", "domains": [], "dialogue": [turn(0, [])]},
    ]


SHAPES: Mapping[str, Any] = {
    "2.1": data_json(),
    "lists as in 2.2": data_json(time=["09:15", "9:15"], area=["centre"], dontcare=["dontcare"]),
    "TRADE": trade_dials(),
    "the files that 2.4 is made from": trade_dials(pairs=True),
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes JSON into a file of the test's folder."""
    return lambda content, name="data.json": write_json(tmp_path / name, content)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_public_shape_gives_the_same_states(shape: str, write: Callable[[Any], Path]) -> None:
    gold, notes = read_gold_states("2.x", write(SHAPES[shape]), tiny())
    assert gold.states == STATES
    assert gold.turns == 3
    # The hospital is not scored.
    assert "left out: hospital-department (1)" in notes[0]


@pytest.mark.parametrize(
    ("time", "area"),
    [
        ("9:15|9.30 | 09:15", "centre>north"),
        ("9:15<9.30", "centre|none|north|centre"),
        (["09:15", "9.30"], ["centre", "not mentioned", "north"]),
    ],
)
def test_alternatives_are_normalised(time: Any, area: Any, write: Callable[[Any], Path]) -> None:
    gold, _ = read_gold_states("2.x", write(data_json(time=time, area=area)), tiny())
    _, second = gold.states["sng0001"]
    assert second["train"]["leave"] == "09:15|9.30"
    assert second["hotel"]["area"] == "centre|north"


def test_outdated_gold_states_are_refused(cli: Cli, write: Callable[..., Path]) -> None:
    install_benchmark(tiny())
    path = install_gold_states(GoldStates("2.4", "multiwoz", STATES))
    content = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps({**content, "format": "gold states 1"}).encode()))
    message = cli.refused("dst", write(PREDICTIONS, "tracker.json"), "--gold", "2.4")
    assert "written by another version of the harness; install it again" in message


def test_folders_and_gzip_are_read_too(tmp_path: Path, write: Callable[[Any], Path]) -> None:
    write(data_json())
    assert read_gold_states("2.1", tmp_path, tiny())[0].states == STATES
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(json.dumps(trade_dials()).encode()))
    assert read_gold_states("2.1", packed, tiny())[0].states == STATES


def test_dialogues_may_be_missing_and_that_is_noted(write: Callable[[Any], Path]) -> None:
    gold, notes = read_gold_states("2.1", write(trade_dials()[:1]), tiny())
    assert list(gold.states) == ["sng0001"]
    assert "not in it and not scored: 1 of the benchmark's 2 dialogues, mul0002" in notes


def test_whose_states_they_are_is_said(cli: Cli, write: Callable[..., Path]) -> None:
    install_benchmark(tiny())
    turn = {"turn_belief": ["train-day-monday"], "pred_bs_ptr": ["hotel-area-north"]}
    path = write({"MUL0002.json": {"0": turn}})
    run = cli.done("data", "import", "--states", "2.x", path)
    assert "taken: the gold states of the file, not the predictions beside them" in run.out
    path = write({"MUL0002.json": [{"pred_state": {"train": {"day": "monday"}}}]})
    message = cli.refused("data", "import", "--states", "2.y", path)
    assert "its states are predictions, as `pred_state` says; give a file of gold" in message
    assert "has states of train; the benchmark's also of hotel" in run.out
    assert "replaced" not in run.out + cli("data", "import", "--states", "2.x", path).out
    run = cli.done("data", "import", "--states", "2.x", write(data_json()))
    assert "replaced: others of this version, content " in run.out
    assert "taken" not in run.out
    assert "has states" not in run.out


def _changed(content: Any, *place: Any, **to: Any) -> Any:
    """Return content with one place of it changed, or without it."""
    content = copy.deepcopy(content)
    inside = content
    for key in place[:-1]:
        inside = inside[key]
    if to:
        inside[place[-1]] = to["to"]
    else:
        del inside[place[-1]]
    return content


FIRST = ("SNG0001.json", "log")
SEMI = (*FIRST, 1, "metadata", "hotel", "semi")
BAD = [
    ({"SNG0001.json": {"0": {}}}, "unknown shape; expected an object of dialogue id -> `log`"),
    (_changed(trade_dials(), 0, "dialogue_idx"), "unknown shape"),
    ({"SNG9.json": log(metadata())}, "none of its dialogues is in the benchmark"),
    (_changed(data_json(), *FIRST, slice(2, 4)), "sng0001: 1 turns with a state; the benchmark"),
    (_changed(data_json(), *SEMI), "dialogue SNG0001.json, turn 0: no state ('semi')"),
    (_changed(data_json(), *SEMI, "stars", to=4), "0: no state (expected a string as value, found"),
    (_changed(trade_dials(), 0, "dialogue", 1, "belief_state"), "turn 1: no state ('belief_stat"),
]


@pytest.mark.parametrize(("content", "message"), BAD)
def test_files_of_other_shapes_are_refused_with_the_place(
    content: Any, message: str, write: Callable[[Any], Path]
) -> None:
    path = write(content)
    error = refusal(read_gold_states, "2.1", path, tiny())
    assert error.source == str(path)
    assert message in str(error)


@pytest.mark.parametrize("version", ["", "../2.4", "2/4", ".4", "2.4 b", "x" * 32])
def test_a_version_is_the_name_of_a_file(version: str, write: Callable[[Any], Path]) -> None:
    with pytest.raises(InputError, match="is not the name of a version"):
        read_gold_states(version, write(data_json()), tiny())


def test_gold_states_are_loaded_as_they_were_installed() -> None:
    gold = GoldStates("2.4", "multiwoz", STATES)
    path = install_gold_states(gold)
    assert path == gold_states_path("multiwoz", "2.4")
    assert installed_gold_states("multiwoz") == ["2.4"]
    assert installed_gold_states("sample") == []
    loaded = load_gold_states("2.4", tiny())
    assert loaded == gold
    assert loaded.digest == gold.digest
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match="damaged"):
        load_gold_states("2.4", tiny())


PREDICTIONS = {
    "SNG0001.json": [HOTEL, {**BOOKED, "train": {"leave": "9:15", "departure": "ely"}}],
    "MUL0002.json": [{}],
}


def test_trackers_use_the_named_version(
    cli: Cli, tmp_path: Path, write: Callable[..., Path]
) -> None:
    install_benchmark(tiny())
    trade = write(trade_dials()[:1], "test_dials.json")
    files = ("--states", "2.4", write(data_json()), "--states", "2.4-trade", trade)
    run = cli.done("data", "import", *files)
    assert "installed gold states 2.4 of multiwoz: 2 dialogues, 3 turns" in run.out
    listed = cli("data", "list").out
    assert [line.split()[0] for line in listed.splitlines()[-2:]] == ["2.4", "2.4-trade"]
    assert "gold states 2.4 of multiwoz: readable" in cli("data", "verify").out

    tracker = write(PREDICTIONS, "tracker.json")
    own, new, trade = (
        cli.json("dst", tracker, *options)[0]
        for options in ((), ("--gold", "2.4"), ("--gold", "2.4-trade"))
    )
    # The benchmark's own states have no `dontcare`: only the empty turn is right. Those of 2.4 have
    # it: turn 0 of the first dialogue is right too, and turn 1 is wrong by the departure.
    assert own["metrics"]["JGA"] == pytest.approx(100 / 3)
    assert new["metrics"]["JGA"] == pytest.approx(200 / 3)
    assert trade["metrics"]["JGA"] == 50
    assert (own["gold_version"], new["gold_version"]) == (None, "2.4")
    digests = {report["signature_fields"]["gold"] for report in (own, new, trade)}
    assert len(digests) == 3
    assert new["coverage"] == {"of_dialogues": 2, "of_turns": 3}
    assert (trade["dialogues"], trade["turns"]) == (1, 2)
    assert trade["signature_fields"]["coverage"].startswith("2/3-")
    shown = cli("dst", tracker, "--gold", "2.4-trade").out
    assert "in version 2.4-trade, 1 of 2" in " ".join(shown.split())
    assert "they lack mul0002" in " ".join(shown.split())


def test_the_benchmarks_own_version_can_be_named(cli: Cli, write: Callable[..., Path]) -> None:
    install_benchmark(tiny())
    tracker = write(PREDICTIONS, "tracker.json")
    own, named = (cli.json("dst", tracker, *options)[0] for options in ((), ("--gold", "2.2")))
    assert (own.pop("gold_version"), named.pop("gold_version")) == (None, "2.2")
    assert own == named


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("predicted", "message"),
    [
        ([HOTEL, {**HOTEL, "train": {}}], "only hotel is predicted, and the slots of train count"),
        ([HOTEL, {**HOTEL, "train": {"leave": "9:15"}}], ""),
        ([HOTEL, {**HOTEL, "taxi": {"leave": "9:15"}}], ""),
    ],
)
def test_predictions_of_one_domain_beside_gold_states_of_several_are_warned_of(
    cli: Cli, write: Callable[..., Path], predicted: Sequence[object], message: str
) -> None:
    pairs = [{"gt": {"hotel": {"area": "centre"}}, "pr": state} for state in predicted]
    tracker = write({"SNG0001.json": pairs}, "pairs.json")
    run = cli.done("dst", tracker, "--gold", "2.4")
    assert message in run.err
    assert bool(message) == bool(run.err)
    assert cli("dst", tracker).err == ""


@pytest.mark.usefixtures("installed")
def test_the_named_version_replaces_a_files_gold(cli: Cli, write: Callable[..., Path]) -> None:
    # TripPy writes `book_day`; its own gold state is another.
    spelt = {"hotel": {"area": "centre", "stars": "dontcare", "book_day": "monday"}}
    turns = [{"gt": {}, "pr": HOTEL}, {"gt": {}, "pr": spelt}]
    tracker = write({"SNG0001.json": turns}, "pairs.json")
    [report] = cli.json("dst", tracker, "--gold", "2.4")
    # Turn 0 is right. In turn 1 people, leave and departure are missed: 5 of 8 values are found.
    assert report["metrics"]["JGA"] == 50
    assert report["metrics"]["recall"] == pytest.approx(100 * 5 / 8)


def test_one_wrong_import_installs_nothing(cli: Cli, write: Callable[..., Path]) -> None:
    install_benchmark(tiny())
    good, bad = write(data_json()), write({}, "bad.json")
    message = cli.refused("data", "import", "--states", "2.1", good, "--states", "2.4", bad)
    assert "bad.json: none of its dialogues" in message
    assert installed_gold_states("multiwoz") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("data", "import", "--states", "2.4", "missing.json"), "missing.json: no such file"),
        (("data", "import", "--states", "2.4", "x", "--mintl", "y"), "--states stands alone"),
        (("data", "import", "--states", "2.4", "."), "none of data.json, test_dials.json, test.t"),
        (("dst", "tracker.json", "--gold", "2.3"), "not installed for multiwoz, which has 2.2"),
    ],
)
def test_missing_files_and_versions_are_refused(
    cli: Cli, here: Path, arguments: Sequence[str], message: str
) -> None:
    install_benchmark(tiny())
    write_json(here / "tracker.json", PREDICTIONS)
    assert message in cli.refused(*arguments)
