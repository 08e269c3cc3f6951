"""Plain English in other characters: the same venues, and the same scores."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from mwz.harness import Options, Scorer, load_benchmark
from mwz.harness.benchmark import Benchmark
from mwz.harness.grounding.scores import GroundedScores
from mwz.normalization import plain_characters, rule_set
from mwz.normalization.delexicaliser import Delexicaliser

# Characters.


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Kettle’s Yard", "Kettle's Yard"),
        ("Kettle&#x27;s Yard", "Kettle's Yard"),
        ("Kettle&#39;s Yard &amp; garden", "Kettle's Yard & garden"),
        ("&quot;yes&quot;&nbsp;or&nbsp;no", '"yes" or no'),
        # Full-width letters and digits, and the ideographic space.
        ("\uff34\uff32\uff11\uff12\uff13\uff14\u3000leaves", "TR1234 leaves"),
        # No-break, narrow and figure spaces.
        ("01223\u00a0358\u202f966\u2007!", "01223 358 966 !"),
        # Byte order mark, zero-width space and joiner, soft hyphen.
        ("\ufeffcb\u200b2\u200d1sj, Restau\u00adrant", "cb21sj, Restaurant"),
        ("Café Uno, cafe\u0301 uno", "Cafe Uno, cafe uno"),
        ("non\u2011smoking, ﬁve, £5 …", "non-smoking, five, £5 ..."),
        ("Yard™ at 5", "Yard at 5"),
        # Plain text stays as it is.
        *(
            (text, text)
            for text in ("", "Rosa's & co; 5 < 6", "R&D; &c. &; &unknown; &amp", "\n\t")
        ),
    ],
)
def test_other_characters_are_read_as_plain_ones(written: str, read: str) -> None:
    assert plain_characters(written) == read


@given(st.text(max_size=40))
def test_what_is_plain_is_left_alone_and_ascii_stays_ascii(text: str) -> None:
    once = plain_characters(text)
    if "&" not in once:
        assert plain_characters(once) == once
    if text.isascii() and "&" not in text:
        assert once == text


def test_spans_are_places_of_the_text_in_plain_characters(sample: Benchmark) -> None:
    rules = rule_set("2021")
    delexicalise = Delexicaliser(sample.venue_records(rules), rules)
    delexicalised = delexicalise("\ufeffTry Nonna&#x27;s\u00a0Attic, it’s fine.")
    assert delexicalised.original == "Try Nonna's Attic, it's fine."
    [span] = delexicalised.spans
    assert delexicalised.original[span.start : span.end] == "Nonna's Attic"
    assert delexicalised.text == "Try [name], it's fine."


# Scores.

_WIDE = {ord(letter): chr(ord(letter) + 0xFEE0) for letter in map(chr, range(0x21, 0x7F))}
_ACCENTED = str.maketrans("aeiouc", "áèîöūç")
_HIDDEN = "\u200b\u200c\u200d\ufeff\u00ad\u2060"
_SPACES = "\u00a0\u202f\u2007\u3000 "


def _in_places(text: str, chance: Random, change: Callable[[str], str]) -> str:
    """Return a text with a change of about every third character."""
    return "".join(change(letter) if chance.random() < 0.3 else letter for letter in text)


_REWRITINGS: Mapping[str, Callable[[str, Random], str]] = {
    "full width": lambda text, chance: text.translate(_WIDE),
    "format characters": lambda text, chance: _in_places(
        text, chance, lambda letter: letter + chance.choice(_HIDDEN)
    ),
    "spaces": lambda text, chance: "".join(
        chance.choice(_SPACES) if letter == " " else letter for letter in text
    ),
    "more spaces": lambda text, chance: _in_places(
        text, chance, lambda letter: "  " if letter == " " else letter
    ),
    "tokens": lambda text, chance: re.sub(" ?' ?", " ' ", text),
    "curly tokens": lambda text, chance: re.sub(" ?' ?", " ’ ", text),
    "before the s": lambda text, chance: re.sub("(?<! )('s|n't)", r" \1", text),
    "curly": lambda text, chance: text.replace("'", "’"),
    "entities": lambda text, chance: (
        text.replace("&", "&amp;").replace("'", "&#x27;").replace('"', "&quot;")
    ),
    "accents": lambda text, chance: _in_places(
        text, chance, lambda letter: letter.translate(_ACCENTED)
    ),
    "accents apart": lambda text, chance: unicodedata.normalize(
        "NFD", _in_places(text, chance, lambda letter: letter.translate(_ACCENTED))
    ),
}
"""What people's tools do to a text -> the text so rewritten, given what chance draws."""


def _rewritten(text: str, names: Sequence[str], seed: int) -> str:
    chance = Random(seed)
    # What is escaped is not rewritten letter by letter.
    for name in sorted(names, key="entities full width".find):
        text = _REWRITINGS[name](text, chance)
    return text


def _grounded(benchmark: Benchmark, names: Sequence[str] = (), seed: int = 0) -> GroundedScores:
    predictions = {
        id_: [{"response": _rewritten(text, names, seed)} for text in dialogue.responses]
        for id_, dialogue in benchmark.dialogues.items()
    }
    scorer = Scorer(benchmark, Options(lexicalised=True, metrics=["grounded"]))
    scores: GroundedScores = scorer.score(predictions).metrics["grounded"]
    return scores


@cache
def _clean() -> GroundedScores:
    return _grounded(load_benchmark("sample"))


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.sampled_from([*_REWRITINGS]), min_size=1, max_size=3, unique=True),
    st.integers(0, 1 << 20),
)
def test_typography_does_not_change_scores(names: list[str], seed: int) -> None:
    assert _clean().success["total"] > 50
    assert _grounded(load_benchmark("sample"), names, seed) == _clean()


@pytest.fixture(scope="module")
def quarter(multiwoz: Benchmark) -> Benchmark:
    """Every fourth dialogue of MultiWOZ."""
    return replace(multiwoz, dialogues=dict([*multiwoz.dialogues.items()][::4]))


@pytest.fixture(scope="module")
def clean(quarter: Benchmark) -> GroundedScores:
    """What the human responses score as they are written."""
    return _grounded(quarter)


@pytest.mark.real_data
@pytest.mark.parametrize("name", _REWRITINGS)
def test_the_human_responses_of_multiwoz_score_the_same(
    name: str, quarter: Benchmark, clean: GroundedScores
) -> None:
    assert _grounded(quarter, [name], 7) == clean
