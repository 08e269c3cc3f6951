"""Rewritings of responses: placeholders in other notations, tokens, cuts, constant texts."""

from __future__ import annotations

import html
import json
import re
import string
from collections.abc import Callable, Collection, Mapping
from typing import Any

from .notations import by_domain
from .parts import (
    Outputs,
    Rewrite,
    Turn,
    damaged,
    documented,
    responses,
    same,
    some_responses,
    turns,
)
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


RESPONSES = (
    *(
        same(f"placeholders as {form.format('value_name')}", placeholders(form.format))
        for form in (
            *(
                "<{}>",
                "{{{}}}",
                "{{{{{}}}}}",
                "{}",
                "[ {} ]",
                "({})",
                "${}",
                "@{}",
                "#{}",
                "__{}__",
            ),
            *(
                "[[{}]]",
                "<<{}>>",
                "«{}»",
                "\uff3b{}\uff3d",
                "[{}",
                "&lt;{}&gt;",
                "\\[{}\\]",
                "[{}].",
            ),
            *("%{}%", "[{}:]", "[{}]]", "*{}*", "[the {}]", "[{}_1]"),
        )
    ),
    same("placeholders with hyphens", placeholders(lambda name: f"[{name.replace('_', '-')}]")),
    same("placeholders with blanks", placeholders(lambda name: f"[{name.replace('_', ' ')}]")),
    documented("placeholders in upper case", placeholders(lambda name: f"[{name.upper()}]")),
    same("placeholders with capitals", placeholders(lambda name: f"[{name.title()}]")),
    same("placeholders as upper-case words", placeholders(lambda name: _slot(name).upper())),
    same("placeholders without value_", placeholders(lambda name: f"[{_slot(name)}]")),
    same("placeholders glued to the word before", responses(lambda text: text.replace(" [", "["))),
    same("placeholders glued to the word after", responses(lambda text: text.replace("] ", "]"))),
    same(
        "placeholders with camel case", placeholders(lambda name: f"[value{_slot(name).title()}]")
    ),
    same("placeholders with slot_", placeholders(lambda name: f"[slot_{_slot(name)}]")),
    same("placeholders as [domain]-[slot]", _with_domain("[{}]-[{}]")),
    same("placeholders as [domain-slot]", _with_domain("[{}-{}]")),
    same("placeholders as [domain_slot]", _with_domain("[{}_{}]")),
    same("placeholders as domain-slot", _with_domain("{}-{}")),
    same("placeholders as <domain.slot>", _with_domain("<{}.{}>")),
    same("placeholders as [domain slot]", _with_domain("[{} {}]")),
    same(
        "references by domain", placeholders_of({"reference", "ref"}, lambda _: "[restaurant_ref]")
    ),
    same(
        "references as booking_reference",
        placeholders_of({"reference", "ref"}, lambda _: "[booking_reference]"),
    ),
    same("phones as telephone", placeholders_of({"phone"}, lambda _: "[value_telephone]")),
    same("phones as phone_number", placeholders_of({"phone"}, lambda _: "[phone_number]")),
    same("postcodes as zip", placeholders_of({"postcode"}, lambda _: "[value_zip]")),
    same("names as venue", placeholders_of({"name"}, lambda _: "[value_venue]")),
    same("names by place", placeholders_of({"name"}, lambda _: "[place_name]")),
    same(
        "train ids as train number", placeholders_of({"id", "trainid"}, lambda _: "[train_number]")
    ),
    damaged("names in plain English", placeholders_of({"name"}, lambda _: "the copper kettle")),
    damaged("all in plain English", placeholders(lambda name: _MEANT.get(_slot(name), "some"))),
    damaged("phones in plain English", placeholders_of({"phone"}, lambda _: "01223350106")),
    damaged(
        "references in plain English", placeholders_of({"reference", "ref"}, lambda _: "q7xk20ab")
    ),
    damaged("no placeholders", placeholders(lambda name: "")),
    damaged("no names", placeholders_of({"name"}, lambda name: "it")),
    damaged("no phones", placeholders_of({"phone"}, lambda name: "this number")),
    damaged("no references", placeholders_of({"reference", "ref"}, lambda name: "")),
    damaged("all placeholders one", placeholders(lambda name: "[value_name]")),
    damaged("placeholders as mask", placeholders(lambda name: "[MASK]")),
    damaged("placeholders as number", placeholders(lambda name: "[0]")),
    same("between tokens", responses(lambda text: f"<sos_r> {text} <eos_r>")),
    same("end token after", responses(lambda text: f"{text} </s>")),
    same("end token of GPT-2 after", responses(lambda text: f"{text}<|endoftext|>")),
    same("pads after", responses(lambda text: f"{text} <pad> <pad>")),
    same("instruction tokens", responses(lambda text: f"[/INST] {text}")),
    same("chat tokens", responses(lambda text: f"<|im_start|>assistant\n{text}<|im_end|>")),
    same("Assistant before", responses(lambda text: f"Assistant: {text}")),
    same("system before", responses(lambda text: f"system : {text}")),
    same("in quotes", responses(lambda text: f'"{text}"')),
    same("in single quotes", responses(lambda text: f"'{text}'")),
    same("as a list of words", responses(lambda text: str(text.split()))),
    same("lists of one", responses(lambda text: [text])),
    same("lists of words", responses(lambda text: text.split())),
    same("objects", responses(lambda text: {"text": text})),
    same("JSON as text", responses(lambda text: json.dumps({"response": text}))),
    same(
        "JSON in a fence", responses(lambda text: f"```json\n{json.dumps({'response': text})}\n```")
    ),
    same("tags around", responses(lambda text: f"<response>{text}</response>")),
    same("in bold", responses(lambda text: f"**{text}**")),
    same("in a fence", responses(lambda text: f"```\n{text}\n```")),
    damaged(
        "thoughts before", responses(lambda text: f"<think>the user wants a place</think> {text}")
    ),
    damaged("state after", turns(_with_state)),
    damaged("span before", turns(_with_span)),
    damaged(
        "user's turn before",
        responses(lambda text: f"user : i need a place to stay . system : {text}"),
    ),
    damaged("user's turn after", responses(lambda text: f"{text} user : thank you , goodbye .")),
    damaged("act before", responses(lambda text: f"[inform] {text}")),
    damaged(
        "acts before",
        responses(lambda text: f"[restaurant] [inform] name area [general] [reqmore] {text}"),
    ),
    same("upper case", responses(str.upper)),
    same("title case", responses(string.capwords)),
    same("first letter in upper case", responses(lambda text: text[:1].upper() + text[1:])),
    documented("no-break blanks", responses(lambda text: text.replace(" ", "\u00a0"))),
    same("double blanks", responses(lambda text: text.replace(" ", "  "))),
    same("blanks around", responses(lambda text: f"  {text}  ")),
    same("newline after", responses(lambda text: f"{text}\n")),
    same("newline after each sentence", responses(lambda text: text.replace(" . ", " .\n"))),
    same("newlines as written", responses(lambda text: f"{text}\\n")),
    same("tabs for blanks", responses(lambda text: text.replace(" ", "\t"))),
    documented("zero-width spaces", responses(lambda text: text.replace(" ", " \u200b"))),
    documented("byte order mark before", responses(lambda text: f"\ufeff{text}")),
    same("full-width letters", responses(lambda text: text.translate(FULL_WIDTH))),
    same("full-width digits", responses(lambda text: text.translate(FULL_WIDTH_DIGITS))),
    same("HTML entities", responses(html.escape)),
    same("curly apostrophes", responses(lambda text: text.replace("'", "\u2019"))),
    same("escaped quotes", responses(lambda text: text.replace("'", "\\'"))),
    same("words of a tokeniser", responses(lambda text: text.replace(" ", " \u0120"))),
    same("blanks of a tokeniser", responses(lambda text: text.replace(" ", "\u2581"))),
    same("underscores for blanks", responses(lambda text: text.replace(" ", "_"))),
    damaged("no blanks", responses(lambda text: text.replace(" ", ""))),
    damaged("no punctuation", responses(lambda text: _PUNCTUATION.sub("", text))),
    damaged("no stop words", responses(lambda text: _STOP_WORDS.sub("", text))),
    damaged("twice", responses(lambda text: f"{text} {text}")),
    damaged("every word twice", responses(lambda text: " ".join(f"{w} {w}" for w in text.split()))),
    damaged("first five words", responses(_first_words(5))),
    damaged("first ten words", responses(_first_words(10))),
    damaged("last three words cut", responses(lambda text: " ".join(text.split()[:-3]))),
    damaged("first word cut", responses(lambda text: " ".join(text.split()[1:]))),
    damaged("first thirty characters", responses(lambda text: text[:30])),
    damaged("first sixty characters", responses(lambda text: text[:60])),
    damaged("first hundred characters", responses(lambda text: text[:100])),
    damaged("first sentence", responses(lambda text: text.split(" . ")[0])),
    damaged("empty", responses(lambda text: "")),
    damaged("null", responses(lambda text: None)),
    damaged("constant", responses(lambda text: "[value_name] [value_phone] .")),
    damaged("empty in a fifth", some_responses(5, lambda text: "")),
    damaged("empty in a tenth", some_responses(10, lambda text: "")),
    damaged("constant in a fifth", some_responses(5, lambda text: "is there anything else ?")),
    damaged("error text in a quarter", some_responses(4, lambda text: _ERROR)),
    damaged("error text in a tenth", some_responses(10, lambda text: _ERROR)),
    damaged("nan in a fifth", some_responses(5, lambda text: "nan")),
    damaged("five words in a quarter", some_responses(4, _first_words(5))),
    damaged(
        "plain placeholders in a quarter",
        some_responses(4, lambda text: text.replace("[", "").replace("]", "")),
    ),
    damaged(
        "another sentence after",
        responses(lambda text: f"{text} let me know if you need anything else , have a nice day !"),
    ),
    damaged("emoji after", responses(lambda text: f"{text} \U0001f600")),
    damaged("remark before", responses(lambda text: f"Sure! Here is the response: {text}")),
    damaged("remark after", responses(lambda text: f"{text} (Note: this is generated.)")),
)
