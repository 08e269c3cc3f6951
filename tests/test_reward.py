"""One dialogue scored by itself, as a reward; and the loops of docs/python.md."""

from __future__ import annotations

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sacrebleu
from helpers import CAREFUL, PROJECT, sample_predictions

import mwz.harness
from mwz.harness import Benchmark
from mwz.harness.benchmark import CANONICAL_STYLE
from mwz.harness.data import load_benchmark
from mwz.harness.scoring import Options, Scorer
from mwz.normalization import normalized_text

NAMES = ("careful", "hasty", "scripted")


@pytest.fixture
def scorer(sample: Benchmark) -> Scorer:
    return Scorer(sample)


@pytest.mark.parametrize("name", NAMES)
def test_rewards_are_on_average_what_the_whole_scores(name: str, scorer: Scorer) -> None:
    report = scorer.score(sample_predictions(name))
    # The sources of the whole file: "auto" would look at each dialogue by itself.
    chosen = scorer.with_options(states=report.signature.states, domains=report.signature.domains)
    outcomes = chosen.dialogues(sample_predictions(name))
    assert [outcome.id for outcome in outcomes] == list(sample_predictions(name))
    assert 100 * sum(o.inform for o in outcomes) / len(outcomes) == pytest.approx(report.inform)
    assert 100 * sum(o.success for o in outcomes) / len(outcomes) == pytest.approx(report.success)


def test_bleu_of_each_turn_is_that_of_sacrebleu(scorer: Scorer) -> None:
    for id_, turns in sample_predictions("careful").items():
        references = scorer.benchmark.dialogues[id_].references[CANONICAL_STYLE]
        expected = tuple(
            sacrebleu.sentence_bleu(
                normalized_text(turn["response"], scorer.rules), [reference]
            ).score
            for turn, reference in zip(turns, references, strict=False)
        )
        assert scorer.dialogue(id_, turns).sentence_bleu == expected


def test_a_dialogue_may_be_played_several_times(scorer: Scorer) -> None:
    id_, turns = next(iter(sample_predictions("careful").items()))
    silent = [{"response": "ok", "state": {}}] * len(turns)
    good, bad, again = scorer.dialogues([(id_, turns), (id_, silent), (id_, turns)])
    assert good == again == scorer.dialogue(id_, turns)
    assert (good.inform, bad.inform) == (1, 0)
    assert set(bad.causes.values()) == {"never named", "never said"}


def test_a_batch_is_not_decided_together(scorer: Scorer) -> None:
    # One dialogue without states does not take them from the others.
    predictions = sample_predictions("careful")
    first, *_ = predictions
    mixed = {**predictions, first: [{"response": t["response"]} for t in predictions[first]]}
    assert scorer.dialogues(mixed)[1:] == scorer.dialogues(predictions)[1:]


def test_a_turn_is_scored_among_the_benchmarks_own(sample: Benchmark) -> None:
    scorer = Scorer(sample, Options(states="gold", domains="gold", metrics=["inform", "bleu"]))
    # town001 asks for address and telephone number of an Italian restaurant in the centre.
    dialogue = sample.dialogues["town001"]
    told = ["ADDRESS" in text or "PHONE" in text for text in dialogue.references[CANONICAL_STYLE]]
    assert told == [False, True, False]
    empty = [scorer.turn("town001", number, {"response": "ok"}) for number in range(3)]
    assert [result.success for result in empty] == [0, 0, 1]
    good = scorer.turn("town001", 1, {"response": "[address], [phone]"})
    assert (good.success, len(good.sentence_bleu)) == (1, 1)
    # By its own state, no venue can be offered.
    lost = {"response": "[name]", "state": {"restaurant": {"food": "nowhere"}}}
    assert scorer.with_options(states="predicted").turn("town001", 1, lost).inform == 0


def test_a_turn_in_plain_words_stands_among_human_responses(sample: Benchmark) -> None:
    scorer = Scorer(sample, Options(lexicalised=True))
    responses = sample.dialogues["town001"].responses
    for number, response in enumerate(responses):
        assert scorer.turn("town001", number, {"response": response}).success == 1
    assert scorer.turn("town001", 1, {"response": "ok"}).success == 0


def test_turns_that_cannot_be_scored_are_worth_nothing(scorer: Scorer) -> None:
    good = {"response": "[name] is nice"}
    batch: list[Any] = [("town001", 0, good), ("nowhere", 0, good), ("town001", 3, good)]
    batch += [("town001", -1, good), ("town001", 0, None), ("town001", 0, {"response": 3})]
    values = scorer.turn_rewards(batch, lambda result: 2.0)
    assert [reward.value for reward in values] == [2, 0, 0, 0, 0, 0]
    assert "dialogue town001, turn 3: not in the benchmark" in (values[2].reason or "")


# docs/python.md, run as it is printed.

_BLOCKS = re.findall(
    r"```python\n(.*?)```", (PROJECT / "docs" / "python.md").read_text("utf-8"), re.DOTALL
)


@pytest.fixture
def documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the blocks of the document define."""
    monkeypatch.chdir(tmp_path)
    Path("predictions.json").write_bytes(CAREFUL.read_bytes())
    names: dict[str, Any] = {}
    for block in _BLOCKS:
        # No benchmark is installed in tests: the sample is what `load_benchmark()` gives.
        code = re.sub(r'load_benchmark\("multiwoz-\w+"\)', "load_benchmark()", block)
        exec(compile(code, "docs/python.md", "exec"), names)
    return names


def test_a_files_score_is_its_predictions(documented: dict[str, Any], sample: Benchmark) -> None:
    assert documented["first"] == Scorer(sample).score(sample_predictions("careful"))


class _Model:
    """A model that gets better, then worse."""

    EPOCHS = ("hasty", "careful", "hasty", "hasty", "hasty", "careful")

    def __init__(self) -> None:
        self.epoch = -1
        self.saved: list[int] = []

    def train_one_epoch(self) -> None:
        self.epoch += 1

    def predict(self, benchmark: Benchmark) -> Any:
        assert benchmark.name == "sample"
        return sample_predictions(self.EPOCHS[self.epoch])

    def save(self) -> None:
        self.saved.append(self.epoch)


def test_the_documented_early_stopping_stops_early(
    documented: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    model = _Model()
    best = documented["train"](model, epochs=6)
    # The second epoch is the best; three that are no better follow, the sixth is never trained.
    assert (model.epoch, model.saved) == (4, [0, 1])
    sample = load_benchmark("sample")
    expected = Scorer(sample, Options(setup="strict", metrics=["bleu", "inform"]))
    assert best == expected.score(sample_predictions("careful"))
    assert "epoch 4: " in capsys.readouterr().out


def test_the_documented_reward_is_higher_for_what_is_better(documented: dict[str, Any]) -> None:
    names = documented
    means = {
        name: sum(rewards) / len(rewards)
        for name in ("careful", "hasty")
        for rewards in [names["rewards"](list(sample_predictions(name).items()))]
    }
    assert means["careful"] > means["hasty"]
    outcome = names["rewarder"].dialogues(sample_predictions("hasty"))
    assert all(0 <= names["shaped"](dialogue) <= 1 for dialogue in outcome)
    assert all((names["shaped"](dialogue) == 1) == bool(dialogue.success) for dialogue in outcome)


def test_the_documented_rewards_by_workers_are_in_order(documented: dict[str, Any]) -> None:
    names = documented
    # Threads stand in for processes, which could not import what is only in a document.
    names["ProcessPoolExecutor"] = ThreadPoolExecutor
    rollouts = list(sample_predictions("careful").items())[:7]
    assert names["rewards"](rollouts, workers=3) == names["rewards"](rollouts)


class _Trainer:
    """In place of TRL's `GRPOTrainer` 1.16: calls the reward functions as its method does.

    The model says the reference in the first and "ok" in the second of two generations.
    """

    def __init__(self, reward_funcs: Any, **arguments: Any) -> None:
        self.functions, self.arguments = reward_funcs, arguments
        self.rewards: dict[str, list[list[float]]] = {}

    def train(self) -> None:
        for split in ("train", "eval"):
            inputs, completions = [], []
            rows = self.arguments[f"{split}_dataset"]
            for row, following in pairwise(rows):
                # The message before the user's next one.
                if following["dialogue_id"] == row["dialogue_id"]:
                    inputs += [row, row]
                    reply = {"role": "assistant", "content": "ok"}
                    completions += [[following["prompt"][-2]], [reply]]
            columns = {name: [row[name] for row in inputs] for name in inputs[0]}
            prompts = columns.pop("prompt")
            columns |= {"trainer_state": None, "log_extra": print, "log_metric": print}
            self.rewards[split] = [
                function(
                    prompts=prompts,
                    completions=completions,
                    completion_ids=[[1]] * len(prompts),
                    **columns,
                )
                for function in self.functions
            ]


def test_the_notebook_rewards_turns_and_stops_by_the_dev_set(
    sample: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets, transformers, trl = map(ModuleType, ("datasets", "transformers", "trl"))
    datasets.Dataset = type("Dataset", (), {"from_list": list})  # type: ignore[attr-defined]
    transformers.EarlyStoppingCallback = dict  # type: ignore[attr-defined]
    trl.GRPOConfig, trl.GRPOTrainer = dict, _Trainer  # type: ignore[attr-defined]
    for module in (datasets, transformers, trl):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    asked: list[str] = []

    def load(name: str) -> Benchmark:
        asked.append(name)
        return sample

    monkeypatch.setattr(mwz.harness, "load_benchmark", load)
    notebook = json.loads((PROJECT / "docs" / "grpo.ipynb").read_text("utf-8"))
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert asked == ["multiwoz-train", "multiwoz-dev"]
    assert len(names["rows"]("train")) == sample.turns
    trainer = names["trainer"]
    assert trainer.arguments["args"]["metric_for_best_model"] == "eval_reward"
    for success, bleu in trainer.rewards.values():
        assert len(success) == 2 * (sample.turns - len(sample.dialogues))
        # References lose what they lose in all turns; "ok" loses more.
        assert sum(success[::2]) > sum(success[1::2]) > 0
        assert bleu[::2] == [pytest.approx(1)] * len(bleu[::2])
        assert max(bleu[1::2]) < 0.5
