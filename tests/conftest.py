"""What the tests share.

Tests marked `real_data` compare with published figures on the public data. They look for it in
two folders named by environment variables, and are skipped where a variable is not set:

- `MWZ_TEST_UPSTREAM`: a folder with clones (or copies) of the two public repositories,
  `MultiWOZ_Evaluation/` and `multiwoz/`, and of those with DAMD's gold domains, `MinTL/`, with the
  data set's own goals, `ConvLab-2/`, with free-running dialogues, `TD-Eval/`, and
  with outputs of later systems, `KRLS/` and `Fantastic_Reward_ICLR2023/`;
- `MWZ_TEST_DST`: a folder of state-tracking files, gold and predicted states per turn.

`MWZ_TEST_EXPECTED` may name a third folder, with `scores.json`, `dst.json` and
`paper_tables.json`, the figures of the public evaluator and of the papers for all of that data.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from entered import REPOSITORY, enter, enter_sample, reports, system
from helpers import PROJECT, Cli, build_multiwoz, sample_predictions
from hypothesis import settings
from live_plays import Track

import mwz
from mwz.harness import Benchmark, load_benchmark
from mwz.harness.board import Board, read_board, read_entries
from mwz.harness.data.gold_states import read_gold_states
from mwz.harness.metrics import GoldStates
from mwz.harness.submission import read_predictions

# Every run draws the same examples: a commit passes or fails by what it changes.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

with pytest.MonkeyPatch.context() as _patch:
    # Commands work in this process unless a test says otherwise: starting others takes its time.
    _patch.setattr("os.cpu_count", lambda: 1)
    import mwz.harness.cli.option


def _copied() -> Path | None:
    """Return where the tests import `mwz` from, if it is a copy of this folder and not linked."""
    folder = Path(mwz.__file__).resolve().parent
    return None if folder == PROJECT / "package" else folder


def pytest_report_header() -> str:
    copied = _copied()
    return "mwz: this folder" if copied is None else f"mwz: a copy of this folder in {copied}"


def pytest_configure() -> None:
    """Refuse to test a copy that is not what this folder holds, such as an older installation."""
    copied = _copied()
    for part in ("package", "normalization", "database", "harness") if copied else ():
        for path in (PROJECT / part).rglob("*.*"):
            place = path.relative_to(PROJECT / part if part == "package" else PROJECT)
            other = copied / place
            is_same = other.is_file() and path.read_bytes() == other.read_bytes()
            if path.suffix in (".py", ".toml") and not is_same:
                message = f"{copied} is a copy of other code than this folder holds"
                remedy = "install again, or link it by `pip install -e .`"
                raise pytest.UsageError(f"{message} ({place} differs): {remedy}")


def _folder(variable: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"real data not at hand: {variable} is not set")
    return Path(value)


@pytest.fixture(scope="session", autouse=True)
def _interrupts() -> None:
    """Let what tests start be interrupted, also where the tests run in a shell's background.

    Such a shell ignores interrupts, and so would every process started from it.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def upstream() -> Path:
    """The folder with MultiWOZ_Evaluation/ and multiwoz/."""
    return _folder("MWZ_TEST_UPSTREAM")


@pytest.fixture(scope="session")
def dst_data() -> Path:
    """The folder of state-tracking files."""
    return _folder("MWZ_TEST_DST")


@pytest.fixture(scope="session")
def expected() -> Callable[[str], Any]:
    """Reads one of the files of expected figures by name."""
    folder = _folder("MWZ_TEST_EXPECTED")
    return lambda name: json.loads((folder / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def multiwoz(upstream: Path, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """The real benchmark, imported from the real files."""
    benchmark = build_multiwoz(
        upstream / "MultiWOZ_Evaluation", upstream / "multiwoz", mintl=upstream / "MinTL"
    )
    # What is made of it once, such as ratings of its human responses, serves all processes of a
    # run, as beside an installed benchmark.
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    object.__setattr__(benchmark, "prepared", (folder / "multiwoz.prepared", ""))
    return benchmark


@pytest.fixture(scope="session")
def gold_24(multiwoz: Benchmark, upstream: Path) -> GoldStates:
    """The gold states of MultiWOZ 2.4, read from the real file."""
    return read_gold_states("2.4", upstream / "MultiWOZ2.4", multiwoz)[0]


# System -> its predictions, of those that are in a repository of their own.
_ELSEWHERE = {
    "krls-e2e": "KRLS/outputs/krls-e2e.json",
    "krls-policy": "KRLS/outputs/krls-policy.json",
    "rewardnet": "Fantastic_Reward_ICLR2023/Example_generation/gen_test_formatted.json",
}


@pytest.fixture(scope="session")
def predictions(upstream: Path) -> Callable[[str], Mapping[str, Any]]:
    """Reads the predictions of a published system by name."""

    def read(name: str) -> Mapping[str, Any]:
        place = _ELSEWHERE.get(name, f"MultiWOZ_Evaluation/predictions/{name}.json")
        if name.startswith("hdno-"):
            place = f"HDNO/visualize/{name.removeprefix('hdno-')}/test_file.txt"
        return read_predictions(upstream / place).dialogues

    return read


@pytest.fixture(scope="session")
def sample() -> Benchmark:
    """The built-in sample benchmark."""
    return load_benchmark("sample")


@pytest.fixture(scope="session")
def world() -> Any:
    """The sample's world of live dialogues."""
    # The room may be missing.
    from mwz.harness.live.world import World

    return World.of("sample")


@pytest.fixture(scope="session")
def plays(tmp_path_factory: pytest.TempPathFactory, world: Any) -> Path:
    """Two trials of the baseline with the scripted user, of all tasks of the sample."""
    from mwz.harness.live.play import play_tasks
    from mwz.harness.live.plays import play_scripts

    path = tmp_path_factory.mktemp("plays") / "play.jsonl"
    played = list(play_tasks(play_scripts(world, 2, 0).config, path))
    assert len(played) == 2 * 30
    return path


@pytest.fixture
def track(plays: Path, tmp_path: Path, cli: Cli) -> Track:
    """Edits the plays, submits them, and runs commands on them."""
    return Track(plays, tmp_path, cli)


@pytest.fixture(scope="session")
def sample_entries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three submissions to the sample, entered. Nobody changes them: copy the folder."""
    folder = tmp_path_factory.mktemp("sample") / "submissions"
    enter_sample(folder)
    return folder


@pytest.fixture(scope="session")
def project_board() -> Board:
    """The project's own board under rule set 2021."""
    if not REPOSITORY.is_dir():
        pytest.skip("the project's submissions are not here")
    return read_board(REPOSITORY, read_entries(REPOSITORY), "2021")


@pytest.fixture(scope="session")
def project_site(project_board: Board) -> Mapping[str, str]:
    """The web page of the project's board: path -> content."""
    # The room may be missing.
    from mwz.harness.board.views.site import make_site

    return make_site(project_board, PROJECT / "docs")


@pytest.fixture
def three_entries(tmp_path: Path) -> Path:
    """A folder of three made-up submissions: beta is the first, then alpha, then gamma."""
    folder = tmp_path / "base" / "submissions"
    for key, bleu in (("alpha", 20.0), ("beta", 25.0), ("gamma", 15.0)):
        enter(folder, key, system(name=key.title()), reports(bleu=bleu))
    return folder


@pytest.fixture
def careful() -> dict[str, Any]:
    """One of the sample's submissions: states in every turn, no active domains."""
    return sample_predictions("careful")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs `mwz` in this process."""
    return Cli(capsys)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the test, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def board_cli(cli: Cli) -> Cli:
    """Runs `mwz leaderboard` on the folder that comes first."""
    return cli.of("leaderboard", "--submissions")


def _tool(name: str) -> Any:
    """Return a fixture, which is a script of tools/ as a module."""

    @pytest.fixture(scope="session", name=name)
    def tool() -> Any:
        spec = importlib.util.spec_from_file_location(name, PROJECT / f"tools/{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        # Dataclasses look their module up.
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return tool


regenerate, release, speed, lexicalised, calibrate = map(
    _tool, ("regenerate", "release", "speed", "lexicalised", "calibrate")
)


@pytest.fixture
def flags_reviewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let entries have ranks whatever flags they raise, as if each were reviewed.

    The sample's systems are made of its references, and say so by their flags.
    """
    monkeypatch.setattr("mwz.harness.board.rows.raised_flags", lambda row: [])


@pytest.fixture(autouse=True)
def data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory: no test sees or touches what is installed on the machine."""
    folder = tmp_path / "data"
    monkeypatch.setenv("MWZ_DATA", str(folder))
    return folder
