"""Fetching from a real HTTP server: whatever happens, the benchmark is the old or the new one."""

from __future__ import annotations

import os
import re
import shutil
import socket
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fetched import ACTS_FILE, GOALS_FILE, data_set, installed, mirror, old, scraps, server
from helpers import Cli, build_multiwoz, refusal, write_json
from loopback import Server
from synthetic import (
    CHANGED_RESTAURANTS,
    CORPUS,
    DATA_SET,
    EVALUATOR,
    NEWER,
    RESTAURANT_FILE,
    RESTAURANTS,
    SEEN_IDS,
    STATES,
    SYSTEM_TURNS,
    write_repositories,
)

from mwz.harness import Options, Scorer
from mwz.harness.cli import main
from mwz.harness.data import (
    DataSet,
    PinnedFile,
    benchmark_path,
    blob_id,
    downloads_directory,
    fetch_benchmark,
    load_benchmark,
    read_data_set,
    wrong_files,
)
from mwz.harness.data.declared import select
from mwz.harness.data.fetching import ATTEMPTS, urls
from mwz.harness.data.installed import install_benchmark
from mwz.harness.errors import InputError
from mwz.normalization import rule_set, rule_set_names

CommandLine = Callable[..., tuple[str, str]]
PASSING = ["500", "429", "cut", "hang in the middle"]


class Fetch:
    """A fetch from the test's server, with what it remarked."""

    def __init__(self, data_set: DataSet, mirror: str | None) -> None:
        self.data_set = data_set
        self.folder = downloads_directory()
        self.remarks: list[str] = []
        self.transfer: dict[str, Any] = {"mirror": mirror, "notify": self.remarks.append}

    def __call__(self, split: str = "test", predictions: bool = False, **changes: Any) -> Path:
        transfer = {**self.transfer, **changes}
        parts = [split, *(["predictions", "trackers"] if predictions else [])]
        benchmark, _, _ = fetch_benchmark(self.data_set, parts, self.folder, **transfer)
        return install_benchmark(benchmark)

    def stored(self) -> list[str]:
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return [path.relative_to(self.folder).as_posix() for path in files]


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds between attempts, which pass at once; attempts end soon."""
    pauses: list[float] = []
    monkeypatch.setattr("mwz.harness.data.fetching.time.sleep", pauses.append)
    monkeypatch.setattr("mwz.harness.data.fetching.TIMEOUT", 0.2)
    return pauses


@pytest.fixture
def fetch(data_set: DataSet, server: Server, pauses: list[float]) -> Fetch:
    return Fetch(data_set, server.url)


def test_a_fetch_installs_what_an_import_does(fetch: Fetch, tmp_path: Path) -> None:
    fetch()
    fetched = load_benchmark("multiwoz")
    imported = build_multiwoz(*write_repositories(tmp_path))
    assert fetched.name == imported.name == "multiwoz"
    assert fetched.dialogues == imported.dialogues
    assert fetched.turns == SYSTEM_TURNS
    assert fetched.seen is None
    # Each rule set has its own venues; those of the import are those of 2021.
    old, new = rule_set("2021"), rule_set("2023")
    assert fetched.venue_records(old)["restaurant"] == RESTAURANTS
    assert fetched.venue_records(new)["restaurant"] == CHANGED_RESTAURANTS
    assert fetched.venue_versions == {"2023": {"restaurant": CHANGED_RESTAURANTS}}
    hashes = [fetched.content_hash(rules) for rules in (old, new)]
    assert hashes[0] == imported.content_hash(old) != hashes[1]


def test_only_what_is_asked_for_is_fetched(fetch: Fetch, server: Server) -> None:
    fetch()
    others = ("/train/", "/predictions/", "/trackers/")
    assert not [path for path in server.requests if any(part in path for part in others)]
    whole = fetch("all", True).read_bytes()
    # What is stored is not fetched again, and the overlap with train and dev stays.
    assert set(server.requests.values()) == {1}
    assert fetch("test", predictions=True).read_bytes() == whole
    assert load_benchmark("multiwoz").seen == frozenset(SEEN_IDS)
    for name in ("predictions/system.json", "trackers/tracker.json"):
        assert server.requests[f"/{EVALUATOR}/{NEWER}/{name}"] == 1
    assert server.requests[f"/{DATA_SET}/{CORPUS}/data/MultiWOZ_2.2/dev/dialogues_001.json"] == 1


def test_an_interrupted_fetch_goes_on_where_it_was(fetch: Fetch, server: Server) -> None:
    server.faults[ACTS_FILE] = ["500"] * ATTEMPTS
    with pytest.raises(InputError):
        fetch()
    before = fetch.stored()
    fetch()
    assert before
    assert server.requests[ACTS_FILE] == ATTEMPTS + 1
    assert {server.requests[f"/{place}"] for place in before} == {1}


@pytest.mark.parametrize("fault", PASSING)
def test_a_server_in_passing_trouble_is_asked_again(
    fetch: Fetch, server: Server, pauses: list[float], fault: str
) -> None:
    server.faults[GOALS_FILE] = [fault, fault]
    fetch()
    assert server.requests[GOALS_FILE] == 3
    assert pauses == [1, 2]
    assert load_benchmark("multiwoz").turns == SYSTEM_TURNS


@pytest.mark.parametrize("fault", ["500", "403", "hang", "redirect for ever", "altered"])
def test_lasting_faults_end_in_one_message(
    fetch: Fetch, server: Server, old: bytes, fault: str
) -> None:
    server.faults[GOALS_FILE] = [fault] * 999
    error = str(refusal(fetch))
    assert GOALS_FILE.rpartition("/")[2] in error
    last = "not there in the pinned version" if fault == "altered" else "What was fetched is kept"
    assert last in error
    # An answer that will not change is not asked for again.
    asked = {"403": 1, "500": ATTEMPTS, "hang": ATTEMPTS}
    assert server.requests[GOALS_FILE] == asked.get(fault, server.requests[GOALS_FILE])
    assert installed() == old
    assert not [place for place in fetch.stored() if "goals" in place]


@pytest.mark.parametrize("fault", ["endless", "packed"])
def test_an_answer_is_read_no_further_than_a_file_may_be_large(
    fetch: Fetch, server: Server, old: bytes, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MWZ_LIMIT_UNPACKED", "1000000")
    server.faults[GOALS_FILE] = [fault] * 999
    tracemalloc.start()
    error = str(refusal(fetch))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "goals.json: too large: more bytes than at most 1,000,000" in error
    assert server.requests[GOALS_FILE] == 1
    # A packed answer is half a gigabyte; 64 KB of it are 64 MB at most.
    assert most < 200_000_000
    assert installed() == old


@pytest.mark.parametrize("fault", ["500", "altered"])
def test_no_message_tells_a_mirrors_password(fetch: Fetch, server: Server, fault: str) -> None:
    mirror = server.url.replace("http://", "http://usher:secret@")
    server.every_fault = fault
    message = "\n".join([str(refusal(fetch, mirror=mirror)), *fetch.remarks])
    assert "***@127.0.0.1" in message
    assert not {"secret", "usher"} & set(re.findall(r"\w+", message))


@pytest.mark.parametrize(
    "given", ["ftp://me:secret@x/y", "http://me:secret@[::1", "http://me:p/secret@x", "file:x"]
)
def test_what_is_no_mirror_is_refused_without_its_password(fetch: Fetch, given: str) -> None:
    assert "secret" not in str(refusal(fetch, mirror=given))


def test_missing_files_are_named_at_once(fetch: Fetch, server: Server, old: bytes) -> None:
    for path in (GOALS_FILE, ACTS_FILE):
        (server.folder / path.lstrip("/")).unlink()
    assert [problem.split(":")[0] for problem in refusal(fetch).problems] == [
        f"{EVALUATOR}, mwzeval/data/goals.json",
        f"{DATA_SET}, data/MultiWOZ_2.2/dialog_acts.json",
    ]
    assert server.requests[GOALS_FILE] == 1
    assert installed() == old


def test_a_mirror_may_be_clones_side_by_side(data_set: DataSet, tmp_path: Path) -> None:
    """One clone has one version of the restaurants only: the other is reported."""
    mwzeval, _ = write_repositories(tmp_path / "clones")
    with pytest.raises(InputError) as raised:
        Fetch(data_set, (tmp_path / "clones").as_uri())()
    (problem,) = raised.value.problems
    assert f"{EVALUATOR}, {RESTAURANT_FILE}" in problem
    # What the clone lacks is the newer version; all the rest was fetched.
    write_json(mwzeval / RESTAURANT_FILE, CHANGED_RESTAURANTS)
    Fetch(data_set, str(tmp_path / "clones"))()
    assert load_benchmark("multiwoz").turns == SYSTEM_TURNS


def test_proxies_are_taken_from_the_environment(
    fetch: Fetch, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address does not exist; the "proxy" is the server, which then is asked for all of it."""
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("http_proxy", server.url)
    with pytest.raises(InputError):
        fetch(mirror="http://mirror.invalid")
    assert [path for path in server.requests if path.startswith("http://mirror.invalid/")]


def test_damaged_files_are_fetched_again(fetch: Fetch, server: Server) -> None:
    fetch()
    wrong = fetch.folder / GOALS_FILE.lstrip("/")
    right = wrong.read_bytes()
    wrong.write_bytes(right + b" ")
    fetch.remarks.clear()
    fetch()
    remark, place = fetch.remarks
    assert str(wrong) in remark
    assert "removed" in remark
    assert place == f"1 of 1: {GOALS_FILE[1:]}"
    assert wrong.read_bytes() == right
    assert server.requests[GOALS_FILE] == 2


def test_offline_names_what_is_missing(mwz_data: CommandLine, server: Server) -> None:
    mwz_data("fetch")
    before = installed()
    (downloads_directory() / GOALS_FILE[1:]).unlink()
    (downloads_directory() / ACTS_FILE[1:]).write_text("wrong")
    server.requests.clear()
    _, errors = mwz_data("fetch", "--offline", status=2)
    for file in (GOALS_FILE, ACTS_FILE):
        assert f"missing: https://raw.githubusercontent.com{file}\n" in errors
    for hint in ("2 of 18 files are missing", "mwz data import", "--from URL"):
        assert hint in errors
    assert not server.requests
    assert installed() == before


@pytest.fixture
def mwz_data(
    server: Server, data_set: DataSet, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> CommandLine:
    """`mwz data` in this process, with the test's table of pinned files."""
    monkeypatch.setenv("MWZ_MIRROR", server.url)
    monkeypatch.setattr("mwz.harness.data.read_data_set", lambda name: data_set)
    monkeypatch.setattr("mwz.harness.data.declared_names", lambda: ["multiwoz"])
    # The public benchmark is pinned under the same name.
    monkeypatch.setattr("mwz.harness.data.declared.pinned_fingerprints", lambda name: None)

    def run(*arguments: object, status: int = 0) -> tuple[str, str]:
        done = cli("data", *arguments)
        assert done.status == status, done
        return done.out, done.err

    return run


def test_the_number_of_seen_goals_is_shown(mwz_data: CommandLine) -> None:
    mwz_data("fetch")
    assert "1 of 3" not in mwz_data("list")[0]
    output, _ = mwz_data("fetch", "--split", "all")
    assert "seen goals: 1 of 3" in output
    assert "1 of 3" in mwz_data("list")[0]


def test_gold_states_of_a_version_are_fetched_by_one_command(
    mwz_data: CommandLine, server: Server
) -> None:
    _, errors = mwz_data("fetch", "--states", "2.1", status=2)
    assert "`mwz data fetch`" in errors
    mwz_data("fetch")
    for _ in range(2):
        output, _ = mwz_data("fetch", "--states", "2.1")
        assert "installed gold states 2.1 of multiwoz: 1 dialogues, 2 turns" in output
    states = {path: count for path, count in server.requests.items() if STATES in path}
    assert states == {f"/{STATES}/{CORPUS}/states/test_dials.json": 1}
    _, errors = mwz_data("fetch", "--states", "2.4", status=2)
    assert "2.4: multiwoz has pinned files of 2.1; `mwz data import" in errors
    _, errors = mwz_data("fetch", "--states", "2.1", "--predictions", status=2)
    assert "--states stands alone" in errors


def test_verify_names_a_wrong_file(mwz_data: CommandLine) -> None:
    mwz_data("fetch")
    output, errors = mwz_data("verify")
    assert output.splitlines() == [
        "18 downloaded files are as pinned",
        "benchmark multiwoz: readable",
    ]
    assert errors == ""
    wrong = downloads_directory() / GOALS_FILE.lstrip("/")
    wrong.write_text("{}")
    _, errors = mwz_data("verify", status=2)
    assert f"{wrong} is not as pinned; fetch it again" in errors


def test_an_import_has_one_version_of_the_venues(mwz_data: CommandLine, tmp_path: Path) -> None:
    mwzeval, multiwoz = write_repositories(tmp_path / "clones")
    arguments = ("import", "--mwzeval", str(mwzeval), "--multiwoz", str(multiwoz))
    for restaurants in (RESTAURANTS, CHANGED_RESTAURANTS, []):
        write_json(mwzeval / RESTAURANT_FILE, restaurants)
        (note,) = [line for line in mwz_data(*arguments)[0].splitlines() if "venues" in line]
        assert "the clone's database is used under all rule sets" in note
        benchmark = load_benchmark("multiwoz")
        assert benchmark.venue_versions == {}
        assert benchmark.venues["restaurant"] == restaurants
