"""The references of a benchmark, prepared for corpus BLEU of normalised responses in all styles.

Conventions: a score is in percent; one reference per segment, a segment being a system turn; the
segments of a style are compared by position. The tokens are those of sacreBLEU's 13a, and the
n-gram counts those of its corpus BLEU, but sacreBLEU makes neither here: plain words are split by a
regular expression, and only texts with any other word are given to its tokeniser; n-grams are
counted for all styles at once, because the styles share their hypotheses and most of their
references' words. Tests compare both with sacreBLEU.

Source: Papineni et al. (2002); Post (2018), "A Call for Clarity in Reporting BLEU Scores".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
import numpy.typing as npt

from mwz.normalization.remembering import SHORT, Remembered, remembering

from ..benchmark import CANONICAL_STYLE
from ._numbered import distinct, numbered_ngrams
from .words import LONG, words_of

MAX_ORDER = 4
_STYLE = "style "

_Ints: TypeAlias = npt.NDArray[np.int64]
_Small: TypeAlias = npt.NDArray[np.int32]
_Flags: TypeAlias = npt.NDArray[np.bool_]

Tokenization: TypeAlias = Callable[[str], Sequence[str]]
"""Splits a text into tokens."""


def tokenize_13a(text: str) -> list[str]:
    """Tokenise as `mteval-v13a` does, sacreBLEU's default.

    Text is tokenised word by word, and the words of short texts are remembered: the rules look at
    neighbouring characters only, and treat a blank as they do the end of a text. Only a hyphen
    before a line end is joined to what follows, so texts of several lines are tokenised as a whole.
    """
    if "\n" in text:
        return _tokens_13a(text.rstrip())
    tokens_of = _remembered_13a.__getitem__ if len(text) <= SHORT else _tokens_13a
    return [*chain.from_iterable(map(tokens_of, text.split()))]


PLAIN = re.compile(r"(?:[A-Za-z'!-%(-+:;=-@[-`{-~/-]|[.,](?![0-9])|[0-9](?!-))*")
"""A word of which 13a makes a token of each mark and of what is between marks."""

_PARTS = re.compile(r"[A-Za-z0-9'-]+|.")


def _tokens_13a(text: str) -> list[str]:
    if PLAIN.fullmatch(text):
        return _PARTS.findall(text)
    # Importing it takes a tenth of the time of a score, and most systems have plain words alone.
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    tokens: list[str] = Tokenizer13a()(text).split()
    # They would keep every word, of any length, for a tokeniser that is gone.
    Tokenizer13a.__call__.cache_clear()
    TokenizerRegexp.__call__.cache_clear()
    return tokens


_remembered_13a = Remembered(_tokens_13a, 1 << 14)


TOKENIZATIONS: Mapping[str, Tokenization] = {
    "13a": tokenize_13a,
    # As the benchmark's original script does.
    "none": str.split,
    "lowered": lambda text: text.lower().split(),
}
"""Ways to tokenise for BLEU. Scores that count are made with "13a"; the others explain papers'."""


@dataclass(frozen=True)
class _Segments:
    """Tokenised segments, laid end to end.

    Attributes:
        tokens: Token ids; -1 for what the references never say.
        lengths: Per segment, its number of tokens.
    """

    tokens: _Small
    lengths: _Small

    @cached_property
    def owner(self) -> _Small:
        """Per token, the number of the segment it belongs to."""
        return np.repeat(np.arange(len(self.lengths), dtype=np.int32), self.lengths)

    def sums(self, numbers: _Ints) -> _Ints:
        """Return the sum of the numbers of each segment's tokens.

        Args:
            numbers: Of each token; the last one is that of a token that has no id.
        """
        sums = np.append(0, np.cumsum(numbers[self.tokens]))
        ends = np.cumsum(self.lengths)
        summed: _Ints = sums[ends] - sums[ends - self.lengths]
        return summed

    def holding(self, table: _Flags) -> _Flags:
        """Return which columns of a table some token of each segment has; its rows as `numbers`."""
        held = np.zeros((len(self.lengths), table.shape[1]), np.bool_)
        some = np.asarray(table.any(axis=1))
        at = np.flatnonzero(some[self.tokens])
        owner, had = self.owner[at], table[self.tokens[at]]
        for column in range(table.shape[1]):
            held[owner[had[:, column]], column] = True
        return held

    def repeats(self) -> npt.NDArray[np.uint16]:
        """Return, per order and token, how often its segment has the n-gram from there before."""
        repeats = np.zeros((MAX_ORDER, len(self.tokens)), np.uint16)
        # A token of another segment is another token.
        tokens = self.owner.astype(np.int64) * (1 + self.tokens.max(initial=0)) + self.tokens
        single = np.unique(tokens, return_inverse=True)[1]
        ngrams = numbered_ngrams(single, self.lengths.astype(np.int64), MAX_ORDER)
        for order, (starts, numbers) in enumerate(ngrams):
            repeats[order, starts] = _times_before(numbers)
        return repeats


@dataclass(frozen=True)
class Said:
    """What a system said, in the tokens of a benchmark's references.

    Attributes:
        turns: The number of each response's turn in the benchmark.
        dialogues: How many responses each dialogue has.
        texts: The distinct responses. Systems repeat themselves: what takes long is done for each
            of these once.
        text: Per response, the number of its text.
        segments: The tokens of the texts.
    """

    turns: _Ints
    dialogues: Sequence[int]
    texts: Sequence[str]
    text: _Ints
    segments: _Segments

    @cached_property
    def strange(self) -> _Ints:
        """The numbers of the texts with a token that the references never say."""
        segments = self.segments
        return distinct(segments.owner[segments.tokens < 0], len(segments.lengths))


def _times_before(numbers: _Ints) -> _Ints:
    """Return how often each number was there before."""
    counts = np.bincount(numbers)
    times = np.empty(len(numbers), np.int64)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    times[np.argsort(numbers, kind="stable")] = np.arange(len(numbers)) - first
    return times


class ReferenceIndex:
    """The references of a benchmark, tokenised once, to score any number of submissions.

    Args:
        references: Dialogue id -> style -> normalised references, one per system turn.
        tokenization: How texts are split into tokens, hypotheses as well as references.
    """

    def __init__(
        self,
        references: Mapping[str, Mapping[str, Sequence[str]]],
        tokenization: Tokenization = tokenize_13a,
    ) -> None:
        self._tokenization = tokenization
        # A variant is a distinct reference text of a turn: the styles often agree.
        variants: dict[tuple[int, str], int] = {}
        self._first_turn: dict[str, int] = {}
        style_variants: dict[str, list[int]] = {}
        turns = 0
        for dialogue_id, styles in references.items():
            self._first_turn[dialogue_id] = turns
            for style, texts in styles.items():
                numbers = style_variants.setdefault(style, [])
                for turn, text in enumerate(texts, start=turns):
                    numbers.append(variants.setdefault((turn, text), len(variants)))
            turns += len(next(iter(styles.values())))
        self._variants = {style: np.array(v, np.int64) for style, v in style_variants.items()}
        self._variant_turn = np.array([turn for turn, _ in variants], np.int64)
        self._vocabulary: dict[str, int] = {}
        number = self._vocabulary.setdefault
        self._references = _segments(
            [number(token, len(self._vocabulary)) for token in tokenization(text)]
            for _, text in variants
        )
        self._repeats = self._references.repeats()
        self._digests = np.array([self._digest(text) for _, text in variants], np.uint64)
        words = [words_of(token).words for token in self._vocabulary]
        # What the references never say has the last place.
        self._words = np.array([*map(len, words), 0], np.int64)
        self._word_sums = np.array([*(sum(map(_number, own)) for own in words), 0], np.int64)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the index as arrays, for `from_arrays`: name -> array, none of objects."""
        words = "\n".join(self._vocabulary)
        repeated = np.flatnonzero(self._repeats)
        return {
            "first_turn": np.array([*self._first_turn.values()], np.int32),
            "variant_turn": self._variant_turn.astype(np.int32),
            "tokens": self._references.tokens,
            "lengths": self._references.lengths,
            # Hardly any n-gram is repeated.
            "repeated": repeated.astype(np.int32),
            "repeats": self._repeats.flat[repeated],
            "digests": self._digests,
            "words": self._words,
            "word_sums": self._word_sums,
            "vocabulary": np.frombuffer(words.encode(), np.uint8),
            **{f"{_STYLE}{style}": v.astype(np.int32) for style, v in self._variants.items()},
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], dialogues: Iterable[str]
    ) -> ReferenceIndex:
        """Return the index that `to_arrays` wrote, tokenised by 13a.

        Args:
            arrays: What it returned.
            dialogues: The ids of the dialogues, in the order they had then.
        """
        index = cls.__new__(cls)
        index._tokenization = tokenize_13a
        index._first_turn = dict(zip(dialogues, arrays["first_turn"].tolist(), strict=True))
        index._variants = {
            name.removeprefix(_STYLE): array.astype(np.int64)
            for name, array in arrays.items()
            if name.startswith(_STYLE)
        }
        index._variant_turn = arrays["variant_turn"].astype(np.int64)
        # No token holds white space.
        words = arrays["vocabulary"].tobytes().decode().split("\n")
        index._vocabulary = {word: number for number, word in enumerate(words) if word}
        index._references = _Segments(arrays["tokens"], arrays["lengths"])
        index._repeats = np.zeros((MAX_ORDER, len(arrays["tokens"])), np.uint16)
        index._repeats.flat[arrays["repeated"]] = arrays["repeats"]
        index._digests = arrays["digests"]
        index._words, index._word_sums = arrays["words"], arrays["word_sums"]
        return index

    def said(self, responses: Mapping[str, Sequence[str]]) -> Said:
        """Return responses in the tokens of the references.

        Args:
            responses: Dialogue id -> normalised responses, one per system turn from the first; what
                they leave out of the benchmark is left out.
        """
        first, numbers = self._first_turn, dict[str, int]()
        text = [
            numbers.setdefault(one, len(numbers)) for texts in responses.values() for one in texts
        ]
        turns = (range(first[id_], first[id_] + len(texts)) for id_, texts in responses.items())
        return Said(
            turns=np.fromiter(chain.from_iterable(turns), np.int64),
            dialogues=[*map(len, responses.values())],
            texts=[*numbers],
            text=np.array(text, np.int64),
            segments=_segments(map(self._numbers, numbers)),
        )

    def statistics(self, said: Said) -> dict[str, _Ints]:
        """Return style -> what BLEU is computed from, a row per dialogue: they may be added up.

        A row holds the hypotheses' length, the references' length, then per n-gram order the
        matches, then per order the hypotheses' n-grams: 2 + 2 x `MAX_ORDER` numbers.

        Args:
            said: The responses. The rows are in the order of their dialogues.
        """
        matches = self._matches(said.segments, self._text_of_turn(said))
        own_lengths = said.segments.lengths[said.text]
        dialogue = np.repeat(np.arange(len(said.dialogues)), said.dialogues)

        def by_dialogue(values: _Ints | _Small) -> _Ints:
            sums = np.bincount(dialogue, weights=values, minlength=len(said.dialogues))
            return sums.astype(np.int64)

        lengths = by_dialogue(own_lengths)
        totals = [by_dialogue(np.maximum(own_lengths - n, 0)) for n in range(MAX_ORDER)]
        return {
            style: np.column_stack(
                [
                    lengths,
                    by_dialogue(self._references.lengths[compared]),
                    *(by_dialogue(found[compared]) for found in matches),
                    *totals,
                ]
            )
            for style, variants in self._variants.items()
            for compared in [variants[said.turns]]
        }

    def copies(self, said: Said) -> tuple[_Flags, _Flags]:
        """Tell of each response if it is long, and if it has the words of a reference of its turn.

        Long ones have `LONG` words or more; others are no copies. Punctuation does not count. Words
        are looked at where the sums of their numbers agree, or where a text is strange.
        """
        counts, sums = (said.segments.sums(of) for of in (self._words, self._word_sums))
        digests = np.zeros(len(said.texts), np.uint64)
        digests[said.strange] = [self._digest(said.texts[text]) for text in said.strange]
        long = counts >= LONG
        long[said.strange] = digests[said.strange] > 0
        text = self._text_of_turn(said)[self._variant_turn]
        alike = (text >= 0) & (sums[text] == self._references.sums(self._word_sums)) & long[text]
        found = distinct(text[alike], len(said.texts))
        digests[found] = [self._digest(said.texts[number]) for number in found]
        same = (text >= 0) & (digests[text] == self._digests) & (self._digests > 0)
        turns = np.zeros(self._turns, np.bool_)
        turns[self._variant_turn[same]] = True
        return long[said.text], turns[said.turns]

    def slots(self, said: Said, slots: Sequence[str]) -> tuple[_Flags, _Flags]:
        """Tell of each response, and of the canonical reference of its turn, which slots it holds.

        Returns:
            Two arrays, each with a row per response and a column per slot.
        """
        none = [False] * len(slots)
        words = [
            none if word.islower() else [slot in word for slot in slots]
            for word in self._vocabulary
        ]
        table = np.array([*words, none], np.bool_)
        own = said.segments.holding(table)
        for text in said.strange:
            own[text] = [slot in said.texts[text] for slot in slots]
        canonical = self._variants[CANONICAL_STYLE][said.turns]
        return own[said.text], self._references.holding(table)[canonical]

    @cached_property
    def _turns(self) -> int:
        """How many turns the benchmark has."""
        return 1 + int(self._variant_turn.max(initial=-1))

    def _text_of_turn(self, said: Said) -> _Ints:
        """Return the number of the text of each turn of the benchmark; -1 of turns not played."""
        texts = np.full(self._turns, -1, np.int64)
        texts[said.turns] = said.text
        return texts

    def _digest(self, text: str) -> int:
        """Return a number of the words of a text, as it is tokenised; 0 if it is not long."""
        return words_of(" ".join(self._tokenization(text))).digest

    @cached_property
    def _numbers(self) -> Callable[[str], list[int]]:
        """Returns the numbers of a response's tokens."""
        known = _Known(self._vocabulary).__getitem__

        @remembering(1 << 14)
        def numbers(text: str) -> list[int]:
            return [*map(known, self._tokenization(text))]

        return numbers

    def _matches(self, hypotheses: _Segments, text_of_turn: _Ints) -> list[_Ints]:
        """Return, per n-gram order, how many n-grams each variant shares with its hypothesis.

        An n-gram of a hypothesis gets a number that is made of the number of its first n-1 tokens
        and that of its last one. Only n-grams of the hypotheses have numbers; so a reference
        n-gram that is none of them is gone after one look-up, and ever fewer are looked up.

        Args:
            hypotheses: The distinct responses.
            text_of_turn: Per turn of the benchmark, the number of its response; -1 of turns not
                played.
        """
        owner, variants = self._references.owner, len(self._references.lengths)
        words, base = len(self._vocabulary), max(len(hypotheses.tokens), 1)
        keys = _keys(hypotheses.owner, hypotheses.tokens, words)
        reference_keys = _keys(
            text_of_turn[self._variant_turn][owner], self._references.tokens, words
        )
        # Where the reference n-grams that are looked up begin.
        starts = np.arange(len(owner))
        matches = []
        for order in range(1, MAX_ORDER + 1):
            known = _Numbered(keys)
            numbers = known.of(keys)
            counts = np.bincount(numbers[numbers >= 0], minlength=base)
            reference_numbers = known.of(reference_keys)
            found = np.flatnonzero(reference_numbers >= 0)
            starts, reference_numbers = starts[found], reference_numbers[found]
            # An n-gram matches at most as often as the hypothesis has it.
            matching = self._repeats[order - 1][starts] < counts[reference_numbers]
            matches.append(np.bincount(owner[starts[matching]], minlength=variants))
            if order == 1:
                last = numbers
                reference_last = np.full(len(owner) + MAX_ORDER, -1, np.int32)
                reference_last[starts] = reference_numbers
                reference_owner = np.append(owner, np.full(MAX_ORDER, -1, np.int32))
            keys = _longer(numbers, last, base, hypotheses.owner, order)
            longer = reference_owner[starts + order] == owner[starts]
            starts, reference_numbers = starts[longer], reference_numbers[longer]
            reference_keys = _keys(reference_numbers, reference_last[starts + order], base)
        return matches


class _Known(dict[str, int]):
    """The numbers of the references' tokens; -1 of any other."""

    def __missing__(self, token: str) -> int:
        return -1


class _Numbered:
    """Numbers of keys: equal keys have one number, a place of theirs.

    A table has, by the last digits of keys, a place of a key that ends so; the few others are
    looked for among these keys in order.

    Args:
        keys: They are at least 0, or -1 where there is none.
    """

    def __init__(self, keys: _Ints) -> None:
        # What has no place in the table is looked up in the last one.
        self._keys = np.append(keys, -1)
        self._digits = (1 << (8 * len(keys)).bit_length()) - 1
        self._places = np.full(self._digits + 1, -1, np.int32)
        present = np.flatnonzero(keys >= 0)
        self._places[keys[present] & self._digits] = present
        crowded = present[keys[self._places[keys[present] & self._digits]] != keys[present]]
        self._others, first = np.unique(keys[crowded], return_index=True)
        self._places_of_others = crowded[first]
        self._crowded = np.zeros(self._digits + 1, np.bool_)
        self._crowded[self._others & self._digits] = True

    def of(self, keys: _Ints) -> _Small:
        """Return the number of each key; -1 of those that have none."""
        digits = keys & self._digits
        numbers: _Small = self._places[digits]
        if len(self._others):
            crowded = np.flatnonzero(self._crowded[digits])
            at = np.minimum(np.searchsorted(self._others, keys[crowded]), len(self._others) - 1)
            among = self._others[at] == keys[crowded]
            numbers[crowded[among]] = self._places_of_others[at[among]]
        numbers[(keys < 0) | (self._keys[numbers] != keys)] = -1
        return numbers


def _number(word: str) -> int:
    """Return a number that few other words have, the same in every process."""
    return crc32(word.encode("utf-8", "surrogatepass"))


def _segments(tokens: Iterable[Sequence[int]]) -> _Segments:
    """Lay the tokens of segments end to end."""
    known = [*tokens]
    lengths = np.fromiter(map(len, known), np.int32, len(known))
    return _Segments(np.fromiter(chain.from_iterable(known), np.int32, lengths.sum()), lengths)


def _keys(prefixes: _Ints | _Small, last: _Small, base: int) -> _Ints:
    """Return one number for each pair; -1 where either of the two is -1."""
    keys = prefixes.astype(np.int64)
    keys *= base
    keys += last
    keys[(prefixes < 0) | (last < 0)] = -1
    return keys


def _longer(numbers: _Small, last: _Small, base: int, owner: _Small, order: int) -> _Ints:
    """Return the keys of the n-grams one token longer that begin at each position."""
    keys = np.full(len(numbers), -1, np.int64)
    if len(numbers) > order:
        inside = owner[:-order] == owner[order:]
        extended = _keys(numbers[:-order], last[order:], base)
        keys[:-order] = np.where(inside, extended, -1)
    return keys
