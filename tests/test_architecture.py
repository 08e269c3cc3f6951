"""Imports point down, without circles, and what is heavy is imported where it is used."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from helpers import PROJECT

PACKAGES = ("normalization", "database", "harness")


def _modules() -> dict[str, Path]:
    found = {}
    for package in PACKAGES:
        for path in (PROJECT / package).rglob("*.py"):
            parts = path.relative_to(PROJECT).with_suffix("").parts
            name = parts[:-1] if parts[-1] == "__init__" else parts
            found[".".join(("mwz", *name))] = path
    return found


MODULES = _modules()


def _imported(name: str, path: Path) -> set[str]:
    """Return the project's modules that a module imports."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        else:
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            targets = [f"{base}.{alias.name}" for alias in node.names] + [base]
        # The longest name that is a module: `from .a import b` imports the module a or a.b.
        modules = [target for target in targets if target in MODULES]
        found |= {m for m in modules if not any(o != m and o.startswith(f"{m}.") for o in modules)}
    # A module is part of its own package.
    return {module for module in found if not f"{name}.".startswith(f"{module}.")}


GRAPH = {name: _imported(name, path) for name, path in MODULES.items()}


FLOORS = (
    ("normalization", "harness.errors"),
    ("database", "harness.io", "harness.benchmark", "harness.rooms", "normalization.delexicaliser"),
    ("harness.signature", "harness.submission", "harness.glossary"),
    ("harness.metrics",),
    ("harness.comparison", "harness.diagnosis", "harness.data"),
    ("harness.scoring",),
    ("harness", "harness.board"),
    ("harness.cli",),
    # Rooms that can be taken away, with their commands, metrics and tracks.
    ("harness.board.audit", "harness.board.views", "harness.grounding", "harness.lab"),
    ("harness.live",),
)
"""The rooms, and the modules that are in none, from the ground up."""

FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def _room(name: str) -> str:
    """Return the innermost room that a module is in."""
    inside = name.removeprefix("mwz.") + "."
    return max((room for room in FLOOR if inside.startswith(f"{room}.")), key=len)


def test_imports_point_down_those_for_type_checking_too() -> None:
    assert len(FLOORS) <= 10
    wrong = [
        f"{name} imports {other}"
        for name, imported in GRAPH.items()
        for other in imported
        # Of one room both, or the importing one is above.
        if _room(name) != _room(other) and FLOOR[_room(name)] <= FLOOR[_room(other)]
    ]
    assert wrong == []


DOORS = {name for name, path in MODULES.items() if path.with_name(f"{path.name}i").exists()}
"""The rooms that say in a stub what others may use of them."""


def _door(module: str) -> str | None:
    """Return the innermost door that a module is behind."""
    inside = [door for door in DOORS if f"{module}.".startswith(f"{door}.")]
    return max(inside, key=len, default=None)


def test_what_is_used_of_another_room_is_named_at_its_door() -> None:
    # `mwz.harness` is the door of the library, not of a room.
    wrong = [
        f"{name} imports {other}"
        for name, imported in GRAPH.items()
        for other in imported
        if _door(other) not in (_door(name), other, "mwz.harness", None)
        # A room within a room, such as `board/audit/`, is behind the same door.
        and not name.startswith(f"{_door(other)}.")
    ]
    assert wrong == []


def test_a_door_has_no_name_that_nobody_uses() -> None:
    # Packages that extend the harness use what the documentation says.
    others = [*PROJECT.glob("t*/**/*.py"), PROJECT / "docs/extending.md"]
    users = [*MODULES.items(), *((path.stem, path) for path in others)]
    words = {path: {*re.findall(r"\w+", path.read_text("utf-8"))} for _, path in users}
    for door in DOORS - {"mwz.harness"}:
        outside = [words[path] for name, path in users if _door(name) != door]
        assert set(import_module(door).__all__) <= set().union(*outside), door


def test_no_module_imports_itself_by_way_of_others() -> None:
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join((*way[way.index(name) :], name))
        if name not in done:
            for other in sorted(GRAPH[name]):
                visit(other, (*way, name))
            done.add(name)

    for name in GRAPH:
        visit(name, ())


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        ("--help", "numpy sqlalchemy sacrebleu sacremoses pydantic requests"),
        ("leaderboard --submissions {}", "sqlalchemy sacrebleu sacremoses matplotlib requests"),
        ("data list", "numpy sqlalchemy sacrebleu sacremoses matplotlib"),
        ("score --help", "numpy sqlalchemy sacrebleu sacremoses matplotlib requests pydantic"),
        ("dst --help", "numpy sqlalchemy sacrebleu sacremoses matplotlib requests"),
        ("why --help", "sqlalchemy sacrebleu matplotlib requests pydantic"),
    ],
)
def test_commands_import_what_they_need(arguments: str, unneeded: str, tmp_path: Path) -> None:
    board = tmp_path / "submissions"
    shutil.copytree(PROJECT / "submissions" / "damd", board / "damd")
    code = (
        "import sys\n"
        "from mwz.harness.cli import main\n"
        "try:\n"
        f"    main({arguments.format(board).split()})\n"
        "finally:\n"
        "    print('imported:', *sys.modules, file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    imported = done.stderr.splitlines()[-1].removeprefix("imported: ").split()
    assert set(imported) & set(unneeded.split()) == set()
