"""BLEU: a corpus worked out by hand, and equality with sacreBLEU on anything."""

from __future__ import annotations

import marshal
import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import pytest
import sacrebleu
from hypothesis import given, settings, strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

from mwz.harness import Benchmark
from mwz.harness.metrics import References, bleu_of_counts, tokenize_13a

Texts = Mapping[str, Mapping[str, Sequence[str]]]
Responses = Mapping[str, Sequence[str]]


def _scores(references: References, responses: Responses) -> dict[str, float]:
    sums = references.counts_of(responses).sum(axis=0).tolist()
    return dict(zip(references.styles, map(bleu_of_counts, sums), strict=True))


def _bleu(response: str, reference: str) -> float:
    return _scores(References.of_texts({"d": {"style": [reference]}}), {"d": [response]})["style"]


def _sacrebleu(responses: Responses, references: Texts, style: str) -> float:
    hypotheses, compared = [], []
    for id_, texts in responses.items():
        hypotheses += texts
        compared += references[id_][style][: len(texts)]
    return sacrebleu.corpus_bleu(hypotheses, [compared]).score


@pytest.mark.parametrize(
    ("response", "reference", "score"),
    [
        # 7 tokens against 6, no brevity penalty. Unigrams 6 of 7 (the third "the" is clipped),
        # bigrams 5 of 6 ("the the" is wrong), trigrams 4 of 5, 4-grams 3 of 4.
        (
            "the the cat sat on a mat",
            "the cat sat on a mat",
            (6 / 7 * 5 / 6 * 4 / 5 * 3 / 4) ** 0.25,
        ),
        # An n-gram counts no more often than the response has it: "the" is twice in the reference.
        # Unigrams 5/5, bigrams 4/4, trigrams 3/3, 4-grams 2/2; 5 tokens against 6.
        ("the cat sat on mats", "the the cat sat on mats", math.exp(1 - 6 / 5)),
        # Brevity: all n-grams are in the reference of 6 tokens.
        ("a b c d", "a b c d e f", math.exp(1 - 6 / 4)),
        # Orders without matches are smoothed exponentially: unigrams 3/4, bigrams 1/3, trigrams
        # 0/2 -> 1/(2*2), 4-grams 0/1 -> 1/(4*1).
        ("a b x c", "a b y c", (3 / 4 * 1 / 3 * 1 / 4 * 1 / 4) ** (1 / 4)),
        # Case and punctuation, as 13a splits them: NAME , it is NAME . against name , it is NAME .
        # Unigrams 5/6, bigrams 4/5, trigrams 3/4, 4-grams 2/3.
        ("NAME, it is NAME.", "name, it is NAME.", (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** (1 / 4)),
    ],
)
def test_bleu_of_one_segment_by_hand(response: str, reference: str, score: float) -> None:
    assert _bleu(response, reference) == pytest.approx(100 * score)


def test_counts_are_summed_over_segments_before_they_are_divided() -> None:
    # Segments "a b c d e" against "a b c d x" and "v w x y" against "v w z y".
    # Unigrams 4/5 and 3/4: 7/9. Bigrams 3/4 and 1/3 (v w): 4/7. Trigrams 2/3 and 0/2: 2/5.
    # 4-grams 1/2 and 0/1: 1/3. Lengths 9 and 9.
    index = References.of_texts({"d": {"style": ["a b c d x", "v w z y"]}})
    expected = 100 * (7 / 9 * 4 / 7 * 2 / 5 * 1 / 3) ** (1 / 4)
    assert _scores(index, {"d": ["a b c d e", "v w x y"]})["style"] == pytest.approx(expected)


def test_no_response_at_all_scores_0() -> None:
    index = References.of_texts({"d": {"style": ["a b"]}})
    assert _scores(index, {}) == {"style": 0}
    assert _scores(index, {"d": []}) == {"style": 0}
    assert [_bleu(said, "a b") for said in ("x y", "")] == [0, 0]


def test_each_style_has_its_own_score() -> None:
    references = {"d": {"one": ["a b c d e"], "two": ["v w x y z"], "three": ["a b c d z"]}}
    scores = _scores(References.of_texts(references), {"d": ["a b c d e"]})
    assert list(scores) == ["one", "two", "three"]
    assert scores["one"] == pytest.approx(100)
    assert scores["two"] == 0
    # 4/5, 3/4, 2/3, 1/2.
    assert scores["three"] == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 / 2) ** (1 / 4))


def test_turns_are_compared_by_position_and_unplayed_ones_do_not_count() -> None:
    texts = {"d1": ["a b c d e", "this is never said"], "d2": ["v w x y z"], "d3": ["k l m n o"]}
    index = References.of_texts({id_: {"style": said} for id_, said in texts.items()})
    assert _scores(index, {"d3": ["k l m n o"], "d1": ["a b c d e"]})["style"] == pytest.approx(100)


_LINES = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="ab1.,- \n\t\u00a0\u2028&;<>skip'\"/", max_size=20),
    st.text(alphabet="aB1'.,-&<!$%_/\"é", max_size=12),
    st.lists(
        st.sampled_from(["&quot;", "&amp;", "<skipped>", "3.5", "-\n", "a.b", "1,", ".", "it's"]),
        max_size=6,
    ).map(" ".join),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(_LINES, max_size=5))
def test_tokens_are_sacrebleus(texts: list[str]) -> None:
    tokenizer = Tokenizer13a()
    assert [*map(tokenize_13a, texts)] == [tokenizer(t.rstrip()).split() for t in texts]


_WORDS = st.lists(st.sampled_from(["a", "b", "c", "NAME", ".", "it's"]), max_size=8).map(" ".join)


@st.composite
def _corpora(draw: st.DrawFn) -> tuple[dict[str, dict[str, list[str]]], dict[str, list[str]]]:
    """Draw references in several styles, and responses to some turns of some dialogues."""
    styles = ["s1", "s2", "s3"][: draw(st.integers(1, 3))]
    references = {}
    for number in range(draw(st.integers(1, 4))):
        turns = draw(st.integers(1, 3))
        texts = st.lists(_WORDS, min_size=turns, max_size=turns)
        references[f"d{number}"] = {style: draw(texts) for style in styles}
    responses = {}
    for id_ in draw(st.permutations(sorted(references))):
        if draw(st.booleans()):
            turns = len(references[id_][styles[0]])
            responses[id_] = draw(st.lists(_WORDS, max_size=turns))
    return references, responses


@settings(deadline=None, max_examples=200)
@given(_corpora())
def test_scores_are_sacrebleus(corpus: Any) -> None:
    references, responses = corpus
    before = deepcopy(responses)
    scores = _scores(References.of_texts(references), responses)
    assert responses == before
    for style, score in scores.items():
        assert score == (_sacrebleu(responses, references, style) if any(responses.values()) else 0)


def test_references_come_back_from_plain_data(sample: Benchmark) -> None:
    texts = {id_: dialogue.references for id_, dialogue in sample.dialogues.items()}
    references = References.of_texts(texts)
    again = References.unpacked(marshal.loads(marshal.dumps(references.packed())))
    responses = {id_: by_style["damd"] for id_, by_style in texts.items()}
    assert _scores(again, responses) == _scores(references, responses)


def test_sacrebleu_keeps_no_texts() -> None:
    tokenize_13a("a word " + "b&" * 1000)
    assert Tokenizer13a.__call__.cache_info().currsize == 0
    assert TokenizerRegexp.__call__.cache_info().currsize == 0
