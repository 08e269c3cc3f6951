"""`mwz site` writes the page, or serves it to this machine alone."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from entered import enter, enter_sample, site_of
from helpers import Cli
from loopback import running
from parsed import elements, text_of, tree_of

from mwz.harness.board.views.site import LOOPBACK, page_server, write_site


@pytest.fixture
def site(cli: Cli) -> Cli:
    return cli.of("site", "--submissions")


def test_the_command_writes_the_site(three_entries: Path, tmp_path: Path, site: Cli) -> None:
    web = tmp_path / "web"
    done = site.done(three_entries, web)
    assert f"{web / 'index.html'}: " in done.out
    assert "docs: is missing; the site has no documents" in done.err
    there = {str(p.relative_to(web).as_posix()) for p in web.rglob("*") if p.is_file()}
    assert there == set(site_of(three_entries))


def _git(folder: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=b", *words], check=True
    )


@pytest.mark.parametrize(
    ("remote", "workflow", "address"),
    [
        ("git@host.org:a/b.git", "", "https://host.org/a/b"),
        ("ssh://git@host.org/a/b.git", "c/d", "https://host.org/a/b"),
        ("https://me:secret@host.org/a/b", "", "https://host.org/a/b"),
        ("/srv/b.git", "c/d", "https://example.org/c/d"),
        ("/srv/b.git", "", None),
    ],
)
def test_pages_lead_to_the_repository_whose_address_is_known(
    remote: str,
    workflow: str,
    address: str | None,
    three_entries: Path,
    tmp_path: Path,
    site: Cli,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://example.org")
    monkeypatch.setenv("GITHUB_REPOSITORY", workflow)
    _git(three_entries, "init", "-q")
    _git(three_entries, "remote", "add", "origin", remote)
    site.done(three_entries, tmp_path / "web")
    page = tree_of((tmp_path / "web" / "index.html").read_text(encoding="utf-8"))
    links = {text_of(a): a.get("href") for a in elements(page, "a")}
    assert links.get("Repository") == address
    assert (f"pip install git+{address}" in text_of(page)) == (address is not None)


def test_git_tells_when_an_entry_came_and_what_rank_it_took(
    three_entries: Path, tmp_path: Path, site: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git(three_entries, "init", "-q")
    # BLEU of alpha is 20, of beta 25, of gamma 15; nobody has committed gamma yet.
    for day, key in (("2031-01-02", "alpha"), ("2031-03-04", "beta")):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{day}T12:00:00Z")
        _git(three_entries, "add", key)
        _git(three_entries, "commit", "-qm", key)
    site.done(three_entries, tmp_path / "web")
    board = json.loads((tmp_path / "web" / "board.json").read_text(encoding="utf-8"))
    came = {row["entry"]: (row.get("entered"), row.get("rank_entered")) for row in board["rows"]}
    # Alpha was the first when it came, though it is the second now.
    assert came == {
        "alpha": ("2031-01-02", 1), "beta": ("2031-03-04", 1), "gamma": (None, None)
    }  # fmt: skip
    # The one commit of a shallow clone tells nothing.
    clone = tmp_path / "clone"
    address = three_entries.as_uri()
    subprocess.run(["git", "clone", "-q", "--depth", "1", address, clone], check=True)
    site.done(clone, tmp_path / "again")
    assert "entered" not in (tmp_path / "again" / "board.json").read_text(encoding="utf-8")


def test_printed_commands_reproduce_the_row(
    tmp_path: Path, site: Cli, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter_sample(tmp_path / "submissions", "careful")
    site.done(tmp_path / "submissions", tmp_path / "web")
    page = tree_of((tmp_path / "web" / "systems" / "careful.html").read_text(encoding="utf-8"))
    printed = next(dl for dl in elements(page, "dl") if dl.get("class") == "commands")
    fetch, verify, score = [text_of(code).split() for code in elements(printed, "code")]
    assert fetch == ["mwz", "data", "fetch"]
    monkeypatch.chdir(tmp_path)
    assert "1 of 1 entries hold" in cli.done(*verify[1:]).out
    strict = cli.done(*score[1:]).out.partition("strict")[2].split()[:4]
    # The row to be copied has the same figures.
    latex, markdown = [text_of(pre) for pre in elements(page, "pre")]
    assert f"careful & {' & '.join(strict)} " in latex
    assert strict == [cell.strip() for cell in markdown.split("|")[-5:-1]]


def test_unusable_folders_are_refused(three_entries: Path, tmp_path: Path, site: Cli) -> None:
    done = site(three_entries, three_entries / "web")
    assert (done.status, (three_entries / "web").exists()) == (2, False)
    assert "lies in the folder of submissions" in done.err
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert f"{loop}: no such folder of entries" in site(loop, tmp_path / "web").err
    assert "cannot be written" in site(three_entries, loop).err
    assert "give either DIR or --serve" in site(three_entries).err
    assert "give either DIR or --serve" in site(three_entries, "web", "--serve", "0").err
    # Nothing is written where an entry is wrong.
    (three_entries / "alpha" / "scores.json").write_text("{", encoding="utf-8")
    done = site(three_entries, tmp_path / "web")
    assert (done.status, (tmp_path / "web").exists()) == (2, False)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The site of one entry."""
    folder = tmp_path_factory.mktemp("site") / "submissions"
    enter(folder, "alpha")
    return site_of(folder)


@pytest.fixture(scope="module")
def served(files: dict[str, str]) -> Iterator[str]:
    pages = {path: partial(str, text) for path, text in files.items()}
    with page_server(pages, 0) as server, running(server) as address:
        assert server.server_address[0] == LOOPBACK
        yield address


def _get(address: str) -> tuple[str, str]:
    with urllib.request.urlopen(address) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_the_site_is_served_as_it_would_be_written(served: str, files: dict[str, str]) -> None:
    assert _get(served) == ("text/html; charset=utf-8", files["index.html"])
    assert _get(f"{served}/systems/alpha.html?x=1")[1] == files["systems/alpha.html"]
    assert _get(f"{served}/site.js") == ("text/javascript; charset=utf-8", files["site.js"])


def _asked(served: str, request: str) -> bytes:
    """Send a request as it is written, and return the first line of the answer."""
    port = int(served.rpartition(":")[2])
    with socket.create_connection((LOOPBACK, port), timeout=10) as client:
        client.sendall(request.encode())
        return client.makefile("rb").readline()


_HOSTS = [
    *(("GET", "/", [host], b"200") for host in ("127.0.0.1", "LocalHost:PORT", "[::1]:PORT")),
    *(("GET", "/", [host], b"421") for host in ("board.example.org:PORT", "localhost:1", "")),
    ("GET", "/", ["localhost", "board.example.org"], b"421"),
    ("GET", "/", [], b"421"),
    ("GET", "http://localhost:PORT/", ["localhost"], b"404"),
    ("GET", "http://localhost:PORT/", ["board.example.org"], b"421"),
    *(("GET", path, ["localhost"], b"404") for path in ("/nothing.html", "/../entry.toml")),
    *(("GET", path, ["localhost"], b"404") for path in ("/%2e%2e/x", "/systems/", "/%00", "/%ff")),
    ("GET", "http://[::1", ["localhost"], b"404"),
    ("HEAD", "/", ["localhost"], b"501"),
    ("GET", "/a b", ["localhost"], b"400"),
]


@pytest.mark.parametrize(("method", "address", "hosts", "status"), _HOSTS)
def test_only_pages_are_served_and_only_to_this_machine(
    method: str,
    address: str,
    hosts: list[str],
    status: bytes,
    served: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    request = f"{method} {address} HTTP/1.1\r\n{lines}\r\n"
    answer = _asked(served, request.replace("PORT", served.rpartition(":")[2]))
    assert answer.split()[1] == status
    assert capfd.readouterr() == ("", "")


def test_a_taken_port_is_refused_in_one_line(served: str, three_entries: Path, site: Cli) -> None:
    port = served.rpartition(":")[2]
    refused = site.refused(three_entries, "--serve", port)
    assert f"port {port}: is not available" in refused
    assert refused.count("mwz: port") == 1


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "entries" / ".ubar.html.0123456789abcdef.unfinished"
    left.parent.mkdir()
    left.write_text("half a page")
    os.utime(left, (1, 1))
    other = tmp_path / "mine.unfinished"
    other.write_text("not of the site")
    write_site({"index.html": "a page"}, tmp_path)
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {
        "index.html",
        other.name,
    }
