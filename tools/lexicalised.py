"""Measure the delexicaliser against the span annotation of MultiWOZ 2.2.

    python tools/lexicalised.py MULTIWOZ_EVALUATION MULTIWOZ [NOISE ...]

takes clones (or copies) of the two public repositories and prints, per half of the test dialogues
and per kind of noise:

- F1 of the slots that Inform and Success look at, where a found span is right if it overlaps an
  annotated one of its slot, and an annotated one is found likewise; after the slash, F1 without the
  spans that the annotation lacks though their value is the database's own;
- BLEU of the delexicalised responses against the annotated ones, delexicalised likewise;
- strict Inform and Success, with gold states and active domains from their changes.

Rules are tuned on the tuning half alone; a dialogue's half is told by a hash of its id. Noise is
seeded by the turn and stays within annotated words but for upper and lower case and for lists, so
that the annotated responses stay what they are.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import sacrebleu

from mwz.harness import Benchmark
from mwz.harness.benchmark import CANONICAL_STYLE
from mwz.harness.data import build_benchmark, read_data_set
from mwz.harness.scoring import Options, Report, Scorer, report_on
from mwz.harness.submission import made_submission
from mwz.normalization import normalized_text, rule_set, sha256
from mwz.normalization.delexicaliser import Delexicalised, Delexicaliser, Span

SLOTS = ("NAME", "PHONE", "POST", "TRAINID", "REFERENCE", "ADDRESS")
RULES = rule_set("2021")
OPTIONS = Options(rules=RULES.name, setup="strict", metrics=("inform",))
HALVES = ("tuning", "held")


def half(id_: str) -> str:
    """Return which half of the dialogues one belongs to, by its id in lower case."""
    return HALVES[int(sha256(id_), 16) % 2]


@dataclass(frozen=True)
class Piece:
    """A part of an annotated response.

    Attributes:
        words: Its words.
        placeholder: The annotated slot as MultiWOZ names it; "" of plain words.
    """

    words: str
    placeholder: str = ""

    @property
    def slot(self) -> str:
        """The ontology slot; "" of plain words."""
        return RULES.ontology[self.placeholder] if self.placeholder else ""


Response: TypeAlias = Sequence[Piece]


Dialogues: TypeAlias = Mapping[str, Sequence[Response]]
"""Short id -> the annotated system turns."""


def read_annotated(folder: Path) -> Dialogues:
    """Read the test dialogues of MultiWOZ 2.2."""
    acts = json.loads((folder / "dialog_acts.json").read_text(encoding="utf-8"))
    dialogues = {}
    for path in sorted((folder / "test").glob("dialogues_*.json")):
        for dialogue in json.loads(path.read_text(encoding="utf-8")):
            spans = acts[dialogue["dialogue_id"]]
            dialogues[dialogue["dialogue_id"].split(".")[0].lower()] = [
                list(pieces(turn["utterance"], spans[turn["turn_id"]]["span_info"]))
                for turn in dialogue["turns"]
                if turn["speaker"] == "SYSTEM"
            ]
    return dialogues


def pieces(utterance: str, spans: Sequence[Sequence[Any]]) -> Iterator[Piece]:
    """Cut an utterance at its annotated spans, left to right, as the references are made."""
    done = 0
    for _, slot, value, start, end in sorted(spans, key=lambda span: int(span[3])):
        if start < done or value == "dontcare":
            continue
        yield Piece(utterance[done:start])
        yield Piece(utterance[start:end], slot)
        done = end
    yield Piece(utterance[done:])


# Noise.

_Noise: TypeAlias = Callable[[Response, random.Random], Response]
_BED_AND_BREAKFAST = re.compile(r"\b(bed and breakfast|b and b|b & b)\b", re.IGNORECASE)
_APOSTROPHE = re.compile(r" ?['’] ?")
_CAMBRIDGE = re.compile(r"\bcambridge ?\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.?!]) +(?=\S)")


def _in_spans(change: Callable[[str, random.Random], str], *slots: str) -> _Noise:
    """Return noise that changes the words of annotated values of some slots, or all words."""

    def noisy(response: Response, chance: random.Random) -> Response:
        pieces = []
        for piece in response:
            words = piece.words
            if piece.slot in slots or not slots:
                words = change(words, chance) or words
            pieces.append(replace(piece, words=words))
        return pieces

    return noisy


def _with_typo(text: str, chance: random.Random) -> str:
    """Leave out, double or change one letter of one word of at least five letters."""
    candidates = list(re.finditer(r"[A-Za-z]{5,}", text))
    if not candidates:
        return text
    word = chance.choice(candidates)
    place = chance.randrange(word.start() + 1, word.end())
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
    changed = chance.choice(("", text[place] * 2, letter))
    return text[:place] + changed + text[place + 1 :]


def _with_blanks(text: str, chance: random.Random) -> str:
    """Write a telephone number, postcode or train id in groups."""
    compact = text.replace(" ", "")
    if re.fullmatch(r"[0-9]{10,11}", compact):
        return f"{compact[:5]} {compact[5:8]} {compact[8:]}"
    postcode = re.fullmatch(r"([A-Za-z]{2}[0-9]{1,2})([0-9][A-Za-z]{2})", compact)
    if postcode:
        return f"{postcode[1]} {postcode[2]}"
    if re.fullmatch(r"[Tt][Rr][0-9]{4}", compact):
        return f"{compact[:2]} {compact[2:]}"
    return text


def _as_list(response: Response, chance: random.Random) -> Response:
    """Write every sentence as an item of a list, values in bold."""
    items = [
        replace(piece, words=piece.words if piece.slot else _SENTENCE.sub("\n- ", piece.words))
        for piece in response
    ]

    def bold(text: str, _: random.Random) -> str:
        return f"**{text}**"

    return [Piece("- "), *_in_spans(bold, *RULES.ontology.values())(items, chance)]


NOISES: Mapping[str, _Noise] = {
    "none": lambda response, chance: response,
    "lower case": _in_spans(lambda text, _: text.lower()),
    "upper case": _in_spans(lambda text, _: text.upper()),
    "no apostrophes": _in_spans(lambda text, _: _APOSTROPHE.sub("", text), "NAME", "ADDRESS"),
    "B&B": _in_spans(lambda text, _: _BED_AND_BREAKFAST.sub("B&B", text), "NAME"),
    "no Cambridge": _in_spans(lambda text, _: _CAMBRIDGE.sub("", text).strip(), "NAME"),
    "typos": _in_spans(_with_typo, "NAME", "ADDRESS"),
    "numbers with blanks": _in_spans(_with_blanks, "PHONE", "POST", "TRAINID"),
    "markdown": _as_list,
}


def with_noise(name: str, dialogues: Dialogues) -> Dialogues:
    """Return dialogues with one kind of noise; the given ones are left as they are."""
    noisy: dict[str, list[Response]] = {}
    for id_, responses in dialogues.items():
        noisy[id_] = []
        for turn, response in enumerate(responses):
            chance = random.Random(f"{name} {id_} {turn}")
            noisy[id_].append(NOISES[name](response, chance))
    return noisy


# Measures.

_Place: TypeAlias = tuple[int, int, str]
"""Start, end, slot."""


Counts: TypeAlias = Counter[str]
"""What is counted of one slot's spans: `found` by the delexicaliser, of these `right` (they overlap
an annotated one of the slot) and `unmarked` (they do not, though the database has their value);
`annotated`, of these `recalled` (a found one of the slot overlaps them)."""


def f1(counts: Counts) -> float:
    """Return the harmonic mean of precision (right / found) and recall (recalled / annotated)."""
    precision = counts["right"] / max(counts["found"], 1)
    recall = counts["recalled"] / max(counts["annotated"], 1)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def f1_without_unmarked(counts: Counts) -> float:
    """Return F1 without the spans that the annotation lacks though the database has them."""
    return f1(counts - Counter(found=counts["unmarked"]))


@dataclass(frozen=True)
class Measured:
    """How a delexicaliser does on some dialogues.

    Attributes:
        slots: Ontology slot -> its counts.
        bleu: BLEU of the delexicalised responses.
        inform: Strict Inform with gold states, in percent.
        success: Strict Success with gold states, in percent.
    """

    slots: Mapping[str, Counts]
    bleu: float
    inform: float
    success: float


def measure(
    dialogues: Dialogues,
    delexicalise: Callable[[str], Delexicalised],
    benchmark: Benchmark,
) -> Measured:
    """Measure a delexicaliser on annotated dialogues."""
    counts: dict[str, Counts] = defaultdict(Counter)
    predictions = {}
    pairs = []
    for id_, responses in dialogues.items():
        turns: list[dict[str, object]] = []
        for response in responses:
            delexicalised = delexicalise("".join(piece.words for piece in response))
            count(counts, delexicalised.spans, list(_annotated_places(response)))
            turns.append({"response": delexicalised.text})
            pairs.append((normalized_text(delexicalised.text, RULES), annotated_text(response)))
        predictions[id_] = turns
    rates = _strict(Scorer(benchmark, OPTIONS).score(predictions))
    bleu = sacrebleu.corpus_bleu([own for own, _ in pairs], [[gold for _, gold in pairs]])
    return Measured(counts, bleu.score, *rates)


def annotated_text(response: Response) -> str:
    """Return a response with placeholders for its annotated values, normalised."""
    text = "".join(f"[{p.placeholder}]" if p.placeholder else p.words for p in response)
    return normalized_text(text, RULES)


def _strict(report: Report) -> tuple[float, float]:
    scores = report.metrics["strict"]
    return scores.inform["total"], scores.success["total"]


def _annotated_places(response: Response) -> Iterator[_Place]:
    start = 0
    for piece in response:
        end = start + len(piece.words)
        if piece.slot:
            yield start, end, piece.slot
        start = end


def count(counts: Mapping[str, Counts], spans: Sequence[Span], annotated: Sequence[_Place]) -> None:
    """Add the spans of one response to the counts of their slots."""
    places = [(span.start, span.end, span.slot) for span in spans]
    for span, place in zip(spans, places, strict=True):
        right = any(_overlap(place, other) for other in annotated)
        unmarked = not right and bool(span.venues)
        counts[span.slot].update(found=1, right=right, unmarked=unmarked)
    for place in annotated:
        recalled = any(_overlap(place, other) for other in places)
        counts[place[2]].update(annotated=1, recalled=recalled)


def _overlap(first: _Place, second: _Place) -> bool:
    return first[2] == second[2] and first[0] < second[1] and second[0] < first[1]


# The report.


def main(evaluator: Path, multiwoz: Path, noises: Sequence[str]) -> None:
    """Print the measures."""
    folders = {"evaluator": evaluator, "data set": multiwoz}
    benchmark, _, _ = build_benchmark(read_data_set("multiwoz"), folders)
    delexicaliser = Delexicaliser(benchmark.venue_records(RULES), RULES)
    dialogues = read_annotated(multiwoz / "data" / "MultiWOZ_2.2")
    for name in HALVES:
        part = {id_: responses for id_, responses in dialogues.items() if half(id_) == name}
        own = replace(benchmark, dialogues={id_: benchmark.dialogues[id_] for id_ in part})
        made = made_submission(own, CANONICAL_STYLE)
        inform, success = _strict(report_on(Scorer(own, OPTIONS), made))
        print(
            f"\n{name} half: {len(part)} dialogues; annotated responses get "
            f"Inform {inform:.1f}, Success {success:.1f}"
        )
        print(f"{'noise':<20}" + "".join(f"{title:>12}" for title in (*SLOTS, "BLEU", "I / S")))
        for noise in noises:
            measured = measure(with_noise(noise, part), delexicaliser, benchmark)
            slots = ""
            for slot in SLOTS:
                counts = measured.slots[slot]
                slots += f"{f1(counts):7.3f}/{f1_without_unmarked(counts):.2f}"
            rates = f"{measured.inform:.1f}/{measured.success:.1f}"
            print(f"{noise:<20}{slots}{measured.bleu:12.1f}{rates:>12}")


if __name__ == "__main__":
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= NOISES.keys():
        sys.exit(f"{__doc__}\nNoise: {', '.join(NOISES)}")
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or list(NOISES))
