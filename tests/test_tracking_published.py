"""Published figures: every file of predictions that the authors of GCA published with their code.

The figures are those of the published code of Dey et al. (2022) and Aksu & Chen (2024).
"""

from __future__ import annotations

import pytest
from tracking_cases import read_file

from mwz.harness.metrics import Choices, score_tracking

pytestmark = pytest.mark.real_data

LAMBDAS = ("0.25", "0.5", "0.75", "1")

# File, JGA, SA, AGA, IAGA, RSA, FGA with the four λ, GCA (percent); dialogues, turns.
PUBLISHED = """
T5_fewshot_taxi/ratio_0.01 70.06 98.34 64.23 55.84 25.31 73.30 75.51 77.05 78.16 59.45 195 1550
T5_fewshot_taxi/ratio_0.03 73.81 98.65 70.52 62.80 27.77 77.00 79.22 80.78 81.90 68.12 195 1550
T5_fewshot_taxi/ratio_0.05 76.58 98.80 75.90 67.97 29.70 79.47 81.39 82.71 83.64 70.33 195 1550
T5_fewshot_taxi/ratio_0.07 76.77 98.79 75.12 67.30 29.39 79.58 81.44 82.72 83.63 70.19 195 1550
T5_fewshot_taxi/ratio_0.09 75.61 98.80 74.06 66.96 29.16 78.77 80.89 82.37 83.43 71.32 195 1550
T5_fewshot_taxi/ratio_0.1 76.84 98.82 75.56 67.67 29.51 79.63 81.49 82.76 83.67 70.11 195 1550
T5_fewshot_taxi/ratio_0.3 81.55 99.04 81.48 75.02 31.81 83.72 85.15 86.12 86.81 76.40 195 1550
T5_fewshot_taxi/ratio_0.5 82.06 99.11 81.06 75.59 32.00 84.32 85.82 86.85 87.58 78.28 195 1550
T5_fewshot_taxi/ratio_0.7 84.06 99.21 82.95 78.40 33.04 86.06 87.37 88.25 88.87 80.42 195 1550
T5_fewshot_taxi/ratio_0.9 84.39 99.22 84.26 78.86 33.26 86.24 87.48 88.33 88.94 80.90 195 1550
T5_fewshot_train/ratio_0.01 70.61 98.66 90.64 86.64 68.47 78.18 81.98 84.16 85.53 86.87 494 3804
T5_fewshot_train/ratio_0.03 75.16 98.92 92.46 89.13 70.32 81.97 85.28 87.14 88.29 89.18 494 3804
T5_fewshot_train/ratio_0.05 74.26 98.89 92.14 88.69 70.04 81.33 84.75 86.66 87.84 88.73 494 3804
T5_fewshot_train/ratio_0.07 73.34 98.83 92.42 88.30 69.80 80.34 83.78 85.72 86.93 87.95 494 3804
T5_fewshot_train/ratio_0.09 75.39 98.92 92.60 89.19 70.31 82.33 85.62 87.45 88.58 89.45 494 3804
T5_fewshot_train/ratio_0.1 76.00 98.97 92.74 89.63 70.63 82.94 86.22 88.04 89.16 89.85 494 3804
T5_fewshot_train/ratio_0.3 75.21 98.92 93.27 89.34 70.37 81.73 84.92 86.73 87.85 89.08 494 3804
T5_fewshot_train/ratio_0.5 76.71 98.99 93.33 90.09 70.84 83.06 86.14 87.87 88.94 89.73 494 3804
T5_fewshot_train/ratio_0.7 77.00 99.01 93.65 90.37 71.04 83.01 85.99 87.68 88.74 89.80 494 3804
T5_fewshot_train/ratio_0.9 77.89 99.05 93.66 90.61 71.19 83.79 86.65 88.26 89.25 90.04 494 3804
paper_sample_dials/hypothetical_p1 83.33 99.44 91.67 88.89 91.67 83.33 83.33 83.33 83.33 52.38 1 6
paper_sample_dials/hypothetical_p2 0.00 96.67 8.33 5.56 8.33 41.47 59.75 68.76 73.70 52.38 1 6
paper_sample_dials/sample_1 28.57 94.76 53.57 51.43 53.57 40.51 48.84 54.74 58.98 31.43 1 7
paper_sample_dials/sample_2 25.00 95.83 81.25 73.75 73.75 30.53 34.84 38.19 40.80 75.00 1 4
poc/NU1 0.00 90.00 30.00 19.44 30.00 20.49 34.19 43.48 49.89 52.38 1 3
poc/NU2 0.00 93.33 58.89 42.06 58.89 0.00 0.00 0.00 0.00 52.38 1 3
poc/RS1 0.00 91.67 22.50 14.58 22.50 15.37 25.64 32.61 37.42 52.38 1 4
poc/RS2 50.00 95.83 77.50 69.05 77.50 50.00 50.00 50.00 50.00 52.38 1 4
poc/paper1 0.00 94.44 23.81 18.52 23.81 7.37 13.12 17.59 21.07 73.33 1 3
poc/paper2 33.33 92.22 54.76 47.01 54.76 33.33 33.33 33.33 33.33 15.49 1 3
poc/poc_result1 0.00 94.44 27.27 23.08 27.27 7.37 13.12 17.59 21.07 83.19 1 3
poc/poc_result2 33.33 87.78 53.03 46.03 53.03 33.33 33.33 33.33 33.33 9.91 1 3
poc/poc_result3 0.00 95.00 25.00 12.50 16.67 0.00 0.00 0.00 0.00 34.92 1 2
poc/poc_result4 33.33 94.44 76.19 72.62 60.52 40.71 46.45 50.92 54.40 76.47 1 6
poc/poc_result5 16.67 89.44 32.38 23.67 25.20 24.04 29.78 34.25 37.74 47.61 1 6
poc/zero_shot_result1 0.00 96.67 16.67 11.11 16.67 20.49 34.19 43.48 49.89 52.38 1 3
poc/zero_shot_result2 0.00 96.67 7.14 4.76 7.14 46.64 64.79 73.07 77.42 52.38 1 7
poc/zero_shot_result3 85.71 99.52 92.86 90.48 92.86 85.71 85.71 85.71 85.71 52.38 1 7
poc/zero_shot_result4 75.00 98.06 100.00 33.33 5.56 76.84 78.28 79.40 80.27 17.79 1 12
rsa_check/RSA_check_A 0.00 90.00 33.33 20.00 25.00 0.00 0.00 0.00 0.00 34.92 1 1
rsa_check/RSA_check_B 0.00 83.33 33.33 14.29 16.67 0.00 0.00 0.00 0.00 24.65 1 1
"""


@pytest.mark.parametrize("row", PUBLISHED.strip().splitlines(), ids=lambda row: row.split()[0])
def test_published_figures_come_out(row, dst_data):
    name, *figures = row.split()
    suffix = "_seed_557_prediction" if name.startswith("T5") else ""
    file = read_file(dst_data / f"{name}{suffix}.json")
    report = score_tracking(file.dialogues)
    metrics = report.metrics
    measured = [
        *(metrics[metric] for metric in ("JGA", "SA", "AGA", "IAGA", "RSA")),
        *(metrics["FGA"][decay] for decay in LAMBDAS),
        metrics["GCA"],
    ]
    *shares, dialogues, turns = map(float, figures)
    assert measured == pytest.approx(shares, abs=0.0051)
    assert (report.dialogues, report.turns) == (dialogues, turns)


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
