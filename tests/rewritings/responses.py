"""Rewritings of responses: placeholders in other notations, tokens, cuts, constant texts."""

from __future__ import annotations

import html
import json
import re
import string
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from .notations import by_domain
from .parts import Kind, Outputs, Rewrite, Turn, documented, responses, some_responses, turns
from .values import FULL_WIDTH, FULL_WIDTH_DIGITS

_PLACEHOLDER = re.compile(r"\[([A-Za-z_]+(?: [a-z]+)?)\]")

_MEANT: Mapping[str, str] = {
    "name": "the copper kettle",
    "address": "12 mill road",
    "phone": "01223350106",
    "postcode": "cb21ab",
    "reference": "q7xk20ab",
    "ref": "q7xk20ab",
    "id": "tr1234",
    "trainid": "tr1234",
    "area": "north",
    "food": "thai",
    "pricerange": "cheap",
    "price": "10.10 pounds",
    "type": "museum",
    "time": "17:15",
    "leave": "17:15",
    "arrive": "18:15",
    "day": "monday",
    "departure": "ely",
    "destination": "norwich",
    "stars": "4",
}


def placeholders(change: Callable[[str], str]) -> Rewrite:
    """Return what writes placeholders otherwise, given what stands in the brackets."""
    return responses(lambda text: _PLACEHOLDER.sub(lambda match: change(match[1]), text))


def placeholders_of(suffixes: Collection[str], change: Callable[[str], str]) -> Rewrite:
    """Return what writes some placeholders otherwise, by what they end in after `value_`."""

    def changed(name: str) -> str:
        return change(name) if _slot(name) in suffixes else f"[{name}]"

    return placeholders(changed)


def _slot(name: str) -> str:
    return name.rpartition("_")[2].lower()


def _with_domain(form: str) -> Rewrite:
    """Return what names the domain in placeholders, given the form: domain and slot.

    The domain is the gold active one of the turn, where there is one.
    """

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        rewritten = {}
        for id_, dialogue in predictions.items():
            named = []
            for turn, right in zip(dialogue, gold[id_], strict=False):
                domain = next(iter(right["active_domains"]), "restaurant")
                named.append({**turn, "response": _renamed(turn["response"], form, domain)})
            rewritten[id_] = named
        return rewritten

    return rewrite


def _renamed(text: str, form: str, domain: str) -> str:
    return _PLACEHOLDER.sub(lambda match: form.format(domain, _slot(match[1])), text)


def _first_words(number: int) -> Callable[[str], str]:
    return lambda text: " ".join(text.split()[:number])


_ERROR = "i'm sorry , i am not able to answer that at the moment ."
_PUNCTUATION = re.compile(r"[.,?!;:]")
_STOP_WORDS = re.compile(r"\b(?:the|a|an|is|are|in|of|to|you|i|it) ?\b")

_span = by_domain("[{}] {}", "{} {}", " ")


def _with_span(turn: Turn) -> Turn:
    return {**turn, "response": f"<sos_b> {_span(turn['state'])} <eos_b> {turn['response']}"}


def _with_state(turn: Turn) -> Turn:
    return {**turn, "response": f"{turn['response']} {json.dumps(turn['state'])}"}


_PLACEHOLDER_FORMS = (
    *("<{}>", "{{{}}}", "{{{{{}}}}}", "{}", "[ {} ]", "({})", "${}", "__{}__", "[[{}]]", "«{}»"),
    *("\uff3b{}\uff3d", "[{}", "&lt;{}&gt;", "[{}].", "[{}:]", "[the {}]", "[{}_1]"),
)

_FORMS = (
    *("<sos_r> {} <eos_r>", "{} </s>", "{}<|endoftext|>", "{} <pad> <pad>", "[/INST] {}"),
    *("<|im_start|>assistant\n{}<|im_end|>", "Assistant: {}", "system : {}", '"{}"', "'{}'"),
    *("<response>{}</response>", "**{}**", "```\n{}\n```", "  {}  ", "{}\n", "{}\\n"),
    *("<think>the user wants a place</think> {}", "[inform] {}"),
    *("user : i need a place to stay . system : {}", "{} user : thank you , goodbye ."),
    "[restaurant] [inform] name area [general] [reqmore] {}",
    "{} let me know if you need anything else , have a nice day !",
    *("{} \U0001f600", "Sure! Here is the response: {}", "{} (Note: this is generated.)"),
)
"""What models and files write around a response."""

_WORDS: Mapping[str, Sequence[str]] = {
    "reference ref": ("[restaurant_ref]", "[booking_reference]", "q7xk20ab", ""),
    "phone": ("[value_telephone]", "[phone_number]", "01223350106", "this number"),
    "postcode": ("[value_zip]",),
    "name": ("[value_venue]", "[place_name]", "the copper kettle", "it"),
    "id trainid": ("[train_number]",),
}
"""What placeholders end in -> what stands in their place."""

_REPLACED = (
    *((" [", "["), ("] ", "]"), (" ", "  "), (" . ", " .\n"), (" ", "\t"), (" ", " \u0120")),
    *((" ", "\u2581"), (" ", "_"), (" ", ""), ("'", "\u2019"), ("'", "\\'")),
)


def _replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def _other_words_for_placeholders() -> Iterator[Kind]:
    for suffixes, texts in _WORDS.items():
        for text in texts:
            rewrite = placeholders_of(suffixes.split(), lambda _, text=text: text)
            yield Kind(f"{text!r} for {suffixes}", rewrite)


RESPONSES = (
    *(
        Kind(f"placeholders as {form.format('value_name')}", placeholders(form.format))
        for form in _PLACEHOLDER_FORMS
    ),
    *(
        Kind(f"placeholders as {form.format('domain', 'slot')}", _with_domain(form))
        for form in ("[{}]-[{}]", "[{}-{}]", "[{}_{}]", "{}-{}", "<{}.{}>", "[{} {}]")
    ),
    *_other_words_for_placeholders(),
    *(Kind(f"as {form!r}", responses(form.format)) for form in _FORMS),
    *(Kind(f"{new!r} for {old!r}", responses(_replaced(old, new))) for old, new in _REPLACED),
    Kind("placeholders with hyphens", placeholders(lambda name: f"[{name.replace('_', '-')}]")),
    Kind("placeholders with blanks", placeholders(lambda name: f"[{name.replace('_', ' ')}]")),
    documented("placeholders in upper case", placeholders(lambda name: f"[{name.upper()}]")),
    Kind("placeholders with capitals", placeholders(lambda name: f"[{name.title()}]")),
    Kind("placeholders as upper-case words", placeholders(lambda name: _slot(name).upper())),
    Kind("placeholders without value_", placeholders(lambda name: f"[{_slot(name)}]")),
    Kind(
        "placeholders with camel case", placeholders(lambda name: f"[value{_slot(name).title()}]")
    ),
    Kind("placeholders with slot_", placeholders(lambda name: f"[slot_{_slot(name)}]")),
    Kind("all in plain English", placeholders(lambda name: _MEANT.get(_slot(name), "some"))),
    Kind("no placeholders", placeholders(lambda name: "")),
    Kind("all placeholders one", placeholders(lambda name: "[value_name]")),
    Kind("placeholders as mask", placeholders(lambda name: "[MASK]")),
    Kind("placeholders as number", placeholders(lambda name: "[0]")),
    Kind("as a list of words", responses(lambda text: str(text.split()))),
    Kind("lists of one", responses(lambda text: [text])),
    Kind("lists of words", responses(lambda text: text.split())),
    Kind("objects", responses(lambda text: {"text": text})),
    Kind("JSON as text", responses(lambda text: json.dumps({"response": text}))),
    Kind(
        "JSON in a fence", responses(lambda text: f"```json\n{json.dumps({'response': text})}\n```")
    ),
    Kind("state after", turns(_with_state)),
    Kind("span before", turns(_with_span)),
    Kind("upper case", responses(str.upper)),
    Kind("title case", responses(string.capwords)),
    Kind("first letter in upper case", responses(lambda text: text[:1].upper() + text[1:])),
    documented("no-break blanks", responses(lambda text: text.replace(" ", "\u00a0"))),
    documented("zero-width spaces", responses(lambda text: text.replace(" ", " \u200b"))),
    documented("byte order mark before", responses(lambda text: f"\ufeff{text}")),
    Kind("full-width letters", responses(lambda text: text.translate(FULL_WIDTH))),
    Kind("full-width digits", responses(lambda text: text.translate(FULL_WIDTH_DIGITS))),
    Kind("HTML entities", responses(html.escape)),
    Kind("no punctuation", responses(lambda text: _PUNCTUATION.sub("", text))),
    Kind("no stop words", responses(lambda text: _STOP_WORDS.sub("", text))),
    Kind("twice", responses(lambda text: f"{text} {text}")),
    Kind("every word twice", responses(lambda text: " ".join(f"{w} {w}" for w in text.split()))),
    Kind("first five words", responses(_first_words(5))),
    Kind("first ten words", responses(_first_words(10))),
    Kind("last three words cut", responses(lambda text: " ".join(text.split()[:-3]))),
    Kind("first word cut", responses(lambda text: " ".join(text.split()[1:]))),
    Kind("first thirty characters", responses(lambda text: text[:30])),
    Kind("first sixty characters", responses(lambda text: text[:60])),
    Kind("first hundred characters", responses(lambda text: text[:100])),
    Kind("first sentence", responses(lambda text: text.split(" . ")[0])),
    Kind("empty", responses(lambda text: "")),
    Kind("null", responses(lambda text: None)),
    Kind("constant", responses(lambda text: "[value_name] [value_phone] .")),
    Kind("empty in a fifth", some_responses(5, lambda text: "")),
    Kind("empty in a tenth", some_responses(10, lambda text: "")),
    Kind("constant in a fifth", some_responses(5, lambda text: "is there anything else ?")),
    Kind("error text in a quarter", some_responses(4, lambda text: _ERROR)),
    Kind("error text in a tenth", some_responses(10, lambda text: _ERROR)),
    Kind("nan in a fifth", some_responses(5, lambda text: "nan")),
    Kind("five words in a quarter", some_responses(4, _first_words(5))),
    Kind(
        "plain placeholders in a quarter",
        some_responses(4, lambda text: text.replace("[", "").replace("]", "")),
    ),
)
