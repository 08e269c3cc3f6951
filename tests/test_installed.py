"""Benchmarks on disk: found by name, loaded as they were, replaced all or nothing."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import benchmark, dialogue, goal

from mwz.harness import Benchmark, InputError
from mwz.harness.data import installed
from mwz.harness.data.installed import (
    DATA_VARIABLE,
    benchmark_path,
    content_hashes,
    default_benchmark,
    from_document,
    install_benchmark,
    installed_benchmarks,
    to_document,
)

TINY = replace(
    benchmark(
        {
            "mul0001": dialogue(
                {"restaurant": goal({"food": "café"}, ["PHONE", "ADDRESS"])},
                2,
                states=[{}, {"restaurant": {"food": "café"}}],
                active=[["general"], ["restaurant"]],
                booked=[[], ["restaurant"]],
            )
        },
        "multiwoz",
    ),
    venues_by_rules={"2023": {"restaurant": [{"id": "r1", "phone": "1"}]}},
    seen=frozenset({"mul0001"}),
)


def test_the_data_directory_is_the_variables_or_the_platforms(
    data_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert installed.data_directory() == data_directory
    for unset in ("", None):
        if unset is None:
            monkeypatch.delenv(DATA_VARIABLE)
        else:
            monkeypatch.setenv(DATA_VARIABLE, unset)
        assert installed.data_directory().name == "multiwoz-harness"
        assert installed.data_directory().is_absolute()


def test_without_a_data_directory_there_is_the_sample() -> None:
    assert not installed.data_directory().exists()
    assert installed_benchmarks() == ["sample"]
    assert default_benchmark() == "sample"
    assert Benchmark.load().name == "sample"
    assert benchmark_path("sample") is None
    assert not installed.data_directory().exists()


@pytest.mark.parametrize("seen", [None, frozenset[str](), frozenset({"mul0001"})])
def test_what_is_installed_is_loaded_as_it_was(seen: frozenset[str] | None) -> None:
    given = replace(TINY, seen=seen)
    path = install_benchmark(given)
    assert path == benchmark_path("multiwoz")
    assert Benchmark.load("multiwoz") == given


def test_multiwoz_is_the_default_once_it_is_there() -> None:
    install_benchmark(replace(TINY, name="another"))
    assert default_benchmark() == "sample"
    install_benchmark(TINY)
    assert installed_benchmarks() == ["sample", "another", "multiwoz"]
    assert Benchmark.load().name == "multiwoz"


def test_the_same_benchmark_is_the_same_bytes() -> None:
    first = install_benchmark(TINY).read_bytes()
    # The packed file holds no time stamp, which would be in its bytes 4 to 8.
    assert first[4:8] == bytes(4)
    assert install_benchmark(TINY).read_bytes() == first


def test_the_built_in_name_is_not_for_others() -> None:
    with pytest.raises(InputError, match="is built in; give yours another name"):
        install_benchmark(replace(TINY, name="sample"))


@pytest.mark.parametrize("name", ["nosuch", "../multiwoz", "", "multiwoz.json.gz"])
def test_an_unknown_name_is_told_with_those_there_are(name: str) -> None:
    install_benchmark(TINY)
    if not name:
        assert Benchmark.load(name).name == "multiwoz"
        return
    with pytest.raises(InputError, match="not installed; there are: sample, multiwoz"):
        Benchmark.load(name)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (gzip.compress(b"{", mtime=0), "not JSON"),
        (gzip.compress(b'{"format": 1}', mtime=0)[:-4], "damaged gzip file"),
        (gzip.compress(b"[]", mtime=0), "written by another version of the harness"),
        (gzip.compress(b'{"format": 99}', mtime=0), "written by another version of the harness"),
        (gzip.compress(b'{"format": 1}', mtime=0), "damaged or edited"),
        (
            gzip.compress(
                b'{"format": 1, "name": "multiwoz", "dialogues": [], "venues": {}, '
                b'"venues_by_rules": {}}',
                mtime=0,
            ),
            "damaged or edited",
        ),
    ],
)
def test_a_damaged_file_is_told_with_what_to_do(content: bytes, message: str) -> None:
    path = install_benchmark(TINY)
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"{message}.*; install the benchmark again") as raised:
        Benchmark.load("multiwoz")
    assert raised.value.source == str(path)


def test_an_interrupted_installation_leaves_the_old_benchmark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = install_benchmark(TINY)

    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    for step in ("fsync", "chmod", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, interrupt)
            with pytest.raises(KeyboardInterrupt):
                install_benchmark(replace(TINY, dialogues={}))
        assert os.listdir(path.parent) == [path.name]
        assert Benchmark.load("multiwoz") == TINY


def test_a_killed_installation_leaves_the_old_benchmark() -> None:
    path = install_benchmark(TINY)
    # Nothing tidies up after a process that dies at once, just before the last step.
    code = (
        "import os\n"
        "from dataclasses import replace\n"
        "from mwz.harness import Benchmark\n"
        "from mwz.harness.data.installed import install_benchmark\n"
        "os.replace = lambda *args: os._exit(9)\n"
        "install_benchmark(replace(Benchmark.load('multiwoz'), dialogues={}))\n"
    )
    died = subprocess.run([sys.executable, "-c", code], check=False)
    assert died.returncode == 9
    assert len(os.listdir(path.parent)) == 2
    assert installed_benchmarks() == ["sample", "multiwoz"]
    assert Benchmark.load() == TINY


# Content hashes.


def test_content_hashes_depend_on_all_that_scores_depend_on() -> None:
    document = to_document(TINY)
    hashes = content_hashes(document)
    assert set(hashes) == {"2021", "2023"}
    assert hashes["2021"] != hashes["2023"]
    # Venues of 2023 alone change its hash alone.
    other = content_hashes({**document, "venues_by_rules": {}})
    assert other["2021"] == hashes["2021"]
    assert other["2023"] == hashes["2021"]
    changed = json.loads(json.dumps(document))
    for field in ("goal", "references", "states", "active_domains", "booked_domains"):
        one = dict(changed["dialogues"]["mul0001"])
        one[field] = [] if isinstance(one[field], list) else {}
        for rules, hash_ in content_hashes({**document, "dialogues": {"mul0001": one}}).items():
            assert hash_ != hashes[rules], field


def test_content_hashes_do_not_depend_on_the_name_or_on_what_goals_are_seen() -> None:
    document = to_document(TINY)
    assert content_hashes({**document, "name": "x", "seen": None}) == content_hashes(document)


def test_content_hashes_depend_on_the_order_of_a_states_domains() -> None:
    # Where two domains change in a turn, the first of equals becomes the active one.
    document = json.loads(json.dumps(to_document(TINY)))
    dialogue = document["dialogues"]["mul0001"]
    both = {"hotel": {"area": "north"}, "train": {"day": "monday"}}
    dialogue["states"][0] = both
    hashes = content_hashes(document)
    dialogue["states"][0] = dict(reversed(both.items()))
    assert all(hash_ != hashes[rules] for rules, hash_ in content_hashes(document).items())


def test_content_hashes_survive_the_way_to_disk_and_back() -> None:
    document = to_document(TINY)
    stored = json.loads(json.dumps(document))
    assert content_hashes(to_document(from_document(stored))) == content_hashes(document)


def test_a_document_without_hashes_gets_them() -> None:
    document = {key: value for key, value in to_document(TINY).items() if key != "content_hashes"}
    assert from_document(document).content_hashes == content_hashes(document)
