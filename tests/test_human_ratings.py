"""Human ratings: reading them, correlations with metrics, agreement of raters."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, write_json
from plain_english import TOLD

from mwz.harness import Benchmark
from mwz.harness.data.installed import install_benchmark
from mwz.harness.data.multiwoz22 import with_requests
from mwz.harness.errors import InputError
from mwz.harness.lab.agreement import SAME_SIGN, agreement, agreement_table
from mwz.harness.lab.ratings import (
    read_preferences,
    read_ratings,
    read_satisfaction,
    read_votes,
)
from mwz.harness.scoring import Options, Scorer
from mwz.harness.submission import dialogue_id


def _csv(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in ("id,rater,rating", *lines)))
    return path


@pytest.fixture(autouse=True)
def _few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let intervals be of few samples: no test here is about where they end."""
    monkeypatch.setattr("mwz.harness.comparison.evidence.INTERVAL_SAMPLES", 50)


RATINGS = {"a": {"p": 0.0}, "b": {"p": 0.0}, "c": {"p": 1.0}, "d": {"p": 1.0}}
SCORES = {
    "JGA": dict(zip("abcd", (0.0, 1.0, 1.0, 2.0), strict=True)),
    "FGA λ=0.5": dict(zip("abcd", (1.0, 0.0, 1.0, 0.0), strict=True)),
    "FGA λ=1": dict(zip("abcd", (0.0, 0.0, 3.0, 3.0), strict=True)),
    "GCA": dict.fromkeys("abcd", 5.0),
}
CANDIDATES = ["FGA λ=0.5", "FGA λ=1"]


def test_metrics_are_correlated_with_ratings_by_dialogue() -> None:
    found = agreement(RATINGS, SCORES, CANDIDATES, (), "r.csv")
    jga = found["correlations"]["JGA"]
    # Deviations (-1, -1, 1, 1) / 2 and (-1, 0, 0, 1): 1 / √(1 * 2).
    assert jga["Pearson"]["value"] == pytest.approx(1 / 2**0.5)
    # Ranks (1.5, 1.5, 3.5, 3.5) and (1, 2.5, 2.5, 4): 3 / √(4 * 4.5).
    assert jga["Spearman"]["value"] == pytest.approx(3 / 18**0.5)
    # Of 6 pairs 3 agree and none disagrees; 2 and 1 are tied: 3 / √(4 * 5).
    assert jga["Kendall"]["value"] == pytest.approx(3 / 20**0.5)
    assert -1 <= jga["Pearson"]["low"] <= jga["Pearson"]["value"] <= jga["Pearson"]["high"] <= 1
    assert found["correlations"]["GCA"]["Pearson"] is None


def test_the_candidate_that_agrees_best_is_found_and_the_others_are_left_out() -> None:
    found = agreement(RATINGS, SCORES, CANDIDATES, (), "r.csv")
    # Scores that do not go with the ratings at all, and the ratings themselves times three.
    assert found["rates"] == pytest.approx({"FGA λ=0.5": 0, "FGA λ=1": 1})
    assert found["best"] == "FGA λ=1"
    assert list(found["correlations"]) == ["JGA", "FGA λ=1", "GCA"]
    assert agreement_table(found).notes[1:] == [
        "of all λ, FGA λ=1 agrees best; it is chosen on these ratings"
    ]
    shown = agreement(RATINGS, SCORES, CANDIDATES, {"FGA λ=0.5"}, "r.csv")
    assert list(shown["correlations"]) == list(SCORES)


def test_a_dialogue_has_the_mean_of_its_ratings() -> None:
    # Means 0, 1/2, 1 go perfectly with 0, 1, 2.
    ratings = {"a": {"p": 0.0, "q": 0.0}, "b": {"p": 1.0, "q": 0.0}, "d": {"q": 1.0}}
    found = agreement(ratings, {"JGA": SCORES["JGA"]}, (), (), "r.csv")
    assert found["correlations"]["JGA"]["Pearson"]["value"] == pytest.approx(1)
    assert (found["dialogues"], found["raters"], found["best"]) == (3, 2, None)


@pytest.mark.skipif(importlib.util.find_spec("krippendorff") is None, reason="not installed")
def test_agreement_of_raters_is_krippendorffs_alpha() -> None:
    # Three dialogues by two raters, of which they disagree on one: observed 2 of 6 values; three
    # of each value give 2 * 3 * 3 of 6 * 5 by chance: 1 - (1/3) / (3/5) = 4/9.
    pairs = {"a": (1.0, 1.0), "b": (0.0, 0.0), "c": (1.0, 0.0)}
    ratings = {id_: {"p": first, "q": second} for id_, (first, second) in pairs.items()}
    scores = {"JGA": SCORES["JGA"]}
    assert agreement(ratings, scores, (), (), "r.csv")["alpha"] == pytest.approx(4 / 9)
    assert agreement(RATINGS, scores, (), (), "r.csv")["alpha"] is None


def test_ratings_are_read_by_dialogue_and_rater(tmp_path: Path) -> None:
    path = _csv(tmp_path / "r.csv", "SNG1.json,ann,1", "sng1, bob ,0.5", "sng2,ann,", "a,p")
    assert read_ratings(path) == {"sng1": {"ann": 1.0, "bob": 0.5}}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a,p,good"], "line 2: expected a number as rating, found 'good'"),
        (["a,p,nan"], "line 2: expected a number"),
        (["a,p,1", "a,p,1"], "line 3: the rater has rated the dialogue before"),
        (["a,,1"], "line 2: expected the id of a dialogue and the name of a rater"),
    ],
)
def test_unusable_ratings_are_named(tmp_path: Path, lines: list[str], message: str) -> None:
    path = _csv(tmp_path / "r.csv", *lines)
    with pytest.raises(InputError, match=message):
        read_ratings(path)
    path.write_text("dialogue,rating\na,1\n")
    with pytest.raises(InputError, match="columns id, rater, rating"):
        read_ratings(path)


def test_ratings_of_other_or_too_few_dialogues_are_refused() -> None:
    with pytest.raises(InputError, match="z: is rated, but not scored"):
        agreement({**RATINGS, "z": {"p": 1.0}}, SCORES, (), (), "r.csv")
    with pytest.raises(InputError, match="at least 3"):
        agreement({"a": {"p": 1.0}, "b": {"p": 0.0}}, SCORES, (), (), "r.csv")


def test_ratings_are_matched_by_responses_too(tmp_path: Path, cli: Cli, sample: Benchmark) -> None:
    # Every dialogue is tracked right, but one.
    content = {}
    for id_, texts in TOLD.items():
        states = [{} if id_ == "town002" else state for state in sample.dialogues[id_].states]
        turns = zip(texts, states, strict=True)
        content[id_] = [{"response": response, "state": state} for response, state in turns]
    file = write_json(tmp_path / "told.json", content)
    ratings = _csv(tmp_path / "r.csv", "town001,p,1", "town002,p,0", "town004,p,1")
    options = ["--benchmark", "sample", "--format", "json", "ratings", ratings, file]
    done = cli.done("lab", *options, "--lexicalised")
    found = json.loads(done.out)["ratings"]
    # Two dialogues are tracked right throughout, one is not.
    assert found["correlations"]["FGA λ=0.5"]["Pearson"]["value"] == pytest.approx(1)
    figures = {"JGA", "GCA", "Inform", "Success", "Grounded Success"}
    assert figures <= set(found["correlations"])
    assert len(found["rates"]) == 41


def test_ratings_of_free_running_dialogues_by_criterion(tmp_path: Path, cli: Cli) -> None:
    # Town001 gets no number and no address; in the others all is said as people said it.
    content = {id_: [{"response": text} for text in texts] for id_, texts in TOLD.items()}
    content["town001"] = [{"response": "Nonna's Attic."}]
    file = write_json(tmp_path / "played.json", content)
    whole = {id_: {"clear": [float(id_ != "town001")]} for id_ in content}
    ratings = write_json(tmp_path / "r.json", {"whole": whole})
    command = ("lab", "--benchmark", "sample", "--format", "json", "ratings")
    found = json.loads(cli.done(*command, ratings, file).out)["criteria"]["clear"]
    assert (found["dialogues"], found["raters"]) == (len(content), 1)
    lost = {name: scores["Pearson"] for name, scores in found["correlations"].items()}
    assert lost["turns"] is not None
    assert found["lost"]["Grounded Success, lost"] >= 1
    other = write_json(tmp_path / "o.json", {"half": whole})
    assert "expected `whole`" in cli.refused(*command, other, file)
    assert "need FILE, the dialogues" in cli.refused(*command, ratings)


@pytest.mark.real_data
def test_what_raters_of_td_eval_say(multiwoz: Benchmark, upstream: Path, cli: Cli) -> None:
    """The ratings published with TD-Eval, as docs/findings.md tells of them."""
    goals = upstream / "ConvLab-2/data/multiwoz/test.json.zip"
    # What users ask for first is booked as well.
    install_benchmark(with_requests(multiwoz, goals))
    ratings = Path(__file__).parent / "td_eval_ratings.json"
    played = upstream / "TD-Eval/datasets/autotod_dials_bt.json"
    command = ("lab", "--format", "json", "ratings", ratings, played)
    found = json.loads(cli.done(*command).out)["criteria"]
    rows = {}
    for criterion, agreed in found.items():
        assert agreed["dialogues"] == 53
        assert list(agreed["lost"].values()) == [2, 3]
        values = [scores["Pearson"]["value"] for scores in agreed["correlations"].values()]
        rows[criterion] = [round(value, 2) for value in values]
    assert rows == {
        "Conversation Consistency": [0.15, 0.07, -0.21, 0.02],
        "Backend Knowledge Consistency": [0.29, 0.19, -0.15, -0.02],
        "Policy Compliance": [0.14, 0.06, -0.18, -0.04],
    }


def _satisfaction(path: Path, *blocks: list[tuple[str, str, str]]) -> Path:
    """Write blocks of lines: speaker, text and ratings."""
    texts = []
    for block in blocks:
        texts.append("".join(f"{who}\t{said}\tacts\t{rated}\n" for who, said, rated in block))
    path.write_text("\n".join(["", *texts]))
    return path


def test_satisfaction_is_of_the_dialogues_that_users_share(
    tmp_path: Path, sample: Benchmark
) -> None:
    dialogue = sample.dialogues["town001"]
    users, responses = dialogue.users, dialogue.responses
    rated = [
        ("USER", users[0].upper(), "3,3"),
        ("SYSTEM", f"{responses[0]} !", ""),
        # What raters say here, they say of turn 0.
        ("USER", "Do they have a parrot?", "2,4"),
        # A question that was added: its answer is no turn of ours.
        ("SYSTEM", "They do not.", ""),
    ]
    for turn, user in enumerate(users[1:], start=1):
        rated += [("USER", user, "1,1"), ("SYSTEM", responses[turn], "")]
    rated.append(("USER", "OVERALL", "5,4,3"))
    other = [("USER", "Good day!", "3"), ("SYSTEM", "Hello.", ""), ("USER", "OVERALL", "1")]
    path = _satisfaction(tmp_path / "s.txt", rated, other)
    dialogues, turns = read_satisfaction(path, sample)
    with pytest.raises(InputError, match="rates no dialogue of sample"):
        read_satisfaction(_satisfaction(tmp_path / "o.txt", other), sample)
    assert dialogues == {"town001": {"0": 5.0, "1": 4.0, "2": 3.0}}
    assert turns["town001", 0] == {"0": 2.0, "1": 4.0}
    # The last turn is followed by the rating of the dialogue.
    assert len(turns) == len(users) - 1


@pytest.mark.parametrize("line", ["USER\tHi\tacts\tgood", "USER\tHi\tacts", "USER"])
def test_unusable_satisfaction_is_named(tmp_path: Path, sample: Benchmark, line: str) -> None:
    path = tmp_path / "s.txt"
    path.write_text(f"USER\tHello\tacts\t3\n{line}\n")
    with pytest.raises(InputError, match="line 2: expected USER or SYSTEM"):
        read_satisfaction(path, sample)


def test_satisfaction_is_held_against_human_responses(
    tmp_path: Path, cli: Cli, sample: Benchmark
) -> None:
    blocks = []
    for number, id_ in enumerate(("town001", "town002", "town004")):
        dialogue = sample.dialogues[id_]
        block = []
        for user, response in zip(dialogue.users, dialogue.responses, strict=True):
            block += [("USER", user, "3"), ("SYSTEM", response, "")]
        blocks.append([*block, ("USER", "OVERALL", str(number))])
    path = _satisfaction(tmp_path / "s.txt", *blocks)
    command = ("lab", "--benchmark", "sample", "--format", "json", "ratings", path)
    found = json.loads(cli.done(*command).out)["satisfaction"]
    assert found["dialogue by dialogue"]["dialogues"] == 3
    # All ratings of turns are 3.
    assert found["turn by turn"]["correlations"]["words"]["Pearson"] is None
    assert "need no FILE" in cli.refused(*command, path)


@pytest.mark.real_data
def test_what_satisfies_raters_of_human_dialogues(
    multiwoz: Benchmark, upstream: Path, cli: Cli
) -> None:
    """The satisfaction published as USS, as docs/findings.md tells of it."""
    install_benchmark(multiwoz)
    path = upstream / "user-satisfaction-simulation/dataset/MWOZ.txt"
    found = json.loads(cli.done("lab", "--format", "json", "ratings", path).out)["satisfaction"]
    by_dialogue, by_turn = found["dialogue by dialogue"], found["turn by turn"]
    assert (by_dialogue["dialogues"], by_turn["units"]) == (94, 769)
    assert list(by_dialogue["lost"].values()) == [3, 6]
    rows = [figures["Pearson"]["value"] for figures in by_dialogue["correlations"].values()]
    assert [round(value, 2) for value in rows] == [-0.03, 0.04, -0.03, -0.19]
    rows = [figures["Pearson"]["value"] for figures in by_turn["correlations"].values()]
    assert [round(value, 2) for value in rows] == [-0.09]


# -------------------------------------------------------------------------- preferences


def test_preferences_agree_where_signs_do_and_turns_of_a_dialogue_go_together() -> None:
    once = {("a", 0): {"p": 1.0}, ("a", 1): {"p": -1.0}, ("b", 0): {"p": 1.0, "q": -1.0}}
    once |= {("c", 0): {"p": 1.0}}
    gains = dict(zip(once, (2.0, 3.0, 5.0, 0.5), strict=True))
    # Three units that are decided are too few.
    found = agreement(once, {"m": gains}, (), (), "r.json", (SAME_SIGN,))
    assert found["correlations"]["m"][SAME_SIGN] is None
    # Each turn five times: 15 are decided.
    turns = [(id_, turn, turn + 2 * copy) for id_, turn in once for copy in range(5)]
    ratings = {(id_, number): once[id_, turn] for id_, turn, number in turns}
    differences = {(id_, number): gains[id_, turn] for id_, turn, number in turns}
    found = agreement(ratings, {"m": differences}, (), (), "r.json", (SAME_SIGN,))
    assert (found["units"], found["dialogues"]) == (20, 3)
    # Of (1, -1, 0, 1) and four gains the signs are equal twice; the raters of b disagree.
    share = found["correlations"]["m"][SAME_SIGN]
    assert share["value"] == pytest.approx(2 / 3)
    # Turn 1 of a is never drawn without turn 0.
    assert (share["low"], share["high"]) == (0.5, 1)


def _preferred(*turns: tuple[str, str, str]) -> list[dict[str, Any]]:
    """Return turns of a file of preferences: what A and B say, and whom each rater prefers."""
    return [
        {"turn_num": number, "A": first, "B": second, "A vs. B": {"Completion": raters.split()}}
        for number, (first, second, raters) in enumerate(turns)
    ]


def _preferences(path: Path, **dialogues: Any) -> Path:
    return write_json(path, [{"file": id_, "info": info} for id_, info in dialogues.items()])


def test_preferences_are_held_against_differences_of_scores(tmp_path: Path, cli: Cli) -> None:
    # Placeholders of A less B: -2 and 0, 1, 0, -1; of the references 4 and 2, 4, 0, 2.
    path = _preferences(
        tmp_path / "p.json",
        TOWN001=_preferred(
            ("there are restaurants.", "[restaurant_name] in the [restaurant_area].", "B b"),
            ("ok", "ok", "Tie Tie"),
        ),
        TOWN002=_preferred(("how about the [hotel_name]?", "no.", "A Tie")),
        TOWN003=_preferred(("where?", "where?", "A B")),
        TOWN004=_preferred(("free.", "it is the [attraction_name].", "A A")),
    )
    done = cli.done("lab", "--benchmark", "sample", "--format", "json", "ratings", path)
    found = json.loads(done.out)["preferences"]
    by_turn = found["Completion, A vs. B, turn by turn"]
    by_dialogue = found["Completion, A vs. B, dialogue by dialogue"]
    assert by_turn["preferred"] == {"A": 2, "B": 1, "neither": 2}
    assert by_dialogue["preferred"] == {"A": 2, "B": 1, "neither": 1}
    for agreed in (by_turn, by_dialogue):
        # F1 of 0 to 2/3, 2/5 to 0, 0 to 2/3; words 4 to 5, 5 to 2, 2 to 5.
        for metric in ("F1 of placeholders", "placeholders", "words"):
            # Too few for a share.
            assert agreed["correlations"][metric][SAME_SIGN] is None
            assert agreed["decided"][metric] == 3
    # Ratings (-1, 0, 1/2, 0, 1): (1.5 + 5 * .1 * .4) / √((2.25 - 5 * .1²) (6 - 5 * .4²)).
    pearson = by_turn["correlations"]["placeholders"]["Pearson"]["value"]
    assert pearson == pytest.approx(1.7 / (2.2 * 5.2) ** 0.5)
    # By dialogue (-1, 1/2, 0, 1) and (-2, 1, 0, -1): (1.5 + 4 / 16) / √(35/16 * 5).
    pearson = by_dialogue["correlations"]["placeholders"]["Pearson"]["value"]
    assert pearson == pytest.approx(1.75 / (35 / 16 * 5) ** 0.5)
    assert {"Inform", "Success", "Combined"} <= by_dialogue["correlations"].keys()


def test_votes_prefer_one_of_two_systems(tmp_path: Path, cli: Cli) -> None:
    votes = [{"batch": "v1", "clear": ["A"]}, {"clear": ["A", "B"]}, {"clear": ["None"]}]
    path = write_json(
        tmp_path / "v.json", {"turns": [_voted(0, votes), _voted(1, [{"clear": ["B"]}])]}
    )
    systems, preferences = read_votes(path)
    assert systems == ["A", "B"]
    by_voter = {("a", 0): {"0": 1.0, "1": 0.0, "2": 0.0}, ("a", 1): {"0": -1.0}}
    assert preferences == {("A", "B", "clear"): by_voter}
    refused = cli.refused("lab", "--benchmark", "sample", "ratings", path, "A=a.json", "C=c.json")
    assert "expected SYSTEM=FILE for each of A, B" in refused


@pytest.mark.real_data
def test_whom_voters_of_mognet_prefer(multiwoz: Benchmark, upstream: Path, cli: Cli) -> None:
    """The votes published with MoGNet, as docs/findings.md tells of them."""
    install_benchmark(multiwoz)
    outputs = upstream / "multiwoz-mdrg/post/case_study"
    files = {
        "S2S": outputs / "bsl-34970/test_dials_gen_19.json",
        "LARL": outputs / "rl-2019-10-23-10-33-07/test_file.json",
        "MOG": outputs / "mog-36281/test_dials_gen_18.json",
    }
    votes = Path(__file__).parent / "mognet_votes.json"
    given = [f"{name}={file}" for name, file in files.items()]
    command = ("lab", "--format", "json", "ratings", votes)
    found = json.loads(cli.done(*command, *given).out)["preferences"]
    # Voters see one turn of each dialogue.
    assert len(found) == 12
    fluency = found["fluency, LARL vs. MOG, turn by turn"]
    assert (fluency["units"], fluency["dialogues"]) == (100, 100)
    assert fluency["preferred"] == {"LARL": 67, "MOG": 14, "neither": 19}
    assert round(fluency["correlations"]["words"][SAME_SIGN]["value"], 2) == 0.17


def test_votes_on_what_systems_do_not_say_are_named(tmp_path: Path, cli: Cli) -> None:
    turn = {**_voted(9, [{"clear": ["A", "B"]}]), "dialogue": "town001"}
    path = write_json(tmp_path / "v.json", {"turns": [turn]})
    known = write_json(tmp_path / "a.json", {"town001": [{"response": "Hi."}]})
    other = write_json(tmp_path / "b.json", {"town002": [{"response": "Hi."}]})
    command = ("lab", "--benchmark", "sample", "ratings", path, f"A={known}")
    assert "town001, turn 9: is rated, but not scored" in cli.refused(*command, f"B={known}")
    assert "none of the dialogues that people voted on" in cli.refused(*command, f"B={other}")


def _voted(turn: int, votes: list[dict[str, Any]]) -> dict[str, Any]:
    return {"dialogue": "A.json", "turn": turn, "votes": votes}


_TURN = {"turn_num": 0, "A": "x", "B": "y", "A vs. B": {"C": ["A"]}}


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        ({**_TURN, "A vs. B": {"C": ["Z"]}}, "dialogue a, turn 0: C: expected A, B or Tie"),
        ({**_TURN, "A vs. B": {"C": []}}, "dialogue a, turn 0: C: expected A, B or Tie"),
        ({**_TURN, "A vs. B": {"C": "A"}}, "dialogue a, turn 0: A vs. B.C: input should be"),
        ({"turn_num": 0}, "expected preferences in its turns, under 'A vs. B'"),
    ],
)
def test_bad_preferences_are_named(tmp_path: Path, turn: Mapping[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_preferences(_preferences(tmp_path / "p.json", a=[turn]))


def test_a_table_of_ratings_needs_the_outputs(tmp_path: Path, cli: Cli) -> None:
    assert "r.csv: RATINGS" in cli.refused("lab", "ratings", _csv(tmp_path / "r.csv"))


@pytest.mark.parametrize("content", ["", "\0\1"])
def test_ratings_of_no_layout_are_named(tmp_path: Path, cli: Cli, content: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(content, encoding="utf-8")
    assert f"{path}: expected a CSV file with" in cli.refused("lab", "ratings", path)


@pytest.mark.real_data
def test_what_annotators_of_marco_prefer(
    multiwoz: Benchmark, upstream: Path, predictions: Callable[[str], Any], cli: Cli
) -> None:
    """The preferences published with MarCo, as docs/findings.md tells of them."""
    path = upstream / "MarCo-Dialog/human_evaluation/human_annotation.json"
    responses, _ = read_preferences(path)
    scorer = Scorer(multiwoz, Options(metrics=["inform", "bleu"]))
    systems = {"HDSA": (738, 85.0, 82.0, 19.3), "MarCo": (671, 95.0, 90.0, 16.2)}
    for name, (equal, inform, success, bleu) in systems.items():
        report = scorer.score(
            {id_: [{"response": text} for text in texts] for id_, texts in responses[name].items()}
        )
        assert (report.inform, report.success) == pytest.approx((inform, success))
        assert round(report.bleu["mwz22"], 1) == bleu
        published = {dialogue_id(id_): t for id_, t in predictions(name.lower()).items()}
        assert equal == sum(
            text == published[id_][number]["response"]
            for id_, texts in responses[name].items()
            for number, text in enumerate(texts)
        )
    install_benchmark(multiwoz)
    found = json.loads(cli.done("lab", "--format", "json", "ratings", path).out)["preferences"]
    completion = found["Completion, MarCo vs. HDSA, turn by turn"]
    readability = found["Readability, MarCo vs. HDSA, turn by turn"]
    assert completion["preferred"] == {"MarCo": 260, "HDSA": 119, "neither": 363}
    assert readability["preferred"] == {"MarCo": 37, "HDSA": 101, "neither": 604}
    assert (completion["units"], completion["dialogues"], completion["raters"]) == (742, 100, 3)
    shares = {}
    for metric, figures in completion["correlations"].items():
        values = (figures[SAME_SIGN]["value"], figures["Pearson"]["value"])
        shares[metric] = tuple(round(value, 2) for value in values)
    rates = {"placeholders": (0.73, 0.18), "words": (0.6, 0.16)}
    assert shares == {"BLEU": (0.5, -0.02), "F1 of placeholders": (0.43, 0.01), **rates}
