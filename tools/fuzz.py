"""Feed the harness what nobody would write, and see that it says so in one message.

    python tools/fuzz.py [--seconds N] [--seed N]

Files are made from the sample's submissions, by changing what they hold and how they are written.

Readers, normaliser and delexicaliser are fed. Whatever comes, the outcome is a result or an
`InputError`; all else is a failure, and is shown with the file that it takes.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import copy
import gzip
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

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

Choose: TypeAlias = Callable[[int], int]
"""Returns a number from 0 to below the one it is given: what all chance comes from."""

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


def documents() -> list[Any]:
    """Return what all files are made from: predictions in some forms, and trackers' files."""
    found: list[Any] = []
    for path in sorted(SAMPLES.glob("*.json")):
        content = dict(list(json.loads(path.read_text(encoding="utf-8")).items())[:3])
        found.append(content)
        found.append({f"{key}.json": turns for key, turns in content.items()})
        for keys in (("turn_belief", "pred_bs_ptr"), ("gold", "pred")):
            tracked: dict[str, dict[str, Any]] = {}
            for id_, turns in content.items():
                tracked[id_] = {}
                for number, turn in enumerate(turns):
                    slots = _flat(turn.get("state", {}))
                    tracked[id_][str(number)] = {name: list(slots) for name in keys}
            found.append(tracked)
    return found


def _flat(state: Mapping[str, Mapping[str, str]]) -> list[str]:
    lines = []
    for domain, slots in state.items():
        lines += [f"{domain}-{slot}-{value}" for slot, value in slots.items()]
    return lines


_documents = cache(documents)


def made(choose: Choose) -> bytes:
    """Return a file: one of the documents with some things changed."""
    content = copy.deepcopy(_documents()[choose(len(_documents()))])
    for _ in range(choose(5)):
        content = _changed(content, choose)
    try:
        data = json.dumps(content, ensure_ascii=bool(choose(2))).encode(errors="surrogatepass")
    except ValueError:
        data = b"[]"
    return _rewritten(data, choose)


def _changed(content: Any, choose: Choose) -> Any:
    """Return a document with one place of it changed."""
    places = list(_places(content, ()))
    way = places[choose(len(places))]
    if not way:
        return _hostile(choose)
    inside = content
    for step in way[:-1]:
        inside = inside[step]
    last, kind = way[-1], choose(9)
    if kind == 0:
        del inside[last]
    elif kind == 1 and isinstance(inside, dict):
        inside[str(_hostile(choose))] = inside.pop(last)
    elif kind == 2 and isinstance(inside, list):
        inside.insert(last, copy.deepcopy(inside[last]))
    elif kind == 3:
        for _ in range(choose(60)):
            inside[last] = [inside[last]] if choose(2) else {"a": inside[last]}
    elif kind < 8 and isinstance(inside[last], str):
        place = choose(len(inside[last]) + 1)
        inside[last] = inside[last][:place] + str(_hostile(choose)) + inside[last][place:]
    else:
        inside[last] = _hostile(choose)
    return content


def _hostile(choose: Choose) -> Any:
    return copy.deepcopy(HOSTILE[choose(len(HOSTILE))])


def _places(content: Any, way: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the ways to the places of a document, the first of them at any depth."""
    yield way
    if isinstance(content, dict | list) and len(way) < 8:
        pairs = content.items() if isinstance(content, dict) else enumerate(content)
        for key, value in list(pairs)[:8]:
            yield from _places(value, (*way, key))


def _rewritten(data: bytes, choose: Choose) -> bytes:
    """Return a file written in another way, or damaged; mostly as it was."""
    end, packed = choose(len(data) + 1), gzip.compress(data, mtime=0)
    ways = (
        packed,
        packed[: choose(200)],
        data[:end],
        data[:end] + bytes([choose(256)]) + data[end + 1 :],
        b"\xef\xbb\xbf" + data,
        data.decode(errors="replace").encode("utf-16"),
        b"[" * choose(3000) + data,
    )
    way = choose(20)
    return ways[way] if way < len(ways) else data


@cache
def _scorer() -> Scorer:
    return Scorer(load_benchmark("sample"))


def feed(data: bytes) -> None:
    """Give a file to everything that reads one, and its text to what works on text.

    Raises:
        Exception: Anything but an InputError is a failure.
    """
    scorer = _scorer()
    benchmark = scorer.benchmark
    with _told():
        standard = standard_form(parse_predictions(data, "x.json"), "x.json")
        submission = checked_submission(standard, benchmark, "x.json")
        report_on(scorer, normalize_submission(submission, rule_set(DEFAULT_RULES)))
    with _told():
        file = parse_tracking_file(parse_predictions(data, "x.json"), "x.json", lambda: benchmark)
        score_tracking(file.dialogues)
    text = data[:2000].decode(errors="replace")
    for rules in map(rule_set, published_rule_sets()):
        normalize_response(text, rules)
    delexicaliser_of(scorer)(text)


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Let an InputError pass, if its message is as short and plain as promised."""
    try:
        yield
    except InputError as error:
        message = str(error)
        if len(message) > LONGEST_MESSAGE + 1000 or not message.replace("\n", "").isprintable():
            raise RuntimeError(f"a message that is no message: {message[:500]!r}") from error


def files(seconds: int, seed: int) -> None:
    """Feed files for some time; print how many, or the one that is a failure, and end."""
    drawn, fed = random.Random(seed), 0
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        data = made(drawn.randrange)
        try:
            feed(data)
        except Exception:
            print(f"input {fed} of --seed {seed}:", base64.b64encode(data[:2000]).decode())
            raise
        fed += 1
    print(f"{fed} files: nothing but results and messages")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="[default: 60]")
    parser.add_argument("--seed", type=int, default=0, help="[default: 0]")
    arguments = parser.parse_args()
    files(arguments.seconds, arguments.seed)


if __name__ == "__main__":
    main()
