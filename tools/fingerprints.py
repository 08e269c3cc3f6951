"""Write the fingerprints of the installed benchmarks that data sets are declared for.

`mwz data verify` compares benchmarks with them. Run it where the benchmark is the one that the
leaderboard is scored on: `python tools/fingerprints.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

from mwz.harness.data import declared_names, load_benchmark
from mwz.harness.data.declared import fingerprints
from mwz.harness.io import write_text

SETS = Path(__file__).parents[1] / "harness" / "data" / "sets"


def main() -> None:
    for name in declared_names():
        content = json.dumps(fingerprints(load_benchmark(name)), separators=(",", ":"))
        write_text(str(SETS / f"{name}.json"), content + "\n")


if __name__ == "__main__":
    main()
