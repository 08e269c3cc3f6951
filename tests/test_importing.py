"""Building the benchmark from the public repositories' files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, build_multiwoz, write_json
from synthetic import STYLES as OTHER_STYLES, SYSTEM_TURNS, TEST_IDS, write_repositories

from mwz.harness.benchmark import STYLES, Benchmark
from mwz.harness.data import blob_id, load_benchmark, load_tasks
from mwz.harness.data.multiwoz22 import TEST_FILES, read_annotated
from mwz.harness.errors import InputError
from mwz.normalization import normalize_value, rule_set

DATA = "MultiWOZ_Evaluation/mwzeval/data"
CORPUS = "multiwoz/data/MultiWOZ_2.2"
DAMD, TEST = f"{DATA}/references/damd.json", f"{CORPUS}/test/dialogues_001.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_repositories(tmp_path)
    return tmp_path


def _build(folder: Path) -> Benchmark:
    return build_multiwoz(folder / "MultiWOZ_Evaluation", folder / "multiwoz")


def _change(folder: Path, place: str, change: Callable[[Any], Any]) -> None:
    path = folder / place
    write_json(path, change(json.loads(path.read_text(encoding="utf-8"))))


def test_only_the_test_split_is_kept(folder: Path) -> None:
    benchmark = _build(folder)
    assert benchmark.name == "multiwoz"
    assert tuple(benchmark.dialogues) == TEST_IDS
    assert benchmark.turns == SYSTEM_TURNS


def test_every_part_of_a_dialogue_is_read(folder: Path) -> None:
    read = _build(folder).dialogues["syn0001"]
    goal = read.goal["restaurant"]
    assert goal.informable == {"food": "basque", "area": "north"}
    assert goal.requestable == {"PHONE"}
    assert goal.booking == {}
    assert tuple(read.references) == STYLES
    assert set(OTHER_STYLES) | {"mwz22"} == set(STYLES)
    assert read.references["damd"] == ["try NAME.", "dial PHONE."]
    assert read.booked_domains == [[], []]
    assert read.active_domains == [["restaurant"], ["restaurant"]]
    assert read.users == ("Somewhere basque on the north side, please.", "How do I ring them?")
    assert read.responses == ("Try copper kettle .", "Dial 0111 1 .")


def test_references_of_mwz22_are_built_from_spans(folder: Path) -> None:
    dialogues = _build(folder).dialogues
    assert list(dialogues["mul0002"].references["mwz22"]) == ["board TRAINID.", "see the NAME."]
    assert list(dialogues["pmul0003"].references["mwz22"]) == ["booked NAME as REFERENCE."]


def test_gold_states_are_those_of_the_user_turns_before(folder: Path) -> None:
    states = _build(folder).dialogues["mul0002"].states
    trip = {"departure": "anstey", "destination": "belton"}
    assert list(states) == [{"train": trip}, {"train": trip, "attraction": {"type": "museum"}}]


def test_what_the_evaluator_made_of_the_annotation_is_not_read(folder: Path) -> None:
    given = {"syn0001": ["A", "B"], "mul0002": ["C", "D"], "pmul0003": ["E"]}
    states = {id_: [{"taxi": {"leave": t}} for t in texts] for id_, texts in given.items()}
    before = _build(folder)
    write_json(folder / DATA / "references" / "mwz22.json", given)
    write_json(folder / DATA / "gold_states.json", states)
    assert _build(folder).dialogues == before.dialogues


# Delexicalisation and states, rule by rule.


def _dialogue(
    tmp_path: Path,
    utterance: str,
    spans: list[list[Any]],
    slot_values: dict[str, list[str]] | None = None,
    act: str = "Hotel-Inform",
) -> Any:
    frames = [{"service": "hotel", "state": {"slot_values": slot_values or {}}}]
    turns = [
        {"turn_id": "0", "speaker": "USER", "utterance": "hello", "frames": frames},
        {"turn_id": "1", "speaker": "SYSTEM", "utterance": utterance, "frames": []},
    ]
    acts = {"PMUL1.json": {"1": {"dialog_act": {act: []}, "span_info": spans}}}
    folder = tmp_path / "multiwoz" / "data" / "MultiWOZ_2.2"
    content = [{"dialogue_id": "PMUL1.json", "turns": turns}]
    write_json(folder / "test" / "dialogues_001.json", content)
    write_json(folder / "test" / "dialogues_002.json", [])
    write_json(folder / "dialog_acts.json", acts)
    return read_annotated(tmp_path / "multiwoz", TEST_FILES)["pmul1"]


@pytest.mark.parametrize(
    ("spans", "reference"),
    [
        ([], "the oak inn, 5 cam road"),
        # "oak inn" is at 4 to 11, "5 cam road" at 13 to 23.
        ([["a", "name", "oak inn", 4, 11]], "the NAME, 5 cam road"),
        # Left to right, in whatever order they are listed.
        (
            [["", "address", "5 cam road", 13, 23], ["", "name", "oak inn", 4, 11]],
            "the NAME, ADDRESS",
        ),
        # A span that starts before the last one ended is skipped.
        ([["a", "name", "oak inn", 4, 11], ["a", "type", "inn", 8, 11]], "the NAME, 5 cam road"),
        (
            [["", "type", "oak", 4, 7], ["", "name", "oak inn, 5", 4, 14]],
            "the TYPE inn, 5 cam road",
        ),
        # One that starts where the last one ended is not.
        ([["a", "type", "oak", 4, 7], ["a", "name", " inn", 7, 11]], "the TYPENAME, 5 cam road"),
        # `dontcare` is no text that was said.
        ([["a", "area", "dontcare", 0, 3]], "the oak inn, 5 cam road"),
        # Unknown slots vanish, as in any response.
        ([["a", "view", "oak inn", 4, 11]], "the, 5 cam road"),
    ],
)
def test_spans_are_replaced_left_to_right(
    tmp_path: Path, spans: list[list[Any]], reference: str
) -> None:
    assert _dialogue(tmp_path, "The oak inn, 5 cam road", spans).references["mwz22"] == [reference]


def test_states_keep_first_values_and_drop_dontcare(tmp_path: Path) -> None:
    values = {
        "hotel-name": ["Nando's", "nandos in town"],
        "hotel-area": ["dontcare"],
        "hotel-stars": ["4", "dontcare"],
        "hotel-bookday": ["monday"],
        "hotel-parking": ["free"],
    }
    (state,) = _dialogue(tmp_path, "ok", [], values).states
    assert state == {"hotel": {"name": "nandos", "bookday": "monday", "parking": "yes"}}


def test_gold_states_follow_the_rules_of_2021(tmp_path: Path) -> None:
    # 2023 would make "bed and breakfast" a "b and b", for every rule set that scores with them.
    name = "rosas bed and breakfast"
    assert normalize_value("name", name, rule_set("2023")) == "rosas b and b"
    (state,) = _dialogue(tmp_path, "ok", [], {"hotel-name": [name]}).states
    assert state == {"hotel": {"name": name}}


# Files that cannot be used.


@pytest.mark.parametrize(
    "place",
    [
        f"{DATA}/goals.json",
        f"{DATA}/booked_domains.json",
        f"{DATA}/references/lava.json",
        f"{DATA}/database/train_db.json",
        f"{CORPUS}/dialog_acts.json",
        f"{CORPUS}/test/dialogues_002.json",
    ],
)
def test_a_missing_or_broken_file_is_named(folder: Path, place: str) -> None:
    (folder / place).write_text("{")
    with pytest.raises(InputError, match="not JSON") as raised:
        _build(folder)
    assert raised.value.source == str(folder / place)
    (folder / place).unlink()
    with pytest.raises(InputError, match="no such file") as raised:
        _build(folder)
    assert raised.value.source == str(folder / place)


_LISTED = {"frames": [{"state": {"slot_values": []}}]}


def _without(id_: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda content: {key: value for key, value in content.items() if key != id_}


def _with(id_: str, value: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda content: {**content, id_: value}


@pytest.mark.parametrize(
    ("place", "change", "message"),
    [
        (f"{DATA}/goals.json", _without("mul0002"), "test dialogue mul0002 is missing"),
        (f"{DATA}/goals.json", _with("mul0002", []), "not in the layout of the public files"),
        (f"{DATA}/goals.json", _with("mul0002", {"taxi": {}}), "'informable'"),
        (DAMD, _without("syn0001"), "test dialogue syn0001 is missing"),
        (DAMD, _with("syn0001", ["a"]), "dialogue syn0001: 1 entries for 2 system turns"),
        (DAMD, _with("syn0001", ["a", None]), "syn0001.1: input should be a valid string"),
        (f"{DATA}/database/hotel_db.json", lambda db: {}, "content: input should be a valid list"),
        (f"{CORPUS}/dialog_acts.json", _without("SYN0001.json"), "not in the layout of"),
        (TEST, lambda d: [{}], "not in the layout of the public"),
        (TEST, lambda d: {}, "input should be a valid list"),
        (TEST, lambda d: [{**d[0], "turns": [_LISTED] * 2}], "not in the layout of the public"),
    ],
)
def test_a_file_in_another_layout_is_named_with_the_place(
    folder: Path, place: str, change: Callable[[Any], Any], message: str
) -> None:
    _change(folder, place, change)
    with pytest.raises(InputError, match=message):
        _build(folder)


def test_a_data_set_without_test_dialogues_is_refused(folder: Path) -> None:
    for name in ("dialogues_001.json", "dialogues_002.json"):
        write_json(folder / CORPUS / "test" / name, [])
    with pytest.raises(InputError, match="has no dialogues"):
        _build(folder)


@pytest.fixture
def convlab(folder: Path) -> Path:
    """A clone of ConvLab-2 with the same made-up dialogue in two splits."""
    semi, booking = {"area": "west", "name": "not mentioned"}, {"people": "2", "booked": []}
    before = {"hotel": {"semi": semi, "book": booking}}
    after = {"hotel": {"semi": semi, "book": {**booking, "booked": [{"reference": "AB12CD34"}]}}}
    answers = [
        ("Quilt House suits you .", before, "Hotel-Recommend", ["Name", "Quilt House", 0, 1]),
        ("Done : AB12CD34 .", after, "Booking-Book", ["Ref", "AB12CD34", 2, 2]),
    ]
    log: list[dict[str, Any]] = []
    for text, state, act, span in answers:
        log.append({"text": "Go on .", "metadata": {}, "dialog_act": {}, "span_info": []})
        marked = {"dialog_act": {act: []}, "span_info": [[act, *span]]}
        log.append({"text": text, "metadata": state, **marked})
    hotel = {"info": {"area": "west"}, "book": {"people": "2", "invalid": False}, "fail_info": {}}
    goal = {"hotel": hotel, "message": ["You want a <span class='emphasis'>hotel</span>"]}
    clone = folder / "ConvLab-2"
    for split in ("val", "train"):
        path = clone / f"data/multiwoz/{split}.json.zip"
        write_json(path, {"MUL7.json": {"goal": goal, "log": log}})
    return clone


@pytest.fixture
def imported(folder: Path, convlab: Path, cli: Cli) -> Callable[..., Benchmark]:
    """Imports the benchmark of a split from the clones."""

    def run(name: str, *clones: object) -> Benchmark:
        evaluator = folder / "MultiWOZ_Evaluation"
        cli.done("data", "import", name, "--mwzeval", evaluator, "--convlab2", convlab, *clones)
        return load_benchmark(name)

    return run


def test_the_dev_dialogues_are_read_with_their_tasks(imported: Callable[..., Benchmark]) -> None:
    benchmark = imported("multiwoz-dev")
    assert benchmark.unpinned == {}
    read = benchmark.dialogues["mul7"]
    assert read.goal["hotel"].informable == {"area": "west"}
    assert read.goal["hotel"].requestable == {"REFERENCE"}
    assert list(read.states) == [{"hotel": {"area": "west", "bookpeople": "2"}}] * 2
    assert read.booked_domains == [[], ["hotel"]]
    assert read.references == {"mwz22": ["NAME suits you.", "done: REFERENCE."]}
    assert read.users == ("Go on .", "Go on .")
    assert [list(acts) for acts in read.acts] == [["Hotel-Recommend"], ["Booking-Book"]]
    assert load_tasks("multiwoz-dev")["mul7"].message == ("You want a hotel",)


def test_a_file_that_is_not_pinned_is_imported_and_named(
    imported: Callable[..., Benchmark], convlab: Path, cli: Cli
) -> None:
    place = "data/multiwoz/train.json.zip"
    blob = blob_id((convlab / place).read_bytes())
    assert imported("multiwoz-train").unpinned == {place: blob}
    assert load_tasks("multiwoz-train")["mul7"].message == ("You want a hotel",)
    shown = cli.done("data", "verify").out
    assert (
        f"multiwoz-train: readable; made of {place}, which is not pinned (git blob {blob})" in shown
    )
    assert f"{place}, which is not pinned" in cli.refused("data", "fetch", "multiwoz-train")


def test_turns_are_of_multiwoz22_where_it_has_as_many(
    imported: Callable[..., Benchmark], folder: Path
) -> None:
    frames = [{"service": "hotel", "state": {"slot_values": {"hotel-area": ["east"]}}}]
    turns, acts = [], {}
    for number, text in enumerate(("Go on .", "Try Quilt House .", "Go on .", "AB12CD34 it is .")):
        turns.append({"turn_id": str(number), "utterance": text, "frames": frames})
        acts[str(number)] = {"dialog_act": {"Hotel-Inform": []}, "span_info": []}
    acts["1"]["span_info"].append(["Hotel-Inform", "name", "Quilt House", 4, 15])
    dev = [{"dialogue_id": "MUL7.json", "turns": turns}]
    write_json(folder / CORPUS / "dev/dialogues_001.json", dev)
    write_json(folder / CORPUS / "dev/dialogues_002.json", [])
    _change(folder, f"{CORPUS}/dialog_acts.json", lambda of_all: {**of_all, "MUL7.json": acts})
    read = imported("multiwoz-dev-2.2", "--multiwoz", folder / "multiwoz").dialogues["mul7"]
    assert read.references == {"mwz22": ["try NAME.", "ab12cd34 it is."]}
    assert list(read.states) == [{"hotel": {"area": "east"}}] * 2
    assert read.booked_domains == [[], ["hotel"]]
    assert read.goal["hotel"].informable == {"area": "west"}
    # A dialogue of another length stays as it was.
    write_json(folder / CORPUS / "dev/dialogues_001.json", [{**dev[0], "turns": turns[:2]}])
    read = imported("multiwoz-dev-2.2", "--multiwoz", folder / "multiwoz").dialogues["mul7"]
    assert read.references == {"mwz22": ["NAME suits you.", "done: REFERENCE."]}
