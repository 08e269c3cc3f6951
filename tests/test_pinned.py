"""The table of pinned files: git blob ids, and paths that stay where they belong."""

from __future__ import annotations

import re
import subprocess
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from mwz.harness.data import blob_id, declared_names, read_data_set
from mwz.harness.data.declared import parse_source, safe_path, select
from mwz.harness.errors import InputError


@pytest.mark.parametrize("name", ["nosuch", "", "multiwoz.toml", "../sets/multiwoz"])
def test_an_undeclared_data_set_is_told_with_those_there_are(name: str) -> None:
    with pytest.raises(
        InputError, match=f"unknown data set '{name}'; choose from multiwoz"
    ) as raised:
        read_data_set(name)
    assert raised.value.source == "data set"


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        (["test"], {"test"}),
        (["test", "predictions"], {"test", "predictions"}),
        (["all"], {"test", "all"}),
        (["all", "trackers"], {"test", "all", "trackers"}),
    ],
)
def test_outputs_and_splits_are_optional(asked: list[str], parts: set[str]) -> None:
    sources = read_data_set("multiwoz").sources
    wanted = {file for source in sources for file in source.files if file.part in parts}
    assert set(select(sources, asked)) == wanted
    assert {file.part for file in wanted} == parts


@pytest.mark.real_data
def test_pinned_blob_ids_are_those_of_the_public_files(upstream: Path) -> None:
    """Of the databases and of systems' outputs; restaurants are of one version or the other."""
    pinned: dict[str, set[str]] = {}
    for source in chain.from_iterable(read_data_set(name).sources for name in declared_names()):
        for file in source.files:
            if file.part == "predictions" or file.path.endswith(("_db.json", "_log.txt", ".zip")):
                pinned.setdefault(file.path, set()).add(file.blob)
    clones = [folder for folder in upstream.iterdir() if folder.is_dir()]
    by_path = {
        path: [clone / path for clone in clones if (clone / path).is_file()] for path in pinned
    }
    wrong = [
        path
        for path, places in by_path.items()
        if places and not pinned[path] & {blob_id(place.read_bytes()) for place in places}
    ]
    assert sum(map(bool, by_path.values())) >= 13 + 4 + 9 + 2
    assert wrong == []


@pytest.mark.parametrize(
    "place",
    [
        *("/etc/passwd", "../outside", "data/../../outside", "a/../b", "a//etc/passwd", "a\\..\\b"),
        *("data/file\0", "linked/file", ""),
    ],
)
def test_no_place_leads_out_of_the_folder(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "linked").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(InputError, match="not a path inside"):
        safe_path(folder, place)


def test_all_that_is_declared_is_pinned() -> None:
    for name in declared_names():
        for source in read_data_set(name).sources:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+", source.repository)
            assert re.fullmatch("[0-9a-f]{40}", source.commit)
            for file in source.files:
                assert re.fullmatch("[0-9a-f]{40}", file.blob), file
                assert safe_path(Path("/kept"), file.place).name == Path(file.path).name


def test_a_source_is_read_as_it_is_declared() -> None:
    entry = {"repository": "a/b", "commit": "0" * 40, "role": "venues", "test": {"x": "1" * 40}}
    source = parse_source({**entry, "venues": "2021", "clone": "b"})
    (file,) = source.files
    assert (source.repository, source.role) == ("a/b", "venues")
    assert (source.venues, source.clone) == ("2021", "b")
    assert (file.place, file.part) == (f"a/b/{'0' * 40}/x", "test")
    assert (parse_source(entry).venues, parse_source(entry).clone) == (None, None)


@settings(max_examples=20, deadline=None)
@given(st.binary(max_size=200))
def test_blob_ids_agree_with_git_itself(content: bytes) -> None:
    command = ["git", "hash-object", "--no-filters", "--stdin"]
    try:
        run = subprocess.run(command, input=content, capture_output=True, check=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    assert blob_id(content) == run.stdout.decode().strip()
