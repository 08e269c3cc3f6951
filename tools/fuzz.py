"""Feed the harness what nobody would write, and see that it says so in one message.

    python tools/fuzz.py [--seconds N] [--seed N]

Files are made from the sample's submissions, by changing what they hold and how they are written.

Readers, normaliser and delexicaliser are fed. Whatever comes, the outcome is a result or an
`InputError`; all else is a failure, and is shown with the file that it takes.
"""

from __future__ import annotations

import argparse
import base64
import copy
import gzip
import json
import random
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mwz.harness.data import load_benchmark
from mwz.harness.errors import LONGEST_MESSAGE, InputError
from mwz.harness.metrics import parse_tracking_file, score_tracking
from mwz.harness.scoring import Scorer, delexicaliser_of, report_on
from mwz.harness.submission import (
    checked_submission,
    normalize_submission,
    parse_predictions,
    standard_form,
)
from mwz.normalization import DEFAULT_RULES, normalize_response, published_rule_sets, rule_set

SAMPLES = Path(__file__).parents[1] / "harness" / "sample" / "submissions"

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 10**30, 1e308, float("nan"), float("inf")),
    *("", " ", "0", "-", "a-b", "none", "dontcare", "not mentioned", "25:99", "9pm"),
    *([], {}, [[]], [{}], {"": ""}, {"state": {}}, [{"response": ""}], {"0": {"state": {}}}),
    *("\x1b[2J\x07", "\u202e", "\ud800", "\x00", "ﬁ", "ß", "İ", "🙂", "a\nb", "$x$"),
    *("[", "]]", "[a", "[value_name]", "[restaurant_name]", "hotel-area-north"),
    *("town001", "mul0001", "a" * 5000, "a " * 3000, " " * 3000, "." * 3000),
    {"30000000": {"state": {}}},
    {"restaurant": {"area": None}},
    {"gold": {}, "pred": {}},
    {"turn_belief": ["hotel-area-north"], "pred_bs_ptr": ["hotel-area"]},
)


@cache
def documents() -> list[Any]:
    """Return what all files are made from: predictions in some forms, and trackers' files."""
    made_from: list[Any] = []
    for path in sorted(SAMPLES.glob("*.json")):
        content = dict(list(json.loads(path.read_text(encoding="utf-8")).items())[:3])
        made_from.append(content)
        made_from.append({f"{key}.json": turns for key, turns in content.items()})
        for keys in (("turn_belief", "pred_bs_ptr"), ("gold", "pred")):
            tracked: dict[str, dict[str, Any]] = {}
            for id_, turns in content.items():
                tracked[id_] = {}
                for number, turn in enumerate(turns):
                    lines = []
                    for domain, slots in turn.get("state", {}).items():
                        lines += [f"{domain}-{slot}-{value}" for slot, value in slots.items()]
                    tracked[id_][str(number)] = {name: list(lines) for name in keys}
            made_from.append(tracked)
    return made_from


def made(chance: random.Random) -> bytes:
    """Return a file: one of the documents with some things changed, and written in some way."""
    content = copy.deepcopy(chance.choice(documents()))
    for _ in range(chance.randrange(5)):
        content = _changed(content, chance)
    try:
        is_ascii = chance.random() < 0.5
        data = json.dumps(content, ensure_ascii=is_ascii).encode(errors="surrogatepass")
    except ValueError:
        data = b"[]"
    end, packed = chance.randrange(len(data) + 1), gzip.compress(data, mtime=0)
    ways = (
        packed,
        packed[: chance.randrange(200)],
        data[:end],
        data[:end] + bytes([chance.randrange(256)]) + data[end + 1 :],
        b"\xef\xbb\xbf" + data,
        data.decode(errors="replace").encode("utf-16"),
        b"[" * chance.randrange(3000) + data,
    )
    way = chance.randrange(20)
    return ways[way] if way < len(ways) else data


def _changed(content: Any, chance: random.Random) -> Any:
    """Return a document with one place of it changed."""
    way = chance.choice(list(_places(content, ())))
    hostile = copy.deepcopy(chance.choice(HOSTILE))
    if not way:
        return hostile
    inside = content
    for step in way[:-1]:
        inside = inside[step]
    last, kind = way[-1], chance.randrange(9)
    if kind == 0:
        del inside[last]
    elif kind == 1 and isinstance(inside, dict):
        inside[str(hostile)] = inside.pop(last)
    elif kind == 2 and isinstance(inside, list):
        inside.insert(last, copy.deepcopy(inside[last]))
    elif kind == 3:
        for _ in range(chance.randrange(60)):
            inside[last] = chance.choice(([inside[last]], {"a": inside[last]}))
    elif kind < 8 and isinstance(inside[last], str):
        place = chance.randrange(len(inside[last]) + 1)
        inside[last] = inside[last][:place] + str(hostile) + inside[last][place:]
    else:
        inside[last] = hostile
    return content


def _places(content: Any, way: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the ways to the places of a document, the first of them at any depth."""
    yield way
    if isinstance(content, dict | list) and len(way) < 8:
        pairs = content.items() if isinstance(content, dict) else enumerate(content)
        for key, value in list(pairs)[:8]:
            yield from _places(value, (*way, key))


@cache
def _scorer() -> Scorer:
    return Scorer(load_benchmark("sample"))


def feed(data: bytes) -> None:
    """Give a file to everything that reads one, and its text to what works on text.

    Raises:
        Exception: Anything but an InputError is a failure, and so is one whose message is not as
            short and plain as promised.
    """
    scorer = _scorer()
    benchmark = scorer.benchmark
    messages = []
    try:
        standard = standard_form(parse_predictions(data, "x.json"), "x.json")
        submission = checked_submission(standard, benchmark, "x.json")
        report_on(scorer, normalize_submission(submission, rule_set(DEFAULT_RULES)))
    except InputError as error:
        messages.append(str(error))
    try:
        file = parse_tracking_file(parse_predictions(data, "x.json"), "x.json", lambda: benchmark)
        score_tracking(file.dialogues)
    except InputError as error:
        messages.append(str(error))
    for message in messages:
        if len(message) > LONGEST_MESSAGE + 1000 or not message.replace("\n", "").isprintable():
            raise RuntimeError(f"a message that is no message: {message[:500]!r}")
    text = data[:2000].decode(errors="replace")
    for rules in map(rule_set, published_rule_sets()):
        normalize_response(text, rules)
    delexicaliser_of(scorer)(text)


def main() -> None:
    """Feed files for some time; print how many, or the one that is a failure, and end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="[default: 60]")
    parser.add_argument("--seed", type=int, default=0, help="[default: 0]")
    arguments = parser.parse_args()
    chance, fed = random.Random(arguments.seed), 0
    ends = time.monotonic() + arguments.seconds
    while time.monotonic() < ends:
        data = made(chance)
        try:
            feed(data)
        except Exception:
            print(
                f"input {fed} of --seed {arguments.seed}:", base64.b64encode(data[:2000]).decode()
            )
            raise
        fed += 1
    print(f"{fed} files: nothing but results and messages")


if __name__ == "__main__":
    main()
