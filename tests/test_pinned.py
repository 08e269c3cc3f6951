"""The table of pinned files: git blob ids, and paths that stay where they belong."""

from __future__ import annotations

import subprocess
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mwz.harness.data.declared import (
    blob_id,
    declared_names,
    parse_pinned,
    read_data_set,
    safe_path,
    select,
)
from mwz.harness.errors import InputError
from mwz.normalization.rules import rule_set, rule_set_names

OUTSIDE = [
    "/etc/passwd",
    "../outside",
    "data/../../outside",
    "data/..",
    ".",
    "./data",
    "data//file",
    "data/",
    "",
    "C:/Windows/file",
    "C:file",
    "data/file:stream",
    "..\\outside",
    "data\\..\\..\\outside",
    "\\\\server\\share",
    "~/file",
    "data/file\0",
    "data/file\n",
    "data/%2e%2e/%2e%2e/outside",
    "data/\uff0e\uff0e/outside",
    "data/.git",
    " data/file",
    "data /file",
    "data/two  blanks",
    "data/file .",
    "data/a\tb",
]


def test_blob_ids_are_those_of_git() -> None:
    # What `git hash-object` prints for an empty file, and for "hello" and a line feed.
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_sources_are_told_apart_by_role_and_by_the_option_of_their_clone() -> None:
    sources = read_data_set("multiwoz").sources
    roles = [source.role for source in sources]
    clones = [source.clone for source in sources if source.clone is not None]
    assert len(set(roles)) == len(roles)
    assert len(set(clones)) == len(clones)


def test_a_data_set_is_known_by_the_name_of_its_declaration() -> None:
    assert "multiwoz" in declared_names()
    data_set = read_data_set("multiwoz")
    assert (data_set.name, data_set.reader) == ("multiwoz", "multiwoz22")
    assert data_set.title
    assert data_set.citation


@pytest.mark.parametrize("name", ["nosuch", "", "multiwoz.toml", "../sets/multiwoz"])
def test_an_undeclared_data_set_is_told_with_those_there_are(name: str) -> None:
    with pytest.raises(
        InputError, match=f"unknown data set '{name}'; choose from multiwoz"
    ) as raised:
        read_data_set(name)
    assert raised.value.source == "data set"


def test_every_rule_set_uses_venues_that_are_pinned() -> None:
    versions = {source.venues for source in read_data_set("multiwoz").sources}
    assert {rule_set(name).venues for name in rule_set_names()} <= versions


def test_the_versions_of_the_venues_differ_in_the_restaurants_only() -> None:
    sources = read_data_set("multiwoz").sources
    newer, older, *_ = ({file.path: file.blob for file in source.files} for source in sources)
    differing = [path for path, blob in older.items() if newer[path] != blob]
    assert differing == ["mwzeval/data/database/restaurant_db.json"]


@pytest.mark.parametrize(
    ("split", "predictions", "parts"),
    [
        ("test", False, {"test"}),
        ("test", True, {"test", "predictions"}),
        ("all", False, {"test", "all"}),
        ("all", True, {"test", "all", "predictions"}),
    ],
)
def test_predictions_and_other_splits_come_only_when_asked_for(
    split: str, predictions: bool, parts: set[str]
) -> None:
    sources = read_data_set("multiwoz").sources
    wanted = {file for source in sources for file in source.files if file.part in parts}
    assert set(select(sources, split, predictions)) == wanted
    assert {file.part for file in wanted} == parts


@pytest.mark.real_data
def test_pinned_blob_ids_are_those_of_the_public_files(upstream: Path) -> None:
    """Of the databases and of systems' outputs; restaurants are of one version or the other."""
    pinned: dict[str, set[str]] = {}
    for source in read_data_set("multiwoz").sources:
        for file in source.files:
            if file.part == "predictions" or file.path.endswith(("_db.json", "_log.txt")):
                pinned.setdefault(file.path, set()).add(file.blob)
    clones = [one for one in upstream.iterdir() if one.is_dir()]
    found = {
        path: [clone / path for clone in clones if (clone / path).is_file()] for path in pinned
    }
    wrong = [
        path
        for path, places in found.items()
        if places and not pinned[path] & {blob_id(place.read_bytes()) for place in places}
    ]
    assert sum(map(bool, found.values())) >= 13 + 4
    assert wrong == []


@pytest.mark.parametrize("place", OUTSIDE)
def test_no_place_leads_out_of_the_folder(tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError, match="not a path inside the data directory"):
        safe_path(tmp_path / "data", place)


def test_a_name_may_hold_single_blanks(tmp_path: Path) -> None:
    place = "owner/Some Results/a b c.csv"
    assert safe_path(tmp_path, place) == tmp_path / "owner" / "Some Results" / "a b c.csv"


@given(st.text(alphabet="./\\:ab~\0 %C", max_size=12))
def test_whatever_the_place_its_path_is_below_the_folder(place: str) -> None:
    folder = Path("/kept/here")
    try:
        path = safe_path(folder, place)
    except InputError:
        return
    assert path.relative_to(folder).as_posix() == place
    assert ".." not in PurePosixPath(place).parts
    assert not PureWindowsPath(place).drive


@pytest.mark.parametrize("linked", ["data/owner", "data/owner/file.json"])
def test_no_symbolic_link_leads_out_of_the_folder(tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = tmp_path / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(outside, target_is_directory=True)
    with pytest.raises(InputError, match="symbolic link leads out"):
        safe_path(tmp_path / "data", "owner/file.json")


def test_a_folder_that_is_a_link_itself_is_usable(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert safe_path(tmp_path / "data", "a/b.json") == tmp_path / "data" / "a" / "b.json"


def _table(**changes: Any) -> dict[str, Any]:
    entry = {"repository": "a/b", "commit": "0" * 40, "role": "venues", "test": {"x": "1" * 40}}
    return {"sources": [{**entry, **changes}]}


def test_a_right_table_is_read() -> None:
    (source,) = parse_pinned(_table(venues="2021", clone="b"), "table")
    (file,) = source.files
    assert (source.place, source.role) == (f"a/b/{'0' * 40}", "venues")
    assert (source.venues, source.clone) == ("2021", "b")
    assert (file.place, file.part) == (f"a/b/{'0' * 40}/x", "test")


def test_a_source_may_have_no_venues_and_no_clone() -> None:
    (source,) = parse_pinned(_table(), "table")
    assert (source.venues, source.clone) == (None, None)


def test_all_that_is_wrong_in_a_table_is_told() -> None:
    table = _table(commit="x", test={"../x": "1"})
    with pytest.raises(InputError) as raised:
        parse_pinned({"sources": [*table["sources"], *_table(repository="a")["sources"]]}, "table")
    assert raised.value.source == "table"
    assert len(raised.value.problems) == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"repository": "../.."}, r"repository '\.\./\.\.': expected <owner>/<name>"),
        ({"repository": "a/b/c"}, "expected <owner>/<name>"),
        ({"repository": "a/b c"}, "expected <owner>/<name>"),
        ({"commit": "../../etc"}, "expected 40 hexadecimal digits"),
        ({"test": {"x": "abc"}}, "git blob id 'abc'; expected 40"),
        ({"predictions": {"../x": "1" * 40}}, r"path '\.\./x': not a path inside"),
        ({"all": {"/etc/x": "1" * 40}}, "path '/etc/x': not a path inside"),
    ],
)
def test_a_wrong_table_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_pinned(_table(**changes), "table")


@settings(max_examples=20, deadline=None)
@given(st.binary(max_size=200))
def test_blob_ids_agree_with_git_itself(content: bytes) -> None:
    command = ["git", "hash-object", "--no-filters", "--stdin"]
    try:
        run = subprocess.run(command, input=content, capture_output=True, check=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    assert blob_id(content) == run.stdout.decode().strip()
