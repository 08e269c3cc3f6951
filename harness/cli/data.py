"""`mwz data`: install and list benchmarks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import click

from mwz.normalization import DEFAULT_RULES, published_rule_sets, rule_set

from .. import data
from ..benchmark import STYLES, Benchmark, triplets_of
from ..errors import refuse
from ..io import Table, figure, formatted, text_table
from ..rooms import import_room
from ..signature import SHOWN_HASH
from . import notify, option

_FOLDER = click.Path(path_type=Path)
_MIRROR_VARIABLE = "MWZ_MIRROR"


@click.group(
    help="Install and list benchmarks. `fetch` downloads the public files of a data set and "
    "installs its benchmark; `import` does it from clones on this machine. The built-in "
    f"`{data.SAMPLE}` needs neither. Benchmarks are kept in the folder that MWZ_DATA names, by "
    f"default the platform's folder for user data. Data sets: {', '.join(data.declared_names())}."
)
def command() -> None:
    """Install and list benchmarks."""


_data_set = click.argument(
    "data_set",
    metavar="[NAME]",
    default=data.DEFAULT,
    callback=lambda ctx, param, value: data.read_data_set(value),
)


@command.command()
@_data_set
@click.option(
    "--split",
    type=click.Choice(("test", "all")),
    default="test",
    show_default=True,
    help="all: the train and dev dialogues as well, to find the test goals that occur there.",
)
@option.flag("--predictions", help="The outputs of the published systems as well.")
@option.flag("--trackers", help="The outputs of the trackers of `mwz audit --paper fga` as well.")
@click.option(
    "--states",
    "versions",
    multiple=True,
    metavar="VERSION",
    help="Instead: the gold states of another version, such as 2.1, for `mwz dst --gold`; may be "
    "repeated.",
)
@click.option(
    "--from",
    "mirror",
    metavar="URL|FOLDER",
    envvar=_MIRROR_VARIABLE,
    help="Use a mirror instead of GitHub: a folder, or an http, https or file URL, below which the "
    "files are at <owner>/<repository>/<commit>/<path>, or at <repository>/<path> as in clones "
    f"side by side. [default: ${_MIRROR_VARIABLE}]",
)
@option.flag(
    "--offline", help="Use only what was fetched before; name what is missing, with its URL."
)
def fetch(
    data_set: data.DataSet,
    split: str,
    predictions: bool,
    trackers: bool,
    versions: Sequence[str],
    mirror: str | None,
    offline: bool,
) -> None:
    """Download the public files of the data set NAME and install its benchmark.

    Every file is of one pinned version and is checked before it is used. What was fetched before
    is not fetched again, so an interrupted run goes on where it was. Proxies are taken from the
    usual variables (HTTPS_PROXY, NO_PROXY).
    """
    folder = data.downloads_directory()
    if versions:
        alone = split == "test" and not predictions and not trackers
        option.refuse_if(not alone, "--states stands alone; fetch the rest without it")
        benchmark = data.load_benchmark(data_set.name)
        files = data.fetch_gold_states(data_set, versions, folder, mirror, offline, notify)
        click.echo("\n".join(data.import_gold_states(benchmark, files)))
        return
    parts = [split]
    if predictions:
        parts.append("predictions")
    if trackers:
        parts.append("trackers")
    for declared in (data_set, *map(data.read_data_set, data_set.companions)):
        built = data.fetch_benchmark(declared, parts, folder, mirror, offline, notify)
        click.echo("\n".join(data.install(*built)))
    if predictions or trackers:
        click.echo(f"published outputs: in {folder}")


@command.command()
def verify() -> int:
    """Check the downloaded files and the installed benchmarks.

    Where a file is wrong the exit status is 2; `mwz data fetch` fetches it again. A benchmark is
    also compared, turn by turn, with the one that the leaderboard is scored on, and every turn that
    differs is listed; the exit status is 1 where one does.
    """
    folder = data.downloads_directory()
    # Data sets may share files.
    pinned: set[data.PinnedFile] = set()
    for name in data.declared_names():
        for source in data.read_data_set(name).sources:
            pinned.update(source.files)
    number, wrong = data.wrong_files(pinned, folder)
    refuse(str(folder), [f"{path} is not as pinned; fetch it again" for path in wrong])
    click.echo(f"{number} downloaded files are as pinned")
    differ = False
    for name in data.installed_benchmarks():
        if data.benchmark_path(name) is not None:
            benchmark = data.load_benchmark(name)
            differs, agreement = data.compared_with_pinned(benchmark)
            differ |= differs
            for path, blob in benchmark.unpinned.items():
                agreement += f"; made of {path}, which is not pinned (git blob {blob})"
            click.echo(f"benchmark {name}: readable{agreement}")
    for gold in data.all_gold_states():
        click.echo(f"gold states {gold.version} of {gold.benchmark}: readable")
    return int(differ)


def _clones() -> dict[str, str]:
    """Return the option for a clone of a source of a declared data set -> what it is of."""
    clones: dict[str, str] = {}
    for name in data.declared_names():
        for source in data.read_data_set(name).sources:
            if source.clone is not None:
                optional = f" (optional: {source.role})" if source.optional else ""
                clones.setdefault(source.clone, source.repository + optional)
    return clones


@command.command("import")
@_data_set
@option.together(
    *(
        click.option(f"--{clone}", type=_FOLDER, help=f"Clone of {about}.")
        for clone, about in _clones().items()
    )
)
@click.option(
    "--states",
    type=(str, _FOLDER),
    multiple=True,
    metavar="VERSION PATH",
    help="Instead: the gold states of another version, such as 2.4, for `mwz dst --gold`. PATH is "
    "its data.json, the test_dials.json that TRADE's script makes of it, or their folder; may be "
    "repeated.",
)
def import_(
    data_set: data.DataSet, states: Sequence[tuple[str, Path]], **clones: Path | None
) -> None:
    """Build the benchmark of the data set NAME from clones (or copies) of its repositories.

    Where a clone has the train and dev dialogues, the test goals that occur there are found. With
    --states, install gold states of other versions beside the benchmark; with --convlab2 alone, the
    tasks of `mwz play`. With multiwoz, multiwoz-dev is installed where the clones have its files.
    """
    given = {clone: path for clone, path in clones.items() if path is not None}
    if states:
        if given:
            raise click.UsageError("--states stands alone; build the benchmark first, without it")
        imported = data.import_gold_states(data.load_benchmark(data_set.name), states)
        click.echo("\n".join(imported))
        return
    if given.keys() == {"convlab2"} and data_set.name == data.DEFAULT:
        click.echo(data.install_tasks(data.read_tasks(given["convlab2"]), data_set.name))
        return
    for declared in (data_set, *map(data.read_data_set, data_set.companions)):
        folders: dict[str, Path] = {}
        needed: list[str] = []
        for source in declared.sources:
            if source.clone in given:
                folders[source.role] = given[source.clone]
            elif source.clone and not source.optional:
                needed.append(f"--{source.clone}")
        if declared is data_set and needed:
            raise click.UsageError(f"{declared.name} needs {' and '.join(needed)}")
        if declared is data_set or data.has_files(declared, folders):
            click.echo("\n".join(data.install(*data.build_benchmark(declared, folders))))


@command.command()
@click.argument("folder", type=_FOLDER)
def new(folder: Path) -> None:
    """Write a small benchmark of your own into the new FOLDER, to be replaced by your data.

    It is a declaration, dialogues, goals and venues, and works at once: mwz score @corpus
    --benchmark FOLDER. docs/extending.md says what the files hold.
    """
    data.write_example(folder)
    click.echo(f"wrote {folder}; try `mwz score @corpus --benchmark {folder}`")


@command.command()
@click.argument("name", metavar="[NAME]", default=data.DEFAULT)
@click.option("--seed", type=int, default=0, show_default=True, help="What names are drawn by.")
def twin(name: str, seed: int) -> None:
    """Install the twin of the benchmark NAME: the same tasks, where every venue has another name.

    Addresses, telephone numbers, postcodes, train ids and times are others, too, in venues, goals,
    tasks and what people said. It is called NAME-twin, with another seed NAME-twin-SEED. A play on
    it compares with one on NAME (`mwz compare`): what is lost was learned by heart.
    """
    making = import_room("harness.grounding.twin", "mwz data twin")
    made, tasks = making.make_twin(data.load_benchmark(name), data.load_tasks(name), seed)
    click.echo("\n".join(data.install(made, (), tasks)))


@command.command()
def statistics() -> None:
    """Show what MultiWOZ holds, or the sample where it is not installed, and how far its reference
    styles agree.

    Dialogues, goals and values of states that occur in train or dev, turns with a slot, and of
    these those whose references are identical, or different in any two styles.
    """
    click.echo(formatted([statistics_table(data.load_benchmark())], "text"), nl=False)


@command.command("list")
def list_() -> None:
    """Show the installed benchmarks."""
    rules = published_rule_sets()
    headers = ["name", "dialogues", "turns", "seen goals"]
    headers += [f"content ({name})" for name in rules]
    headers.append("where")
    rows = []
    folders = data.packaged_folders()
    for name in [*data.installed_benchmarks(), *folders]:
        benchmark = data.load_benchmark(name)
        hashes = [benchmark.content_hash(rule_set(name))[:SHOWN_HASH] for name in rules]
        path = folders.get(name) or data.benchmark_path(name)
        number = len(benchmark.dialogues)
        seen = "–" if benchmark.seen is None else f"{len(benchmark.seen)} of {number}"
        where = "built in" if path is None else str(path)
        rows.append([name, str(number), str(benchmark.turns), seen, *hashes, where])
    click.echo(text_table(headers, rows))
    states = [
        [gold.version, gold.benchmark, str(len(gold.states)), gold.digest[:SHOWN_HASH]]
        for gold in data.all_gold_states()
    ]
    if states:
        click.echo(f"\n{text_table(['gold states', 'of', 'dialogues', 'content'], states)}")


def statistics_table(benchmark: Benchmark) -> Table:
    """Return what a benchmark holds, and how far its reference styles agree."""
    names = sorted(set(rule_set(DEFAULT_RULES).ontology.values()))
    slot = re.compile(rf"\b(?:{'|'.join(names)})\b")
    dialogues = benchmark.dialogues
    with_slot = identical = different = 0
    for dialogue in dialogues.values():
        references = [dialogue.references[style] for style in STYLES]
        for turn in zip(*references, strict=True):
            if any(map(slot.search, turn)):
                with_slot += 1
                identical += len(set(turn)) == 1
                different += len(set(turn)) == len(STYLES)
    states = chain.from_iterable(dialogue.states for dialogue in dialogues.values())
    triplets = triplets_of(states)
    seen = None if benchmark.seen is None else len(benchmark.seen)
    new_triplets: int | None = None
    new_pairs: int | None = None
    if benchmark.trained is not None:
        new_triplets = len(triplets - benchmark.trained)
        trained_pairs = {triplet[1:] for triplet in benchmark.trained}
        new_pairs = len({triplet[1:] for triplet in triplets} - trained_pairs)

    rows: list[list[str]] = []
    data: list[dict[str, object]] = []

    def add(what: str, number: int | None, whole: int | None = None) -> None:
        """Add what is counted, and of how many, where there is a whole."""
        percent = 100 * number / whole if whole and number is not None else None
        share = "" if percent is None else figure(percent, 2)
        rows.append([what, figure(number, 0), share])
        data.append({"what": what, "number": number, "percent": percent})

    add("dialogues", len(dialogues))
    add("with a goal that occurs in train or dev", seen, len(dialogues))
    add("domain-slot-value triplets in gold states", len(triplets))
    add("domain-slot-value triplets that train and dev lack", new_triplets, len(triplets))
    add("slot-value pairs that train and dev lack", new_pairs)
    add("system turns", benchmark.turns)
    add("with a slot in some reference style", with_slot, benchmark.turns)
    add("of these, identical in all styles", identical, with_slot)
    add("of these, different in any two styles", different, with_slot)
    notes = []
    if benchmark.seen is None or benchmark.trained is None:
        commands = "`mwz data fetch --split all` or `mwz data import` of whole clones"
        notes = [f"not known of train and dev: {commands} compares the test set with them"]
    headers = ["", "number", "percent"]
    return Table("benchmark", f"Benchmark {benchmark.name}", headers, rows, data, notes)
