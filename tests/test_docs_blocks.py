"""Every block of every document runs on the sample, or it is checked why it cannot."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import re
import shlex
import shutil
import textwrap
import warnings
from collections.abc import Collection, Iterator
from glob import glob
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from entered import SAMPLE_TRACKS, made_system, sample_content, sample_scores, submit_alone
from helpers import CAREFUL, HASTY, PROJECT, SUBMISSIONS, table_rows, write_json
from plain_english import TOLD
from ruamel.yaml import YAML
from test_documents import PAGES
from test_outside import FILES

from mwz.harness.board import Board
from mwz.harness.board.model import common_signatures
from mwz.harness.cli import main
from mwz.harness.data import load_benchmark
from mwz.harness.data.gold_states import install_gold_states
from mwz.harness.metrics import GoldStates
from mwz.normalization.packages import tomllib

TEXTS = {name: (PROJECT / name).read_text(encoding="utf-8") for name in PAGES}

_BLOCK = re.compile(r"^ *```(?P<language>\w*)\n(?P<body>.*?)^ *```", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"^\n((?:    .*\n)+)", re.MULTILINE)


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a page that are in a language."""
    found = _BLOCK.finditer(TEXTS[page])
    return [textwrap.dedent(match["body"]) for match in found if match["language"] == language]


def shell_lines(page: str) -> list[str]:
    """Return the lines of a page's shell and indented blocks, in order."""
    fenced = [match for match in _BLOCK.finditer(TEXTS[page]) if match["language"] == "sh"]
    bodies = {match.start(): match["body"] for match in fenced}
    unfenced = _BLOCK.sub(lambda match: "\n" * len(match[0]), TEXTS[page])
    bodies |= {match.start(): match[1] for match in _INDENTED.finditer(unfenced)}
    lines: list[str] = []
    for _, body in sorted(bodies.items()):
        for line in body.replace("\\\n", " ").splitlines():
            lines += [part.strip() for part in line.split("&&")]
    return lines


# ---------------------------------------------------------------------------- what is run

_OWN = re.compile(r"(\.venv/bin/)?mwz [a-z]")

_ELSEWHERE = {
    "mwz data import --states": ("test_gold_states.py", '"data", "import", "--states"'),
    "mwz score FILE --metrics questions": ("test_outside.py", '"--metrics", "questions"'),
}
"""The beginning of a command that needs the data set or a package -> the test that runs it."""

_OTHERS = re.compile(
    r"(\.venv/bin/)?(pip|python3?|ruff|mypy|\.|\(cd|vllm|llama-server|OLLAMA_\S+)\b"
)
"""Programs of others in shell blocks."""

_STAND_INS = {
    "model:NAME": "answering:answer",
    "FILE": "predictions.json",
    "ID": "town001",
    "https://…": "https://example.org/x",
    "multiwoz-twin": "sample-twin",
}
"""A word of a command -> what is put in its place: for a model, a function; for the data set, the
sample; for what readers replace, an example."""

_AGENT = """
def answer(messages, call):
    found = call("query_restaurant", {"area": "centre"})
    return f"How about {found['results'][0]['name'].title()}?"
"""


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that documents name, made of the sample, and a board."""
    folder = tmp_path_factory.mktemp("clone")
    sample = load_benchmark("sample")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MWZ_DATA", str(folder / "data"))
        states = {id_: dialogue.states for id_, dialogue in sample.dialogues.items()}
        for version in ("2.0", "2.1", "2.2", "2.3", "2.4"):
            install_gold_states(GoldStates(version, "sample", states))
    for name in ("predictions", "seed1", "seed-1", "a1", "ours", "outputs"):
        (folder / f"{name}.json").write_bytes(CAREFUL.read_bytes())
    for name in ("baseline", "seed2", "seed-2", "a2"):
        (folder / f"{name}.json").write_bytes(HASTY.read_bytes())
    careful = json.loads(CAREFUL.read_bytes())
    trackers = {id_: [{"state": turn["state"]} for turn in turns] for id_, turns in careful.items()}
    for name in ("tracker", "first", "second"):
        write_json(folder / f"{name}.json", trackers)
    write_json(folder / "answers.json", TOLD)
    dialogues = {}
    for id_, texts in TOLD.items():
        dialogues[id_] = [{"user": "Italian, please.", "response": text} for text in texts]
    for name in ("dialogues", "other"):
        write_json(folder / f"{name}.json", dialogues)
    goals = {id_: {"restaurant": {"informable": {"food": "italian"}}} for id_ in TOLD}
    write_json(folder / "goals.json", goals)
    (folder / "mine.toml").write_text(blocks("docs/predictions-format.md", "toml")[0])
    rows = []
    for id_, turns in careful.items():
        for number, turn in enumerate(turns):
            row = {"session": id_, "exchange": number, "gen": turn["response"]}
            rows.append(json.dumps({**row, "track": turn["state"]}))
    (folder / "outputs.jsonl").write_text("\n".join(rows))
    for name, source in (("UBAR", "hasty"), ("Other", "scripted")):
        facts = made_system(name, track=SAMPLE_TRACKS[source])
        submit_alone(folder / "submissions", facts, sample_content(source), sample_scores(source))
    return folder


@pytest.fixture(scope="module")
def played(clone: Path) -> Path:
    """The folder with the plays that documents name, of a function and of the baseline."""
    (clone / "answering.py").write_text(_AGENT)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(clone)
        patch.setenv("MWZ_DATA", str(clone / "data"))
        agent = ("play", "--agent", "answering:answer", "--tasks", "1")
        done(*agent, "--trials", "4", "-o", "name.jsonl")
        done(*agent, "--trials", "2", "--seed", "1", "-o", "play.jsonl")
        done(*agent, "--trials", "2", "--seed", "2", "-o", "a.jsonl")
        done("play", "--tasks", "1", "-o", "b.jsonl")
        for name in ("c", "other", "original"):
            shutil.copy("b.jsonl", f"{name}.jsonl")
        done("data", "twin", "sample")
        done("play", "--benchmark", "sample-twin", "--tasks", "1", "-o", "twin.jsonl")
        done("leaderboard")
    return clone


def done(*words: str, statuses: Collection[int] = (0,)) -> str:
    """Run a command of ours in this process, and return what it prints and says."""
    printed = io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        pytest.raises(SystemExit) as exit_,
    ):
        main([*words])
    assert exit_.value.code in statuses, f"mwz {shlex.join(words)}: {printed.getvalue()}"
    return printed.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_shell_blocks_run(
    page: str, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line for line in shell_lines(page) if _OWN.match(line)]
    if not lines:
        return
    folder = tmp_path / "clone"
    shutil.copytree(played, folder)
    monkeypatch.chdir(folder)
    Path("harness").symlink_to(PROJECT / "harness")
    monkeypatch.setenv("MWZ_DATA", str(folder / "data"))
    monkeypatch.setattr(ThreadingHTTPServer, "serve_forever", _interrupted)
    for line in lines:
        if not any(line.startswith(command) for command in _ELSEWHERE):
            _run(line)


def _run(line: str) -> None:
    """Run a line as a shell would, with stand-ins, on one task, and without the network."""
    words: list[str] = []
    for word in shlex.split(line.partition(" > ")[0], comments=True)[1:]:
        stand_in = _STAND_INS.get(word, word)
        words += sorted(glob(stand_in)) or [stand_in]
    if words[:2] == ["data", "fetch"]:
        # What it lacks is named.
        done(*words, "--offline", statuses=[2])
        return
    if words[:2] == ["data", "twin"]:
        words.append("sample")
    if words[0] == "play":
        for option in ("--tasks", "-o", "--base-url"):
            if option in words:
                place = words.index(option)
                words[place : place + 2] = []
        words += ["--tasks", "1", "-o", f"{len(glob('*'))}.jsonl"]
    done(*words)


def _interrupted(server: object) -> None:
    raise KeyboardInterrupt


def test_what_shell_blocks_do_not_run_is_run_elsewhere_or_is_of_others() -> None:
    for file, words in _ELSEWHERE.values():
        assert words in (PROJECT / "tests" / file).read_text(encoding="utf-8")
    for page in PAGES:
        for block in blocks(page, "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                assert _OWN.match(line) or _OTHERS.match(line), line


_INLINE = re.compile(r"`(?:\.venv/bin/)?mwz ([a-z][^`]*)`")


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_commands_in_sentences_have_the_options_that_are_named(page: str) -> None:
    text = _BLOCK.sub("", TEXTS[page]).replace("\n", " ")
    for command in _INLINE.findall(text):
        words = re.split(r"[ =]+", command)
        has_part = words[0] in ("data", "lab") and words[1:] and words[1].isalpha()
        options = re.findall(r"--[a-z-]+", done(*words[: 2 if has_part else 1], "--help"))
        assert set(re.findall(r"--[a-z-]+", command)) <= {*options}, command


# ------------------------------------------------------------------------ other languages


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with two files of predictions; no benchmark is installed but the sample."""
    monkeypatch.chdir(tmp_path)
    Path("predictions.json").write_bytes(CAREFUL.read_bytes())
    Path("baseline.json").write_bytes(HASTY.read_bytes())


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_run(page: str) -> None:
    names: dict[str, Any] = {"__name__": page}
    for block in blocks(page, "python"):
        # Those of the package are run by test_outside.py.
        if block not in FILES.values():
            with contextlib.redirect_stdout(io.StringIO()):
                # The sample stands in for dev and train.
                code = re.sub(r'load_benchmark\("multiwoz-\w+"\)', "load_benchmark()", block)
                exec(compile(code, page, "exec"), names)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("page", PAGES)
def test_examples_give_what_they_show(page: str) -> None:
    names: dict[str, Any] = {}
    exec("from mwz.harness import *", names)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    for number, block in enumerate(blocks(page, "pycon")):
        with warnings.catch_warnings():
            runner.run(parser.get_doctest(block, {**names}, f"{page} {number}", page, 0))
    assert runner.failures == 0


@pytest.mark.parametrize("page", PAGES)
def test_data_in_blocks_can_be_read(page: str) -> None:
    for block in blocks(page, "json"):
        json.loads(block if block.startswith("{") else f"{{{block}}}")
    for block in blocks(page, "toml"):
        tomllib.loads(block)
    for block in blocks(page, "yaml"):
        YAML(typ="safe").load(block)


# ------------------------------------------------------------------- what commands print


def _printed_in_order(shown: str, printed: str) -> None:
    """Check that a text is what is printed, but for what `…` leaves out."""
    place = 0
    for part in re.split(r"\s*…\n", shown):
        wanted = part.strip("\n")
        found = printed.find(wanted, place)
        assert found >= 0, f"{wanted!r} is not printed:\n{printed[place:]}"
        place = found + len(wanted)


def test_the_tutorial_prints_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("careful", "hasty"):
        shutil.copy(SUBMISSIONS / f"{name}.json", tmp_path)
    count = 0
    for block in blocks("docs/tutorial.md", "console"):
        for shown in block.split("$ ")[1:]:
            command, _, wanted = shown.partition("\n")
            if command.startswith("mwz "):
                words = shlex.split(command.partition(" > ")[0])[1:]
                # There are warnings.
                statuses = [1] if words[0] == "check" else [0]
                _printed_in_order(wanted, done(*words, statuses=statuses))
                count += 1
    assert count == 7


def test_the_readme_prints_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    command = shell_lines("README.md")[3]
    assert command.startswith(".venv/bin/mwz score")
    (shown,) = blocks("README.md", "")
    monkeypatch.chdir(PROJECT)
    assert shown.strip() in done(*shlex.split(command)[1:])


def test_the_example_of_a_comparison_is_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    shown = TEXTS["docs/comparison.md"].partition("`mwz compare mars krls` begins:\n\n")[2]
    lines = textwrap.dedent(shown.partition("\n\n`")[0]).strip()
    assert lines in done("compare", "mars", "krls")


def test_the_example_of_a_dialogue_is_what_is_written(tmp_path: Path) -> None:
    (block,) = blocks("docs/python.md", "json")
    shown = json.loads(block)
    done("score", str(CAREFUL), "--per-dialogue", str(tmp_path / "d.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    (written,) = [line for line in lines if line["dialogue"] == shown["dialogue"]]
    domains = written["goals"]["strict"]
    for name, domain in shown.pop("goals")["strict"].items():
        assert domain == domains[name]
    assert shown == {key: written[key] for key in shown}


def _refusals(folder: Path) -> Iterator[str]:
    """Yield what commands say that fail for the causes that the page of errors names."""
    careful = json.loads(CAREFUL.read_bytes())
    turns = careful["town001"]
    states = [{"state": turn["state"]} for turn in turns]
    responses = [{"response": turn["response"]} for turn in turns]
    files = {
        "foreign": {**careful, "sng9999": turns},
        "doubled": {"town001": [*turns, *turns]},
        "partial": {**careful, "town001": [*turns[:1], *responses[1:2], *turns[2:]]},
        "misspelt": {"town001": [{**turns[0], "state": {"hotell": {"area": "north"}}}]},
        "tracker": {"town001": states},
        "gold": {"town001": [{"target_response": "Hello."}]},
        "list": [1, 2],
        "stateless": {"town001": responses},
    }
    for name, content in files.items():
        write_json(folder / f"{name}.json", content)
        if name != "stateless":
            yield done("score", f"{name}.json", statuses=[2])
    (folder / "broken.json").write_text('{"a": [')
    yield done("score", "broken.json", statuses=[2])
    yield done("score", "none.json", statuses=[2])
    yield done("score", str(CAREFUL), "--benchmark", "multiwoz", statuses=[2])
    yield done("score", str(CAREFUL), "--lexicalised", statuses=[2])
    yield done("compare", str(CAREFUL), "stateless.json", statuses=[2])
    yield done("dst", str(CAREFUL), "--gold", "2.4", statuses=[2])


def test_the_errors_explained_are_what_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = "".join(_refusals(tmp_path)).replace("`", "")
    rows = table_rows(TEXTS["docs/remarks.md"].partition("## Errors")[2])[2:]
    messages = [message.strip("`") for message, _ in rows]
    # No server of a model: test_live_models.py.
    assert [message for message in messages if message not in said] == ["Connection refused"]


@pytest.mark.parametrize("page", ["README.md", "docs/comparison.md"])
def test_the_signature_shown_is_of_this_version(page: str, project_board: Board) -> None:
    (signature, *_) = common_signatures(project_board.of_track("end-to-end"))
    current = signature.split("|")
    (shown,) = re.findall(r"^ +(mwz:.*)$", TEXTS[page], re.MULTILINE)
    # Those of the strict figures and of all set-ups have other sources of domains and states.
    for field in ("mwz", "data", "rules"):
        values = [part for part in current if part.startswith(f"{field}:")]
        assert values == [part for part in shown.split("|") if part.startswith(f"{field}:")]


def test_every_environment_variable_is_explained() -> None:
    sources = (PROJECT / "harness").rglob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    named = set(re.findall(r"\b(?:MWZ|OPENAI)_[A-Z_]+", text))
    assert named == set(re.findall(r"\b(?:MWZ|OPENAI)_[A-Z_]+", TEXTS["docs/interface.md"]))
