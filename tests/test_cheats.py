"""What wins without a dialogue system raises a flag, and gets no rank before it is reviewed."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from entered import REPOSITORY, enter, enter_tracker, system, tracker_scores
from helpers import Cli, sample_predictions, write_json

from mwz.database import VenueDatabase
from mwz.harness import Benchmark
from mwz.harness.board import Entry, Reading, Row, read_entries, read_responses
from mwz.harness.board.copied import fingerprints_of, hard_states
from mwz.harness.board.entries import ENTRY_FILE, in_order, read_order
from mwz.harness.board.model import make_board
from mwz.harness.board.rows import raised_flags, unreviewed_flags
from mwz.harness.board.tracked import TrackedScores
from mwz.harness.errors import InputError
from mwz.harness.metrics import measured_knowledge
from mwz.harness.scoring import Options, Scorer, report_on
from mwz.harness.scoring.scorer import database_of
from mwz.harness.submission import declared_flags
from mwz.harness.submission.profile.profile import Profile

Predictions = Mapping[str, Any]
Turn = dict[str, Any]
Change = Callable[[str, int, Turn], Turn]
"""Dialogue id, turn from 0, turn -> turn."""

_NAME = re.compile(r"\[(value_)?(name|trainid|id)\]")
_PLACE = re.compile(r"\[(value_)?(\w+)\]")
_PLACEHOLDER = re.compile(r"\b(NAME|TRAINID|PHONE|ADDRESS|POST|REFERENCE)\b")

ALL = "[name] [trainid] [phone] [address] [postcode] [reference]"


def _every(predictions: Predictions, change: Change) -> dict[str, list[Turn]]:
    """Return predictions with every turn changed."""
    changed = {}
    for id_, turns in predictions.items():
        changed[id_] = [change(id_, number, {**turn}) for number, turn in enumerate(turns)]
    return changed


# ------------------------------------------------------------------------------- on the sample


def test_a_cheat_gets_no_rank_until_a_review_gives_it_one(tmp_path: Path, cli: Cli) -> None:
    careful, folder = sample_predictions("careful"), tmp_path / "submissions"
    cheat = _every(careful, lambda id_, n, turn: {**turn, "response": f"so {n}: {ALL}"})
    file = write_json(tmp_path / "cheat.json", cheat)
    chosen = ("--name", "Cheat", "--track", "end-to-end", "--submissions", folder)
    run = cli.done("submit", file, *chosen, "--benchmark", "sample")
    assert "not ranked: flags not reviewed yet: many placeholders about venues" in run.out
    [row] = make_board(read_entries(folder), "2021").rows
    raised = raised_flags(row)
    assert (row.rank, len(unreviewed_flags(row))) == (None, len(raised))
    assert "placeholders" in raised
    path = folder / "cheat" / ENTRY_FILE
    review = {"date": "2026-02-01", "reviewer": "the maintainers", "reason": "made for a test"}
    for reviewed in (raised[1:], raised):
        facts = system(name="Cheat", review=[{**review, "flag": flag} for flag in reviewed])
        path.write_text(tomli_w.dumps(facts), encoding="utf-8")
        [row] = make_board(read_entries(folder), "2021").rows
        # One flag that is not reviewed is enough to have no rank.
        assert row.rank == (1 if reviewed == raised else None)
    message = "reviewed by the maintainers on 2026-02-01: made for a test"
    assert any(message in mark.note for mark in row.marks)


# ------------------------------------------------------------------------------- on real data


@pytest.fixture(autouse=True)
def _no_remarks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what is remarked of a file, which takes half of the time: flags do not need it."""
    monkeypatch.setattr("mwz.harness.submission.checking.profile_of", lambda *_, **__: Profile())


@pytest.fixture(scope="module")
def published() -> list[Entry]:
    return in_order(read_entries(REPOSITORY), read_order(REPOSITORY))


@pytest.fixture(scope="module")
def scorer(multiwoz: Benchmark) -> Scorer:
    return Scorer(multiwoz, Options(metrics=["bleu", "inform", "flags"], rules="2021"))


@dataclass(frozen=True)
class _Boards:
    """Enters a file among the published entries, and gives its row."""

    folder: Path
    scorer: Scorer
    published: list[Entry]

    def entry(
        self, predictions: Predictions, track: str = "end-to-end", *more: str, **facts: Any
    ) -> Entry:
        """Enter a file; `dst` among more metrics, which takes longest, makes it a tracker, too."""
        content = json.dumps(predictions).encode()
        plain = track == "lexicalised"
        metrics = ["grounded", "flags"] if plain else ["bleu", "inform", "flags", *more]
        own = self.scorer.with_options(metrics=metrics, lexicalised=plain)
        reading = Reading(scorer=own)
        read = read_responses(content, "new.json", reading, english=plain).responses
        report = report_on(own, read.main)
        stated = system(name="new", track=track, **facts)
        entry = enter(self.folder, "new", stated, {"2021": report}, content)
        states = read.main.states if read.main.predicts_states else None
        fingerprints = fingerprints_of(own.benchmark, read.main.responses, states)
        known = measured_knowledge(own.played(read.main), own.benchmark)
        return replace(entry, scores=replace(entry.scores, fingerprints=fingerprints, flags=known))

    def row(
        self, predictions: Predictions, track: str = "end-to-end", *more: str, **facts: Any
    ) -> Row:
        return self.row_of(self.entry(predictions, track, *more, **facts))

    def row_of(self, entry: Entry) -> Row:
        board = make_board([*self.published, entry], "2021")
        [row] = [row for row in (*board.rows, *board.of_track("lexicalised")) if row.key == "new"]
        return row


@pytest.fixture
def boards(tmp_path: Path, scorer: Scorer, published: list[Entry]) -> _Boards:
    """Boards of one track: what is copied is found in less time."""
    entries = [entry for entry in published if entry.system.track == "end-to-end"]
    return _Boards(tmp_path / "submissions", scorer, entries)


@pytest.fixture(scope="module")
def some(multiwoz: Benchmark) -> Benchmark:
    """Every fourth dialogue, and all that end with a gold state that does not fit the goal.

    They are enough to see what is wrong with a file by itself.
    """
    chosen = {}
    database = database_of(Scorer(multiwoz))
    for number, (id_, played) in enumerate(multiwoz.dialogues.items()):
        fitting = _query_fits(database, multiwoz, id_, {"state": played.states[-1]})
        if number % 4 == 0 or not played.goal.keys() <= fitting:
            chosen[id_] = played
    return replace(multiwoz, dialogues=chosen)


@pytest.fixture
def boards_of_some(tmp_path: Path, scorer: Scorer, some: Benchmark) -> _Boards:
    """Boards without published entries, which are scored on all dialogues."""
    return _Boards(tmp_path / "submissions", Scorer(some, scorer.options), [])


@pytest.fixture(scope="module")
def krls(upstream: Path) -> Predictions:
    path = upstream / "KRLS" / "outputs" / "krls-e2e.json"
    content: Predictions = json.loads(path.read_text(encoding="utf-8"))
    return content


def _raised(row: Row) -> set[str]:
    assert row.rank is None
    assert row.reasons[0].startswith("flags not reviewed yet: ")
    return {*raised_flags(row)}


def _at_the_end(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Say all placeholders in the last turn, and plain words for those of the others."""
    dialogue = benchmark.dialogues[id_]
    words = ["it" if "[" in word else word for word in turn["response"].split()]
    is_last = number == dialogue.turns - 1
    domains = [*dialogue.goal] if is_last else []
    return {**turn, "response": " ".join([*words, *[ALL] * is_last]), "active_domains": domains}


def _numbers(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Say three numbers wherever a venue is named."""
    more = " [phone] [address] [postcode]" if "name]" in turn["response"] else ""
    return {**turn, "response": turn["response"] + more}


def _reference(benchmark: Benchmark, id_: str, number: int, turn: Turn, edited: float) -> Turn:
    """Say what the reference says, with some of its words exchanged."""
    chosen = random.Random(f"{id_} {number}")
    said = []
    for word in benchmark.dialogues[id_].references["mwz22"][number].split():
        said.append("thing" if word.islower() and chosen.random() < edited else word)
    marked = _PLACEHOLDER.sub(lambda match: f"[{match[0].lower()}]", " ".join(said))
    return {**turn, "response": marked.replace("[post]", "[postcode]")}


def _gold_state(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Give the gold state, with a slot that no query asks for."""
    state = benchmark.dialogues[id_].states[number]
    return {**turn, "state": {domain: {**slots, "stay": "1"} for domain, slots in state.items()}}


def _some_references(
    benchmark: Benchmark, id_: str, number: int, turn: Turn, share: float, edited: float
) -> Turn:
    """Say what the reference says in some of the turns."""
    if random.Random(f"{number} {id_}").random() >= share:
        return turn
    return _reference(benchmark, id_, number, turn, edited)


def _query_fits(database: VenueDatabase, benchmark: Benchmark, id_: str, turn: Turn) -> set[str]:
    """Return the domains of a turn's state whose venues all fit the goal."""
    fitting = set()
    for domain, slots in turn["state"].items():
        goal = benchmark.dialogues[id_].goal.get(domain)
        if goal is not None:
            found = database.query(domain, slots)
            if found <= database.query(domain, goal.informable) and (found or domain == "taxi"):
                fitting.add(domain)
    return fitting


def _domains_that_fit(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Make those domains active whose offer fits the goal."""
    fitting = _query_fits(database_of(Scorer(benchmark)), benchmark, id_, turn)
    return {**turn, "active_domains": sorted(fitting)}


def _names_that_fit(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Name no venue where no offer fits the goal."""
    if _query_fits(database_of(Scorer(benchmark)), benchmark, id_, turn):
        return turn
    return {**turn, "response": _NAME.sub("it", turn["response"])}


def _goal_at_names(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Give the goal for the state where a venue is named."""
    goal, state = benchmark.dialogues[id_].goal, turn["state"]
    if not _NAME.search(turn["response"]):
        return turn
    known = {domain: goal[domain].informable for domain in state if domain in goal}
    return {**turn, "state": {**state, **known}}


def _requested(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Say what the goal requests wherever a venue is named, and no number elsewhere."""
    goal, state = benchmark.dialogues[id_].goal, turn["state"]
    response = turn["response"]
    if _NAME.search(response):
        for domain in goal.keys() & state.keys():
            for slot in sorted(goal[domain].requestable):
                response += f" [{slot.lower().replace('post', 'postcode')}]"
    return {**turn, "response": response}


def _sometimes_at_the_end(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Say all placeholders in the last turn, with the goal as state, in one dialogue of five."""
    dialogue = benchmark.dialogues[id_]
    if number < dialogue.turns - 1 or random.Random(id_).random() >= 0.2:
        return turn
    goal = {domain: dict(wanted.informable) for domain, wanted in dialogue.goal.items()}
    return {"response": f"{turn['response']} {ALL}", "state": goal}


def _reference_placeholders(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Say the placeholders of the reference, and the system's words."""
    reference = benchmark.dialogues[id_].references["mwz22"][number]
    wanted = [f"[{name.lower()}]" for name in _PLACEHOLDER.findall(reference)]
    words = [word for word in turn["response"].split() if "[" not in word]
    return {**turn, "response": " ".join([*words, *wanted]).replace("[post]", "[postcode]")}


CHEATS: Mapping[str, tuple[Callable[..., Turn], str]] = {
    "everything at the end": (_at_the_end, "placement"),
    "numbers after every name": (_numbers, "placeholders"),
    "references with words exchanged": (partial(_reference, edited=0.7), "reference_phrases"),
    "a tenth of the references": (
        partial(_some_references, share=0.1, edited=0.0),
        "reference_phrases",
    ),
    "a quarter of them, half of the words exchanged": (
        partial(_some_references, share=0.25, edited=0.5),
        "reference_phrases",
    ),
    "requested slots": (_requested, "requests"),
    "offers in a fifth of the last turns": (_sometimes_at_the_end, "last_offers"),
    "the references' placeholders": (_reference_placeholders, "placement"),
    "domains whose offer fits": (_domains_that_fit, "offers"),
    "names where the offer fits": (_names_that_fit, "offers"),
    "goals where a venue is named": (_goal_at_names, "offers"),
    "gold states with an inert slot": (_gold_state, "gold_states"),
}
"""Way to win -> how KRLS's turns are changed, and the flag that it raises."""


@pytest.mark.real_data
@pytest.mark.parametrize("cheat", CHEATS)
def test_a_known_way_to_win_raises_its_flag_and_has_no_rank(
    cheat: str, boards_of_some: _Boards, krls: Predictions, some: Benchmark
) -> None:
    change, flag = CHEATS[cheat]
    predictions = {id_: krls[id_] for id_ in some.dialogues}
    assert flag in _raised(boards_of_some.row(_every(predictions, partial(change, some))))


@pytest.mark.real_data
def test_what_cheats_are_made_of_raises_no_flag(
    boards_of_some: _Boards, krls: Predictions, some: Benchmark
) -> None:
    row = boards_of_some.row({id_: krls[id_] for id_ in some.dialogues})
    assert (row.rank, raised_flags(row)) == (1, [])
    assert {"reference_phrases", "wording", "requests", "offers"} <= row.flags.keys()


@pytest.mark.real_data
def test_the_constant_response_has_no_rank(
    boards_of_some: _Boards, published: list[Entry], some: Benchmark
) -> None:
    constant = {id_: [{"response": ALL}] * played.turns for id_, played in some.dialogues.items()}
    assert "placeholders" in _raised(boards_of_some.row(constant, "policy-optimization"))
    # On all dialogues it has more than the best system that has a rank.
    [row] = [row for row in make_board(published, "2021").rows if row.key == "constant-response"]
    assert round(row.figures["inform"].number or 0, 1) == 96.1


def _works(boards: _Boards, key: str) -> dict[str, Any]:
    """Return the paper and the code of an entry: citing them makes a copy no better."""
    [system] = [entry.system for entry in boards.published if entry.key == key]
    return system.model_dump(include={"paper", "code"}, exclude_none=True)


@pytest.mark.real_data
def test_a_copy_is_flagged_with_the_entry_that_it_copies(
    boards: _Boards, krls: Predictions
) -> None:
    chosen = random.Random(1)

    def exchanged(id_: str, number: int, turn: Turn) -> Turn:
        words = turn["response"].split()
        said = ["thing" if "[" not in word and chosen.random() < 0.1 else word for word in words]
        return {**turn, "response": " ".join(said)}

    row = boards.row(_every(krls, exchanged), **_works(boards, "krls"))
    assert {"copied_responses", "copied_states"} <= _raised(row)
    whose = row.copied["copied_responses"]
    assert whose in ("krls", "krls-policy")
    assert row.copied["copied_states"] == "krls"
    assert any(whose in mark.note for mark in row.marks)


@pytest.mark.real_data
def test_a_mixture_has_no_rank_even_where_nobody_has_entered_the_other_part(
    boards: _Boards, krls: Predictions, predictions: Callable[[str], Predictions]
) -> None:
    mars = predictions("mars")
    mixture = {
        id_: turns if number % 2 else krls[id_] for number, (id_, turns) in enumerate(mars.items())
    }
    entry = boards.entry(mixture, **_works(boards, "mars"))
    others = replace(boards, published=_without_krls(boards.published))
    for row in (boards.row_of(entry), others.row_of(entry)):
        assert "copied_responses" in _raised(row)
    assert row.copied["copied_responses"] == "mars"


# ------------------------------------------------------------------ beside published entries


def _without_krls(published: Sequence[Entry]) -> list[Entry]:
    """Return the entries of a board on which KRLS's outputs are a new system's."""
    return [entry for entry in published if not entry.key.startswith("krls")]


def _best_by_bleu(
    outputs: Sequence[Predictions], benchmark: Benchmark, id_: str, number: int, turn: Turn
) -> Turn:
    """Say what of several systems' responses has most pairs of words of the reference."""
    reference = _pairs(benchmark.dialogues[id_].references["mwz22"][number])
    best, best_share = turn["response"], -1.0
    for predictions in outputs:
        turns = predictions.get(id_, ())
        if number < len(turns):
            text = _PLACE.sub(lambda match: match[2].upper(), turns[number]["response"])
            said = _pairs(text)
            share = len(said & reference) / max(len(said | reference), 1)
            if share > best_share:
                best, best_share = turns[number]["response"], share
    return {**turn, "response": best}


def _pairs(text: str) -> set[tuple[str, str]]:
    return set(pairwise(text.split()))


def _states_ahead(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Give what the user says of a domain until the end, as soon as it comes up."""
    last = benchmark.dialogues[id_].states[-1]
    state = {domain: last.get(domain, slots) for domain, slots in turn["state"].items()}
    return {**turn, "state": state}


def _noisy_gold(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Give gold states without a tenth of their slots."""
    state: dict[str, dict[str, str]] = {}
    for domain, slots in benchmark.dialogues[id_].states[number].items():
        for slot, value in slots.items():
            if random.Random(f"{id_} {domain} {slot}").random() >= 0.1:
                state.setdefault(domain, {})[slot] = value
    return {**turn, "state": state}


def _gold_where_named(benchmark: Benchmark, id_: str, number: int, turn: Turn) -> Turn:
    """Give the gold state where a venue is named."""
    if not _NAME.search(turn["response"]):
        return turn
    return {**turn, "state": benchmark.dialogues[id_].states[number]}


@pytest.mark.real_data
def test_knowing_gold_where_nobody_is_right_has_no_rank_and_costs_nobody_theirs(
    boards: _Boards, krls: Predictions, multiwoz: Benchmark, published: list[Entry]
) -> None:
    others = replace(boards, published=_without_krls(published))
    cheat = others.entry(_every(krls, partial(_gold_where_named, multiwoz)), "end-to-end", "dst")
    assert "hard_states" in _raised(others.row_of(cheat))
    before = make_board(others.published, "2021")
    after = make_board([*others.published, cheat], "2021")
    for track, tables in before.tables_by_track.items():
        for table, table_after in zip(tables, after.tables_by_track[track], strict=True):
            rows = {row.key: row for row in table_after}
            for row in table:
                assert (rows[row.key].rank, rows[row.key].flags) == (row.rank, row.flags)


@pytest.mark.real_data
def test_the_best_of_several_entries_has_no_rank(
    boards_of_some: _Boards,
    krls: Predictions,
    predictions: Callable[[str], Predictions],
    some: Benchmark,
) -> None:
    others = [predictions(name) for name in ("mars", "galaxy-e2e", "pptod", "rstod", "ubar")]
    chosen = {id_: krls[id_] for id_ in some.dialogues}
    best = _every(chosen, partial(_best_by_bleu, [krls, *others], some))
    assert "wording" in _raised(boards_of_some.row(best))


def _with_states_of(entry: Entry, key: str) -> Entry:
    return replace(entry, system=entry.system.model_copy(update={"states_of": key}))


@pytest.mark.real_data
def test_an_entry_with_declared_states_is_ranked_by_its_responses(
    boards: _Boards, predictions: Callable[[str], Predictions]
) -> None:
    states = predictions("ubar")
    chosen = random.Random(1)

    def new_words(id_: str, number: int, turn: Turn) -> Turn:
        words = turn["response"].split()
        said = [word if "[" in word else f"w{chosen.randrange(99)}" for word in words]
        return {**turn, "response": " ".join(said)}

    # Nobody has said these: the placeholders are UBAR's, and all other words are new.
    own = _every(states, new_words)
    entry = boards.entry(own)
    assert _raised(boards.row_of(entry)) == {"copied_states"}
    row = boards.row_of(_with_states_of(entry, "ubar"))
    assert row.rank is not None
    assert "belief states of ubar" in [mark.note for mark in row.marks]
    assert row.figures["states"].words == "predicted (ubar)"
    with pytest.raises(InputError, match=r"new: .*states_of: its belief states are not those of"):
        boards.row_of(_with_states_of(entry, "mintl"))


# ------------------------------------------------------------------------------- state tracking


def _tracker(folder: Path, multiwoz: Benchmark, predictions: Any, **options: Any) -> Entry:
    content = json.dumps(predictions).encode()
    scores = tracker_scores(content, "new.json", multiwoz, **options)
    return enter_tracker(folder, "new", content, scores)


@pytest.mark.real_data
def test_a_tracker_that_has_the_gold_states_has_no_rank(tmp_path: Path, some: Benchmark) -> None:
    nothing = {id_: [{}] * played.turns for id_, played in some.dialogues.items()}
    entry = _tracker(tmp_path, some, _every(nothing, partial(_gold_state, some)))
    [row] = make_board([entry], "2021").of_track("state-tracking")
    assert row.flags["gold_states"] == 1.0
    assert _raised(row) == {"gold_states"}


@pytest.mark.real_data
def test_a_tracker_with_knowledge_of_gold_has_no_rank(
    tmp_path: Path, multiwoz: Benchmark, krls: Predictions, published: list[Entry]
) -> None:
    states = {id_: [{"state": turn["state"]} for turn in turns] for id_, turns in krls.items()}
    entry = _tracker(tmp_path, multiwoz, _every(states, partial(_states_ahead, multiwoz)))
    board = make_board([*published, entry], "2021")
    tables = board.tables_by_track["state-tracking"]
    [row] = [row for table in tables for row in table if row.key == "new"]
    assert _raised(row) == {"hard_states"}


@pytest.mark.real_data
def test_noise_does_not_hide_the_gold_states(multiwoz: Benchmark, published: list[Entry]) -> None:
    states = {}
    for id_, dialogue in multiwoz.dialogues.items():
        turns = [{"state": state} for state in dialogue.states]
        noisy = _every({id_: turns}, partial(_noisy_gold, multiwoz))[id_]
        states[id_] = [turn["state"] for turn in noisy]
    marks = {}
    for entry in published:
        known = entry.scores.fingerprints
        if known is not None and known.exact is not None:
            marks[entry.key] = ("gold", known.exact)
    marks["new"] = ("gold", fingerprints_of(multiwoz, None, states).exact or "")
    assert declared_flags()["hard_states"].is_raised(hard_states(marks)["new"])


@pytest.mark.real_data
def test_a_file_with_its_own_gold_has_no_rank(tmp_path: Path, multiwoz: Benchmark) -> None:
    same = {"0": {"gt": {"hotel": {"area": "north"}}, "pr": {"hotel": {"area": "north"}}}}
    own = dict.fromkeys(list(multiwoz.dialogues)[:50], same)
    entry = _tracker(tmp_path, multiwoz, own)
    [[row]] = make_board([entry], "2021").tables_by_track["state-tracking"]
    assert (row.figures["JGA"].number, row.rank) == (100.0, None)
    assert row.reasons[0] == "its gold states are its own, not those of a known version"
    # Of a version that is named, the installed states count and not the file's.
    honest = _tracker(tmp_path / "2.2", multiwoz, own, gold="2.2").scores.result
    assert isinstance(honest, TrackedScores)
    assert (honest.gold, honest.jga < 10) == ("benchmark", True)


# ------------------------------------------------------------------------------- plain English


@pytest.mark.real_data
def test_listing_all_venues_has_no_rank(boards_of_some: _Boards, some: Benchmark) -> None:
    few = replace(some, dialogues=dict(islice(some.dialogues.items(), 80)))
    names = {}
    for domain in ("hotel", "restaurant", "attraction"):
        names[domain] = " , ".join(sorted({str(v["name"]) for v in some.venues[domain]})[:60])
    listing: dict[str, list[Turn]] = {}
    for id_, played in few.dialogues.items():
        said = [f"okay , turn {number} . " for number in range(played.turns)]
        said[-1] += " . ".join(names[domain] for domain in names if domain in played.goal)
        listing[id_] = [{"response": text} for text in said]
    row = replace(boards_of_some, scorer=Scorer(few)).row(listing, "lexicalised")
    assert "told" in _raised(row)
    # Listing all of them, which is no choice, is no Success by what ranks.
    all_named, any_named = (row.figures[f"grounded.{n}"].number for n in ("success_all", "success"))
    assert (all_named or 0) < 35 < (any_named or 0) + 35
