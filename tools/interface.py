"""Write the golden interface: options, layouts of JSON, and what is said of bad input.

    python tools/interface.py

It is compared with what the commands do by tests/test_interface.py, and told in docs/interface.md.
A change of it is a change for everybody who calls the harness from a script: it needs a line in
CHANGELOG.md.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from mwz.harness.cli import commands, main
from mwz.harness.files import write_json

PROJECT = Path(__file__).parents[1]
SAMPLES = PROJECT / "harness" / "sample" / "submissions"
TARGET = PROJECT / "tests" / "golden" / "interface.json"

_JSON = {
    "score": ("score", "{careful}", "--json", "-", "--benchmark", "sample"),
    "dst": ("dst", "{careful}", "--json", "-", "--benchmark", "sample"),
    "compare": ("compare", "{careful}", "{hasty}", "--json", "-", "--benchmark", "sample"),
    "audit": ("audit", "--json", "-", "--submissions", "{board}"),
}
_BAD = {
    "no such file": ("score", "nowhere.json"),
    "no JSON": ("score", "{broken}"),
    "foreign dialogues": ("score", "{foreign}", "--benchmark", "sample"),
    "no turns": ("dst", "{empty}", "--benchmark", "sample"),
    "another command": ("scores",),
    "another option": ("score", "--nothing"),
    "nothing to score": ("score",),
    "no such benchmark": ("score", "{careful}", "--benchmark", "none"),
    "no such entry": ("verify", "nobody", "--submissions", "{board}"),
    "no board": ("leaderboard", "--submissions", "nowhere"),
    "a bad database": ("score", "{careful}", "--benchmark", "sample", "--database", "none"),
    "no figure": (
        *("submit", "{careful}", "--name", "x", "--track", "end-to-end"),
        *("--reported", "inform=1e5", "--submissions", "{board}"),
    ),
}


def golden_interface() -> dict[str, Any]:
    """Return the options of all commands, the layouts of JSON, and errors with their status."""
    return {"options": _options(), "json": _layouts(), "errors": _errors()}


def _options() -> dict[str, dict[str, Any]]:
    """Return command -> option -> what it takes, as far as no version of click differs in it."""
    from mwz.harness import cli

    found: dict[str, dict[str, Any]] = {}
    context = click.Context(cli._mwz)
    for name in commands():
        command = cli._mwz.get_command(context, name)
        assert command is not None
        inner = command.commands if isinstance(command, click.Group) else {"": command}
        for sub, one in inner.items():
            found[f"{name} {sub}".strip()] = {
                " ".join(param.opts): _taken(param) for param in one.params
            }
    return found


def _taken(param: click.Parameter) -> str:
    """Return what a parameter takes, in words."""
    parts = []
    if isinstance(param, click.Option) and param.is_flag:
        parts.append("flag")
    elif isinstance(param.type, click.Choice):
        parts.append("|".join(map(str, param.type.choices)))
    else:
        parts.append(param.type.name)
    parts += ["required"] if param.required else []
    parts += ["repeatable"] if param.multiple or param.nargs == -1 else []
    return ", ".join(parts)


def _layouts() -> dict[str, list[str]]:
    """Return command -> the places of its JSON, sorted; what varies with the data is left out."""
    with _files() as places:
        return {
            name: sorted(set(_places("", json.loads(_run(line, places)[1]))))
            for name, line in _JSON.items()
        }


def _places(place: str, content: Any) -> Iterator[str]:
    """Yield every place of a document down to the second level, with the kind of what is there."""
    if isinstance(content, dict) and place.count(".") < 2:
        for key, value in content.items():
            yield from _places(f"{place}.{key}", value)
    elif isinstance(content, list):
        for value in content[:1]:
            yield from _places(f"{place}[]", value)
    else:
        kind = "number" if isinstance(content, int | float) else type(content).__name__
        yield f"{place}: {'boolean' if isinstance(content, bool) else kind}"


def _errors() -> dict[str, list[Any]]:
    """Return what is wrong -> exit status and the last line of the message."""
    found = {}
    with _files() as places:
        for name, line in _BAD.items():
            status, _, shown = _run(line, places)
            message = shown.strip().splitlines()[-1]
            if name.startswith("another "):
                # In the library's words, which differ between its versions.
                message = message[: len("Error: No such")]
            for key, path in places.items():
                message = message.replace(path, key.upper())
            found[name] = [status, message]
    return found


@contextlib.contextmanager
def _files() -> Iterator[dict[str, str]]:
    """Yield what commands are given, by name, in a folder that is left afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        contents = {"broken": "{", "foreign": '{"nobody": []}', "empty": '{"town001": {}}'}
        places = {name: str(Path(folder) / f"{name}.json") for name in contents}
        for name, content in contents.items():
            Path(places[name]).write_text(content, encoding="utf-8")
        places |= {name: str(SAMPLES / f"{name}.json") for name in ("careful", "hasty")}
        yield {**places, "board": str(PROJECT / "submissions")}


def _run(line: tuple[str, ...], places: dict[str, str]) -> tuple[object, str, str]:
    """Run a command in this process; return its exit status and what it wrote."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    status: object = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([part.format(**places) for part in line])
        except SystemExit as done:
            status = done.code
    out.flush()
    written = out.buffer
    assert isinstance(written, io.BytesIO)
    return status, written.getvalue().decode(), err.getvalue()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as data:
        os.environ["MWZ_DATA"] = data
        write_json(str(TARGET), golden_interface())
