"""Responses and belief states in one form.

Texts and values are read in plain characters, whatever keyboard or tool wrote them: web pages hold
entities (`&#x27;`), documents curly quotes and no-break spaces, language models narrow spaces,
zero-width characters and full-width forms. None of it changes what a text says.

Responses have placeholders of the 18-slot ontology and Moses-detokenised text. The steps, in order:
lower-case; replace each placeholder (with a plural suffix) by its ontology name, an unknown one by
nothing; delete `-s`, then `-ly`; Moses-tokenise and -detokenise.

Slot names and values (strings) of belief states are as the venue database writes them. Which rule a
slot's values follow, and the canonical values, are tables of the rule set.

Sources: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator;
Unicode Standard Annex #15, normalisation form KC; Moses (Koehn et al., 2007), as sacremoses
implements it.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .rules import READ_BY_CODE, RuleSet, is_absent

if TYPE_CHECKING:
    from sacremoses import MosesDetokenizer, MosesTokenizer

# Characters.

_ENTITY = re.compile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}[0-9]{0,2});")
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4"
"""Quotation marks, a modifier letter, the prime and the acute accent."""

_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033"
_HYPHENS = "\u2010\u2011"
_MARKS_OF_TRADE = "\u2122\u2120"
"""The signs of trade and service marks: form KC would make them letters of the word before."""

_PLAIN_CHARACTERS = str.maketrans(
    _SINGLE_QUOTES + _DOUBLE_QUOTES + _HYPHENS,
    "'" * len(_SINGLE_QUOTES) + '"' * len(_DOUBLE_QUOTES) + "-" * len(_HYPHENS),
    _MARKS_OF_TRADE,
)
_LEFT_OUT = frozenset({"Cf", "Mn"})
"""Categories of characters that are left out: format characters, and accents of letters."""


def plain_characters(text: str) -> str:
    """Return a text without entities, format characters, accents and forms of other characters.

    A text in ASCII without entities is returned as it is.

    >>> plain_characters("caf\u00e9 &amp; \u2018bar\u2019")
    "cafe & 'bar'"
    """
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_PLAIN_CHARACTERS))
    plain = [mark for mark in decomposed if unicodedata.category(mark) not in _LEFT_OUT]
    return unicodedata.normalize("NFKC", "".join(plain))


# Moses detokenisation.

# What plain rules do not cover: other quotes than single ones, single ones that share a neighbour,
# begin or end the text, neighbouring commas, and the letters that stand for a run of dots.
_NOT_PLAIN = re.compile(r"""["`]|,,|MULTI|' ?[^ ]? ?'|^'|'$""")

# Tokens of their own: symbols, several dots, and a comma that is not between digits. A comma that
# begins a text stays with a digit behind it.
_OWN_TOKEN = re.compile(r"[!#$%&()*+/:;<=>?@[\\\]^_{|}~]|\.\.+|(?<=[^0-9]),|,(?![0-9])")

# A single quote that is no contraction. Those of contractions are written as they were.
_LONE_QUOTE = re.compile(r"(?<=[^A-Za-z0-9])'|'(?=[^A-Za-z])")

# Blanks behind what opens, and before punctuation; a quote may have been put behind that.
_CLOSED_UP = re.compile(r"(?<=[$(\[{]) | (?=(?:[,?!:;\\%}\])]|\.+)(?:[ ']|$))")


def detokenize(text: str) -> str:
    """Moses-tokenise and -detokenise a text in English, of any length.

    The outcome is that of sacremoses, for every text: `MosesDetokenizer("en").detokenize(
    MosesTokenizer("en").tokenize(text))`. Plain ASCII, which nearly all responses are, is treated
    without it; tests compare the two.

    Returns:
        The text with blanks where Moses puts them: one between words, none at the ends.

    >>> detokenize("it ' s in the centre , ok ?")
    "it 's in the centre, ok?"
    """
    if not (text.isascii() and text.isprintable()):
        return _by_sacremoses(text)
    tidy = " ".join(text.split())
    if _NOT_PLAIN.search(tidy):
        return _by_sacremoses(text)
    # Whether Moses takes a full stop for a token of its own makes no difference: it is written
    # without a blank before it either way.
    tokens = _OWN_TOKEN.sub(lambda token: f" {token[0]} ", tidy)
    if "'" in tokens:
        tokens = _LONE_QUOTE.sub(" ' ", tokens)
    stretches = " ".join(tokens.split()).split(" ' ")
    written = stretches[0]
    is_open = False
    for before, after in pairwise(stretches):
        # Behind an s a quote is a possessive and opens nothing.
        is_open = not is_open and not before.endswith("s")
        written += f" '{after}" if is_open else f"' {after}"
    return _CLOSED_UP.sub("", written)


@lru_cache(maxsize=1 << 14)
def _by_sacremoses(text: str) -> str:
    """Detokenise any text.

    Escaping for XML is left out, which detokenising would undo: every `&` is a token of its own,
    so that nothing but an escape is taken for one.
    """
    tokenizer, detokenizer = _moses()
    tokens = tokenizer.tokenize(text, escape=False)
    detokenized: str = detokenizer.detokenize(tokens, unescape=False)
    return detokenized


@lru_cache(maxsize=1)
def _moses() -> tuple[MosesTokenizer, MosesDetokenizer]:
    # Imports sacremoses late: it takes 0.4 s, and plain ASCII needs none of it.
    from sacremoses import MosesDetokenizer, MosesTokenizer

    tokenizer = MosesTokenizer(lang="en")
    # As they come, these make a set of thousands of letters for each token with a full stop, and
    # look for the end of a run of "DOT" from each place within it.
    tokenizer.islower = frozenset(tokenizer.IsLower).issuperset
    letters = frozenset(tokenizer.IsAlpha)
    tokenizer.isanyalpha = lambda token: not letters.isdisjoint(token)
    tokenizer.MULTIDOT_MARKER = re.compile(r"(?<!DOT)(?:DOT)+MULTI")
    return tokenizer, MosesDetokenizer(lang="en")


# Responses.

NAME = re.compile(r"[\w\s\d]+")
"""The name of a placeholder."""

DomainSlots: TypeAlias = Mapping[str, tuple[str, ...]]
"""domain -> ontology names of a response's placeholders that name it, as `[hotel_name]` does, in
order; empty for one that the ontology lacks."""

PLACEHOLDER = re.compile(rf"\[({NAME.pattern})\](es|s|-s|-es|)")
"""A placeholder; its name is the first group, its suffix the second."""


def placeholder_names(response: str) -> list[str]:
    """Return the names of a response's placeholders, in order, in lower case.

    >>> placeholder_names("[Hotel_name] has [choice]s")
    ['hotel_name', 'choice']
    """
    return [name for name, _ in PLACEHOLDER.findall(response.lower())]


def _replace_placeholders(text: str, rules: RuleSet) -> str:
    """Return a text with ontology names in place of placeholders and their suffixes."""
    return PLACEHOLDER.sub(lambda match: rules.ontology.get(match[1], ""), text)


def _delete_suffixes(text: str, rules: RuleSet) -> str:
    for suffix in rules.tables["responses"]["deleted"]:
        text = text.replace(suffix, "")
    return text


STEPS: Mapping[str, Callable[[str, RuleSet], str]] = {
    "lower-casing": lambda text, rules: text.lower(),
    "ontology": _replace_placeholders,
    "suffix rules": _delete_suffixes,
    "Moses": lambda text, rules: detokenize(text),
}
"""Name of a step -> the function that applies it to a text, in the order of application."""


def normalized_text(response: str, rules: RuleSet, without: str | None = None) -> str:
    """Return the normalised text of a response; `without` is a step to leave out, if any."""
    for name, step in STEPS.items():
        if name != without:
            response = step(response, rules)
    return response


class Placeholders(NamedTuple):
    """What the placeholders of a response say.

    Attributes:
        unknown: The names that the ontology lacks, one per occurrence; normalising removes them.
        domain_slots: Domain -> ontology names of the placeholders that name this domain.
        about_venues: How many placeholders tell about one venue.
        with_domain: How many of these name their domain.
    """

    unknown: tuple[str, ...]
    domain_slots: DomainSlots
    about_venues: int
    with_domain: int


@lru_cache(maxsize=1 << 15)
def normalize_response(response: str, rules: RuleSet) -> tuple[str, Placeholders]:
    """Return the normalised text of a response, and what its placeholders say."""
    unknown: list[str] = []
    slots: dict[str, tuple[str, ...]] = {}
    about_venues = 0
    with_domain = 0
    for name in placeholder_names(response):
        slot = rules.ontology.get(name, "")
        if name not in rules.ontology:
            unknown.append(name)
        # Placeholders that name their domain begin with it.
        domain = name.split("_", maxsplit=1)[0]
        names_domain = domain in rules.tables["domains"]
        if names_domain:
            slots[domain] = (*slots.get(domain, ()), slot)
        if slot in rules.about_venues:
            about_venues += 1
            with_domain += names_domain
    placeholders = Placeholders(tuple(unknown), slots, about_venues, with_domain)
    return normalized_text(response, rules), placeholders


# Belief states.

BeliefState: TypeAlias = Mapping[str, Mapping[str, str]]
"""domain -> slot -> value."""

_CLOCK = re.compile(r"([0-9][0-9]):([0-9][0-9])")
# Characters. Python refuses to read a number of thousands of digits.
_LONGEST_HOUR = 20


def without_empty_domains(state: BeliefState) -> BeliefState:
    """Return a state without domains that have no slot: what it says is the same."""
    return {domain: slots for domain, slots in state.items() if slots}


def without_absent_slots(state: BeliefState) -> BeliefState:
    """Return a state without the slots whose value says that they have none."""
    present: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        present[domain] = {slot: value for slot, value in slots.items() if not is_absent(value)}
    return present


def plain_slot_name(slot: str) -> str:
    """Return a slot's name in lower case and without blanks.

    >>> plain_slot_name("Price Range")
    'pricerange'
    """
    return slot.lower().replace(" ", "")


@lru_cache(maxsize=1 << 10)
def normalize_slot_name(slot: str, rules: RuleSet) -> str:
    """Return a slot's name in the harness's spelling: lower case, no blanks, `arrive`, `leave`."""
    plain = plain_slot_name(slot)
    return str(rules.tables["slot_aliases"].get(plain, plain))


@lru_cache(maxsize=1 << 15)
def normalize_value(slot: str, value: str, rules: RuleSet) -> str:
    """Return a slot's value in its canonical form.

    Args:
        slot: The slot's normalised name.
        value: The value as predicted or annotated.
        rules: The rule set to apply.
    """
    rule = rules.tables["value_rules"].get(slot)
    if rule is None:
        return value
    if rule in READ_BY_CODE:
        time = value.strip().lower()
        if rules.tables["time_words"].get(time):
            return str(rules.tables["time_words"][time])
        for prefix, canonical in rules.tables["time_prefixes"].items():
            if time.startswith(prefix):
                return str(canonical)
        clock = clock_of(plain_characters(value)) if rule == "clock" else None
        return clock or _published_time(time)
    if rule in ("name", "food"):
        value = value.strip().lower()
    if rule == "name":
        for phrase, canonical in rules.tables["name_phrases"].items():
            value = value.replace(phrase, canonical)
    return str(rules.tables[rule].get(value, value))


def normalize_state(state: BeliefState, rules: RuleSet) -> dict[str, dict[str, str]]:
    """Return a belief state with normalised slot names and values; the given one is kept.

    Where two spellings of a slot meet, the later one wins.
    """
    normalized: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        normalized[domain] = {}
        for slot, value in slots.items():
            name = normalize_slot_name(slot, rules)
            # The rules of times would read an empty value as midnight.
            is_empty = not value.strip()
            normalized[domain][name] = "" if is_empty else normalize_value(name, value, rules)
    return normalized


def minutes(time: str) -> int:
    """Return minutes since midnight of a time that begins with NN:NN, and 0 of anything else.

    >>> minutes("17:30"), minutes("noon")
    (1050, 0)
    """
    clock = _CLOCK.match(time)
    if clock is None:
        return 0
    return int(clock[1]) * 60 + int(clock[2])


def _published_time(time: str) -> str:
    """Return a time in lower case as HH:MM, where published rule sets can read it as one."""
    if time.startswith("by"):
        time = time[len("by ") :]
    for word in ("after", "afer"):
        if time.startswith(word):
            time = time.removeprefix(word).strip()
    is_afternoon = False
    for suffix in ("am", "a.m.", "pm", "p.m."):
        if time.endswith(suffix):
            time = time.removesuffix(suffix).strip()
            is_afternoon = suffix.startswith("p")
    later = _add_twelve_hours(time) if is_afternoon else None
    if later is not None:
        return later
    if not time:
        return "00:00"
    if time[-1] in ".,?":
        time = time[:-1]
    if time.isdigit():
        return f"{time[:2]}:{time[2:]}" if len(time) == 4 else f"{time.zfill(2)}:00"
    clock = time.replace(" ", "") if ":" in time else time
    return f"0{clock}" if len(clock) == 4 and clock[1] == ":" else clock


def _add_twelve_hours(time: str) -> str | None:
    """Return H:M or a bare hour twelve hours later ("12" gives "24:00"); None of anything else."""
    hour, *rest = time.split(":")
    if len(rest) > 1 or not hour.strip().isdecimal() or len(hour) > _LONGEST_HOUR:
        return None
    return f"{int(hour) + 12}:{rest[0] if rest else '00'}"


_TIME_IN_TEXT = re.compile(
    r"(?<![\d.])(\d{1,2})\s*[:.h–−-]?\s*([0-5]\d)(?::[0-5]\d)?\s*([ap])?\.?m?\b(?!\d)|"
    r"(?<![\d.:])(\d{1,2})\s*([ap])\.?m\b",
    re.IGNORECASE,
)


_HALF_A_DAY = 12
"""Hours."""


def clock_of(text: str) -> str | None:
    """Return the only time of a text, in any notation, as HH:MM; None if it has not one time.

    "17.30", "17h30", "1730", "before 17:30", "5:30 pm" and "17:30:00" are all 17:30.

    >>> clock_of("before 12:15 pm")
    '12:15'
    """
    matches = [*_TIME_IN_TEXT.finditer(text)]
    if len(matches) != 1:
        return None
    hour_text, minute, half, bare_hour, bare_half = matches[0].groups()
    hour = int(hour_text or bare_hour)
    half = (half or bare_half or "").lower()
    # 13:00 am is no time of the night.
    if half and hour <= _HALF_A_DAY:
        hour %= _HALF_A_DAY
        if half == "p":
            hour += _HALF_A_DAY
    if hour >= 24:
        return None
    return f"{hour:02}:{minute or '00'}"
