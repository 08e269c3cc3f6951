"""Reading state files: formats told apart by shape, benchmarks, and every kind of bad input."""

from __future__ import annotations

import pytest
from helpers import refusal

from mwz.harness.benchmark import Benchmark, Dialogue
from mwz.harness.metrics import parse_tracking_file, score_tracking, track_states
from mwz.harness.submission import parse_predictions
from mwz.harness.submission.notations import read_state

GOLD = {"hotel": {"area": "centre"}}
OTHER = {"hotel": {"area": "north"}}


def toy_benchmark():
    """Return a benchmark of one dialogue of two turns; the second books a hotel."""
    states = [GOLD, {"hotel": {"area": "centre", "bookday": "monday", "bookpeople": "2"}}]
    dialogue = Dialogue({}, {}, states, [["hotel"]] * 2, [[], ["hotel"]])
    return Benchmark("toy", {"sng0001": dialogue}, {}, {})


def parse(content):
    return parse_tracking_file(content, "states.json", toy_benchmark)


def problem(content):
    error = refusal(parse, content)
    assert len(error.problems) == 1
    return str(error)


def read_states(content):
    file = parse(content)
    assert file.benchmark is None
    return file.format, [
        (dialogue.id, turn, gold, predicted)
        for dialogue in file.dialogues
        for turn, (gold, predicted) in enumerate(
            zip(dialogue.gold, dialogue.predicted, strict=True)
        )
    ]


EXPECTED = [("SNG1.json", 0, GOLD, OTHER), ("SNG1.json", 1, GOLD, GOLD)]
FLAT_GOLD, FLAT_OTHER = {"hotel-area": "centre"}, {"hotel-area": "north"}
LIST_GOLD, LIST_OTHER = ["hotel-area-centre"], ["hotel-area-north"]


def turns(gold, predicted, right, wrong):
    """Return two turns under two keys: the first one's prediction is wrong."""
    return [{gold: right, predicted: wrong}, {gold: right, predicted: right}]


def numbered(*states):
    return dict(zip("01", turns(*states), strict=True))


PAIRS = "gold and prediction pairs (gt, pr)"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (numbered("gt", "pr", GOLD, OTHER), PAIRS),
        (turns("gt", "pr", GOLD, OTHER), PAIRS),
        (numbered("gt", "pr", FLAT_GOLD, FLAT_OTHER), PAIRS),
        (
            numbered("turn_belief", "pred_bs_ptr", LIST_GOLD, LIST_OTHER),
            "gold and prediction pairs (turn_belief, pred_bs_ptr)",
        ),
        (
            {
                "domain": "hotel",
                "turns": numbered("turn_belief", "pred_belief", LIST_GOLD, LIST_OTHER),
            },
            "gold and prediction pairs (turns, turn_belief, pred_belief)",
        ),
    ],
)
def test_formats_are_recognised_by_shape_and_read_alike(content, name):
    assert read_states({"SNG1.json": content}) == (name, EXPECTED)


def test_pairs_are_recognised_by_a_key_for_each_turn():
    content = {"SNG1.json_0": [LIST_OTHER, LIST_GOLD], "SNG1.json_1": [LIST_GOLD, LIST_GOLD]}
    assert read_states(content) == ("gold and prediction pairs (gold, predicted)", EXPECTED)


def test_a_table_of_states_is_compared_with_the_benchmark():
    second = {"hotel": {"area": "centre", "bookday": "monday", "bookpeople": "3"}}
    rows = [
        {"id": "sng0001-2", "total_state": second},
        {"id": "sng0001-1", "total_state": '{"hotel": {"area": "centre"}}'},
    ]
    file = parse(rows)
    assert file.format == "list of turns (id)"
    # The first turn is right, the second has one person too many.
    assert score_tracking(file.dialogues).metrics["JGA"] == 50


def test_states_beside_gold_of_the_file_are_compared_as_they_are():
    content = {
        "d": {"0": {"gt": {"hotel": {"parking": "yes"}}, "pr": {"hotel": {"parking": "free"}}}}
    }
    assert score_tracking(parse(content).dialogues).metrics["JGA"] == 0


SUBMITTED = [
    {"response": "hi", "state": {"hotel": {"area": "centre"}}},
    {"response": "ok", "state": {"hotel": {"area": "centre", "day": "monday", "people": "2"}}},
]
BARE = {
    "0": {"hotel": {"area": "centre"}},
    "1": {"hotel": {"area": "centre", "book day": "monday", "book people": "2"}},
}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ({"sng0001": SUBMITTED}, "standard form"),
        ({"SNG0001.json": SUBMITTED}, "standard form"),
        ({"SNG0001.json": BARE}, "predicted states"),
    ],
)
def test_predictions_and_benchmark_spell_slots_alike(content, name):
    file = parse(content)
    assert (file.format, file.benchmark.name) == (name, "toy")
    assert file.dialogues[0].id == "sng0001"
    report = score_tracking(file.dialogues)
    assert (report.turns, report.metrics["JGA"]) == (2, 100)
    assert set(report.per_slot) == {"hotel-area", "hotel-day", "hotel-people"}


# One person too many, and as gold has it.
WRONG = {"area": "centre", "book day": "monday", "book people": "3"}
FULL = {**WRONG, "book people": "2"}
PAIRS_OF_SLOTS = [[f"hotel-{slot}", value] for slot, value in FULL.items()]
FLAT = dict(PAIRS_OF_SLOTS)
TEXT = ", ".join(f"{slot}={value}" for slot, value in FLAT.items())
TRADE = [{"slots": [pair], "act": "inform"} for pair in PAIRS_OF_SLOTS]


def metadata(area, **book):
    semi = {"area": area, "stars": "not mentioned"}
    return {"hotel": {"semi": semi, "book": {"booked": [], **book}}}


EMPTY, WHOLE = metadata("not mentioned"), metadata("centre", day="monday", people="2")


@pytest.mark.parametrize(
    "content",
    [
        {"SNG0001.json": [EMPTY, WHOLE]},
        {"SNG0001.json": [{"metadata": EMPTY}, {"metadata": WHOLE}]},
        {"SNG0001.json": [[], PAIRS_OF_SLOTS]},
        {"SNG0001.json": [{"belief_state": {}}, {"belief_state": FLAT}]},
        [{"dialogue_idx": "SNG0001.json", "dialogue": [{"belief_state": s} for s in ([], TRADE)]}],
        [{"dialogue_id": "sng0001", "turn_id": n, "belief": s} for n, s in enumerate(("", TEXT))],
    ],
)
def test_states_may_stand_alone_and_begin_empty(content):
    # The first gold state has an area, and all that the second one has is predicted.
    report = score_tracking(parse(content).dialogues)
    assert (report.metrics["JGA"], report.counts["missed"]) == (50, 1)


@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("sign", ["-", "_", "."])
def test_a_table_may_have_a_column_per_slot(separator, sign):
    rows = [
        ["dialogue_id", "turn", "note", *(f"hotel{sign}{slot}" for slot in (*WRONG, "stars"))],
        ["SNG0001.json", "1", "", *WRONG.values(), ""],
        ["SNG0001.json", "0", "x", "centre", "", "", ""],
    ]
    content = "\n".join(map(separator.join, rows)).encode()
    file = parse(parse_predictions(content, "states.csv"))
    assert score_tracking(file.dialogues).metrics["JGA"] == 50
    # An empty cell is no value, and no slot that was predicted.
    assert score_tracking(file.dialogues).counts["overshot"] == 0


@pytest.mark.parametrize("column", ["hotel-star", "hotl-stars"])
def test_a_column_that_is_nearly_a_slot_is_named(column):
    table = parse_predictions(f"id,turn,hotel-area,{column}\nsng0001,0,centre,4\n".encode(), "t")
    assert f"{column}: no slot of MultiWOZ (did you mean hotel-stars?)" in problem(table)


def test_keys_that_only_look_like_slots_are_no_state():
    content = {"sng0001": [{"response": "hi", "train_loss": 0.5, "step": 1}]}
    assert "`state` is missing" in problem(content)


def test_of_assignments_a_mark_within_a_value_separates_nothing():
    state = "hotel-name=salt, pepper and co; hotel-area: north\ntrain-leave at=10:15"
    read = read_state(state, lambda *problem: pytest.fail(str(problem)), lambda *remark: None)
    assert read == {
        "hotel": {"name": "salt, pepper and co", "area": "north"},
        "train": {"leave at": "10:15"},
    }


def test_a_slot_that_gold_never_has_is_a_false_prediction():
    [dialogue] = track_states(
        {"sng0001": [{"hotel": {"area": "centre", "stay": "3"}}]}, toy_benchmark()
    )
    assert score_tracking([dialogue]).counts["overshot"] == 1


def test_a_submission_may_lack_the_last_turns():
    report = score_tracking(parse({"sng0001": SUBMITTED[:1]}).dialogues)
    assert (report.turns, report.metrics["JGA"]) == (1, 100)


def pair(gold, predicted):
    return {"SNG1.json": {"0": {"gt": GOLD, "pr": GOLD}, "1": {"gt": gold, "pr": predicted}}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"sng0001": {"first": {"gt": {}, "pr": {}}}},
            "dialogue sng0001: expected a list of turns, found an object",
        ),
        (pair(GOLD, None), "dialogue SNG1.json, turn 1: `state` is missing; expected a state"),
        (pair(None, GOLD), "dialogue SNG1.json, turn 1: `gold_state` is missing"),
        (pair(GOLD, "x"), "dialogue SNG1.json, turn 1: `state`: expected a state"),
        (
            pair({"hotel": {"stars": {}}}, GOLD),
            "turn 1: `gold_state`, hotel, stars: expected a string, found an object",
        ),
        (
            pair(GOLD, {"hotel": "centre"}),
            "turn 1: `state`, hotel: expected an object of slot -> value, found a string",
        ),
        (
            {"SNG1.json": {"0": {"gt": GOLD, "pr": GOLD}, "1": ["hotel-area-centre"]}},
            "dialogue SNG1.json, turn 1: expected an object with",
        ),
        ({"sng0002": SUBMITTED}, "(the first is sng0002) is in the benchmark toy"),
        ({"sng0002": BARE}, "(the first is sng0002) is in the benchmark toy"),
        (
            {"SNG0001.json": {"1": GOLD, "2": GOLD, "4": GOLD}},
            "dialogue SNG0001.json: turn 3 is missing; turns are numbered from 1",
        ),
        (
            {"sng0001": [SUBMITTED[0], {"response": "ok"}]},
            "dialogue sng0001, turn 1: `state` is missing",
        ),
    ],
)
def test_bad_input_is_told_once_with_its_place(content, message):
    assert message in problem(content)


@pytest.mark.parametrize(
    ("first", "second"),
    [("book_day", "book people"), ("bookday", "BookPeople"), ("Day", "people"), ("book-day",) * 2],
)
def test_slots_may_be_spelled_in_any_way_that_is_theirs(first, second):
    second = second.replace("day", "people")
    state = {"hotel": {"area": "centre", first: "monday", second: "2"}}
    for content in (state, {f"hotel-{slot}": value for slot, value in state["hotel"].items()}):
        turns = [{"state": {"hotel-area": "centre"}}, {"state": content}]
        assert score_tracking(parse({"sng0001": turns}).dialogues).metrics["JGA"] == 100


def test_a_slot_of_no_name_is_refused_as_in_submissions():
    content = {"sng0001": [{"state": {"hotel": {"colour": "red"}}}]}
    assert "`state`, hotel: unknown slot 'colour'" in problem(content)


def test_predicted_slots_follow_the_files_gold():
    gold = {"hotel": {"area": "centre", "bookday": "monday"}}
    predicted = {"hotel": {"area": "centre", "day": "monday"}}
    file = parse({"SNG1.json": [{"state": gold, "pred_state": predicted}]})
    assert score_tracking(file.dialogues).metrics["JGA"] == 100
    assert [str(remark) for remark in file.remarks] == [
        "read `state` as gold states, which are no predictions",
        "predicted slots are read as gold spells them: hotel-day as hotel-bookday",
    ]


def test_keys_are_listed_where_none_is_the_states():
    content = {"sng0001": [{"tracked": GOLD, "note": "x"}, {"tracked": GOLD, "note": "x"}]}
    message = problem(content)
    assert (
        "`state` is missing; expected a state; turns have: tracked, note; name the key by"
        in message
    )
    assert "`mwz convert --key state=KEY`" in message


def test_gold_states_alone_are_told():
    message = problem({"SNG1.json": [{"target_belief": GOLD}]})
    assert (
        "`state` is missing; expected a state; `gold_state` is gold, and no prediction" in message
    )
