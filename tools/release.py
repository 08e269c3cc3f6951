"""Check what is about to be released: `python tools/release.py DIST [--final]`.

DIST has the source distribution and the wheel, as `python -m build` makes them. They are of the
version that pyproject.toml, CITATION.cff and CHANGELOG.md name, the wheel holds all that the board
follows from, and a fresh environment that it is installed into scores the sample, has no matplotlib
and takes less than a minute. DIST/notes.md becomes the release's section of the changelog. With
`--final`, that section must be the changelog's first.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
import venv
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
LONGEST = 60.0
"""Seconds that installing may take."""


def version(text: str, pattern: str) -> str:
    """Return the version that a file names."""
    match = re.search(pattern, text, re.MULTILINE)
    return "none" if match is None else match[1]


def notes(changelog: str, release: str) -> tuple[str, bool]:
    """Return a release's section of the changelog, empty without one; and whether it is first."""
    sections = re.split(r"^## (.+)\n", changelog, flags=re.MULTILINE)
    by_version = dict(zip(sections[1::2], sections[2::2], strict=True))
    return by_version.get(release, "").strip(), sections[1:2] == [release]


def problems(root: Path, dist: Path, final: bool) -> list[str]:
    """Return what is wrong with the files of a release, and write its notes."""
    read = {name: (root / name).read_text("utf-8") for name in ("pyproject.toml", "CITATION.cff")}
    release = version(read["pyproject.toml"], r'^version = "(.+)"')
    cited = version(read["CITATION.cff"], r"^version: (.+)")
    wrong = [] if cited == release else [f"CITATION.cff: version {cited}, not {release}"]
    text, first = notes((root / "CHANGELOG.md").read_text("utf-8"), release)
    if not text or (final and not first):
        lacks = "does not begin with" if text else "lacks"
        wrong.append(f"CHANGELOG.md: {lacks} the section of version {release}")
    (dist / "notes.md").write_text(text + "\n", encoding="utf-8")
    if not (dist / f"multiwoz_harness-{release}.tar.gz").is_file():
        wrong.append(f"{dist}: no source distribution of version {release}")
    wheel = dist / f"multiwoz_harness-{release}-py3-none-any.whl"
    if not wheel.is_file():
        return [*wrong, f"{dist}: no wheel of version {release}"]
    packed = {*zipfile.ZipFile(wheel).namelist()}
    # What the board follows from: entries, their order and their comparisons.
    parts = (*root.glob("submissions/*/entry.toml"), *root.glob("submissions/*"))
    board = [path.relative_to(root).as_posix() for path in parts if path.is_file()]
    wrong += [f"{wheel.name}: lacks {file}" for file in board if f"mwz/{file}" not in packed]
    return wrong or installed(wheel)


def installed(wheel: Path) -> list[str]:
    """Return what is wrong with a wheel once it is installed."""
    with TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin")
        start = time.monotonic()
        subprocess.run([programs / "pip", "install", "--quiet", wheel], check=True)
        seconds = time.monotonic() - start
        print(f"installed in {seconds:.0f} s")
        wrong = [] if seconds < LONGEST else [f"installing takes {seconds:.0f} s"]
        code = "import importlib.util as u, sys; sys.exit(u.find_spec('matplotlib') is not None)"
        if subprocess.run([programs / "python", "-c", code], check=False).returncode:
            wrong.append("matplotlib is installed, too")
        score = (str(programs / "mwz"), "score", "@corpus", "--benchmark", "sample")
        done = subprocess.run(score, cwd=folder, stdout=subprocess.DEVNULL, check=False)
        return wrong if done.returncode == 0 else [*wrong, "mwz score fails"]


def main() -> int:
    dist, *options = sys.argv[1:]
    wrong = problems(ROOT, Path(dist), "--final" in options)
    for problem in wrong:
        print(problem, file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
