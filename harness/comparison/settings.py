"""What intervals and tests use unless told otherwise: figures that options show, and no more."""

from __future__ import annotations

from collections.abc import Mapping

SEED = 12345
"""The seed, that of sacreBLEU."""

INTERVAL_SAMPLES = 1000
"""Bootstrap samples of an interval."""

INTERVAL_LEVEL = 95
"""The level of every interval, in percent."""

SIGNIFICANCE = 0.05
"""Below this p, systems are said to differ."""

TEST_SAMPLES: Mapping[str, int] = {"randomisation": 10_000, "bootstrap": 1000}
"""Paired test by resampling -> the samples it takes."""

DEFAULT_TEST = "randomisation"
