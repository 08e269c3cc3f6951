"""What differs between papers and their published code, on the files of the authors of GCA."""

from __future__ import annotations

import pytest
from tracking_cases import read_file

from mwz.harness.metrics import Choices, score_tracking

pytestmark = pytest.mark.real_data


@pytest.mark.parametrize(
    ("name", "code", "paper"),
    [
        # GCA, FGA with λ = 0.5, RSA.
        ("T5/T5_result_zeroshot_attraction", (33.11, 64.99, 18.26), (39.89, 66.66, 18.26)),
        ("T5/T5_result_zeroshot_rest", (59.75, 51.17, 49.23), (61.49, 51.34, 49.23)),
        ("trippy/trippy_result", (63.75, 41.80, 63.22), (63.97, 41.80, 63.23)),
    ],
)
def test_what_differs_between_papers_and_code(name, code, paper, dst_data):
    file = read_file(dst_data / f"{name}.json")
    for figures, choices in (
        (code, Choices()),
        (paper, Choices(gca="paper", fga="paper", dashes="kept")),
    ):
        found = score_tracking(file.dialogues, choices).figures
        shown = tuple(round(found[key], 2) for key in ("GCA", "FGA.0.5", "RSA"))
        assert shown == figures
