"""Moses detokenisation: what sacremoses makes of a text, however long."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from helpers import RULES
from hypothesis import example, given, settings, strategies as st
from sacremoses import MosesDetokenizer, MosesTokenizer

from mwz.normalization import normalized_text, normalizing
from mwz.normalization.normalizing import detokenize

TOKENIZER = MosesTokenizer(lang="en")
DETOKENIZER = MosesDetokenizer(lang="en")


def plainly(text: str) -> str:
    """What sacremoses makes of a text, given all of it at once."""
    detokenized: str = DETOKENIZER.detokenize(TOKENIZER.tokenize(text))
    return detokenized


PIECES = (
    *("the", "s", "5", "a.b", "e.g", "v", "No", "is", "Name", "3,000", "x,y", "ssss"),
    *("n't", "'s", "s'", "'ve", "it's", "'tis", "o'c", "5's"),
    *("'", "''", '"', "`", "``", "„", "“", "”", "«"),
    *(".", "..", "...", ",", "-", "--", "@-@", "?", "!", ":", ";", "%", "/", "\\", "|", "_", "#"),
    *("[", "]", "(", ")", "{", "<", "&", "&amp;", "&#91;", "&apos;", "$", "€", "¿", "[type]"),
    *(" ", " ", " ", "  ", "\t", "\n", "\xa0", "\u3000", "\x1c", "\x85"),
    *("\x00", "\x08", "\x1b", "\x7f", "\u200b"),
    *("中", "文", "가", "。", "ー", "é", "ß", "и", "привет", "\u0301", "\u094d", "²", "½"),
    "\U0001f600",
    *("\ud800", "\u0345", "DOT", "MULTI", "DOTMULTI", "D", "THISISPROTECTED000"),
)
WORDS = (
    *("the", "5", "a.b.", "no.", "No", "joneses", "3,000", "it's", "o'c's", "a'b5", "5's", "é's"),
    *("'", "'s", "s'", '"', "`", "“", "„", "中", "中文", "b\xa0c", "é", "£", "$", "[", ")", "-"),
    *(".", "...", ",", "?", "'tis", ".'", "'.", "DOTMULTI", "DOT\x00MULTI", "x\x01", "", "\n"),
)
ASCII = (
    *("a", "b", "s", "5", "Z", "it's", "n't", "o'c", "5's", "a.b", "No.", "5,0", "joneses"),
    *("'", " '", "' ", " ' ", ".", " .", "..", "...", ",", " ,", "-", "--", "@-@", "?", "!", ":"),
    *r";%/\|_#&$[](){}<> ",
    "  ",
    *('"', "`", "MULTI", "~", "\n"),
)
TEXTS = st.one_of(
    # Words, most of them plain, with blanks between, as responses are.
    st.lists(st.sampled_from([*WORDS, "a", "b", "c", "s"]), max_size=12).map(" ".join),
    # One kind of quote, or two.
    st.lists(st.sampled_from(["a", "b", "s", "'", "'a", "b'", "a'b'c", "5'"]), max_size=9).map(
        " ".join
    ),
    st.lists(st.sampled_from(['"', "„", "“", "`", "'"]), min_size=1, max_size=2).flatmap(
        lambda quotes: st.lists(st.sampled_from(["a", "b", "s", *quotes]), max_size=9).map(" ".join)
    ),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join),
    # A few pieces over and over meet each other more often.
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).flatmap(
        lambda some: st.lists(st.sampled_from([*some, " "]), max_size=30).map("".join)
    ),
    st.text(max_size=40),
    st.lists(st.sampled_from(ASCII), max_size=14).map("".join),
)


@settings(deadline=None, max_examples=1000)
@given(TEXTS)
# A text that cannot be cut between words: its quotes are counted, or a word becomes a full stop.
@example('a " b c " d')
@example("a ` b c ` d")
@example("a ' b c ' d")
@example("a „ b c “ d")
@example("a b DOTMULTI c")
@example("a b DOT\x00MULTI c")
@example("a b DOTMUL\x00TI c")
# One that can: its quotes belong to contractions.
@example("it's 5 o'clock. no. 5 a.b. c e.g. d")
# Quotes open and close in turn; what opens, closes and stands between meets them.
@example("the joneses ' ( ' a , ' .. ' b's")
@example("5'5 s'5 'a b'")
@example("a '  ' b")
@example("$ .. ' , [ x ] ' .")
# Commas at the ends, between digits, and beside each other.
@example(",5 5,0 5,a a,5 5,")
@example("a,,5 , , 5")
# Whether a full stop ends a sentence.
@example("No. 5 no. a a.b. C -. x")
# A quote behind a hyphen is no contraction.
@example("-'a")
@example("a-'b a--'s -'5 a -' b")
def test_detokenised_is_what_sacremoses_makes_of_it(text: str) -> None:
    assert detokenize(text) == plainly(text)


@pytest.mark.parametrize(
    ("text", "detokenized"),
    [
        # Moses takes every second quote for one that closes, wherever words begin between them.
        ('say "hello there" now', 'say "hello there" now'),
        # What it writes a run of dots as, in the text itself.
        ("a DOTMULTI", "a."),
        # Quotes open and close in turn, each kind by itself, and what is between them is close.
        ('a " b c " d', 'a "b c" d'),
        ("a \" b ' c ' d \" e", "a \"b 'c' d\" e"),
        ("„ b “ c", "„b“ c"),
        # A quote behind an s ends a possessive and opens nothing.
        ("the joneses ' a ' b ' c", "the joneses' a 'b' c"),
        # No blank behind a currency symbol or an open bracket, none before a full stop.
        ("a $ 5 . b ( c ) d", "a $5. b (c) d"),
        # No blank between two words in Chinese.
        ("a 中 文 b", "a 中文 b"),
    ],
)
def test_what_moses_makes_of_quotes_brackets_and_chinese(text: str, detokenized: str) -> None:
    assert detokenize(text) == normalizing._by_sacremoses(text) == detokenized


@pytest.mark.parametrize(
    "repeated",
    [
        *("the cat sat ", "1 2 ", "a. b ", "a.b. ", "it's ", '" a ', "' a ", '"'),
        *("`' a ``' ''` b ", "[", "[a ", "$ ", "привет мир ", "中", "\U0001f600 ", "a", "."),
        *("'", "' ", ",", ",5", " "),
        *("\x00", "DOT", "DOT."),
    ],
)
def test_a_long_text_is_treated_as_sacremoses_does(repeated: str) -> None:
    text = f"so {repeated * (900 // len(repeated))} Yes"
    assert detokenize(text) == normalizing._by_sacremoses(text) == plainly(text)


def test_repeated_letters_of_a_run_of_dots_are_looked_at_once() -> None:
    # From each of them sacremoses looks for the end of the run: minutes for this text.
    text = "DOT" * 100_000
    assert detokenize(text) == text


@settings(deadline=None, max_examples=300)
@given(TEXTS)
@example("[[name]s [ name ] [hotel_name]-es [na[me]s -s-ly [value price] [\n]")
def test_a_response_is_normalised_as_the_steps_say(response: str) -> None:
    text = re.sub(
        r"\[([\w\s\d]+)\](es|s|-s|-es|)",
        lambda placeholder: RULES.ontology.get(placeholder[1], ""),
        response.lower(),
    )
    text = text.replace("-s", "").replace("-ly", "")
    assert normalized_text(response, RULES) == plainly(text)


def test_sacremoses_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys\n"
        "from mwz.normalization.normalizing import normalized_text\n"
        "from mwz.normalization.rules import rule_set\n"
        "print(normalized_text('hello !', rule_set('2021')))\n"
        "print('sacremoses' in sys.modules)\n"
        "print(ascii(normalized_text('caf\xe9 !', rule_set('2021'))))\n"
        "print('sacremoses' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["hello!", "False", r"'caf\xe9!'", "True"]
