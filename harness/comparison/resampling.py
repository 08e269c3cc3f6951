"""Samples of dialogues: how often each counts, or which of them two systems swap.

Random numbers are those of sacreBLEU's tests with the same seed, sample for sample. Samples come in
blocks, so that memory stays bounded whatever their number.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..metrics.statistics import Block

_BLOCK = 2**22
"""About how many numbers a block of samples holds."""


def bootstrap_samples(dialogues: int, samples: int, seed: int) -> Iterator[Block]:
    """Yield bootstrap samples: as many dialogues as there are, drawn with replacement.

    Args:
        dialogues: The number of dialogues, at least 1.
        samples: The number of samples.
        seed: The seed.
    """
    generator = np.random.default_rng(seed)
    for size in _block_sizes(dialogues, samples):
        drawn = generator.choice(dialogues, size=(size, dialogues), replace=True)
        places = drawn + dialogues * np.arange(size)[:, np.newaxis]
        counts = np.bincount(places.ravel(), minlength=size * dialogues)
        yield Block(counts.reshape(size, dialogues))


def swaps(dialogues: int, samples: int, seed: int) -> Iterator[Block]:
    """Yield which dialogues two systems swap, each with probability 1/2.

    Args:
        dialogues: The number of dialogues, at least 1.
        samples: The number of samples.
        seed: The seed.
    """
    generator = np.random.default_rng(seed)
    for size in _block_sizes(dialogues, samples):
        yield Block(generator.integers(2, size=(size, dialogues), dtype=bool))


def _block_sizes(dialogues: int, samples: int) -> Iterator[int]:
    # A multiple of 32 samples takes whole words from the generator, so that what is drawn does
    # not depend on where blocks end.
    largest = max(1, _BLOCK // dialogues // 32) * 32
    for start in range(0, samples, largest):
        yield min(largest, samples - start)
