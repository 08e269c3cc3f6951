"""The six reference styles: how each way of delexicalising turns an utterance into placeholders.

What the styles replace, and by what, is written in `styles.toml`. Source: "Shades of BLEU, Flavours
of Success" (2021), section 4.1 and table 2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markup import Span, Utterance


@dataclass(frozen=True)
class Style:
    """A way of delexicalising.

    Attributes:
        placeholders: Slot, or domain-slot, which goes before -> placeholder, in which `{domain}`
            stands for the span's domain. The values of other slots stay as they are.
        whole_spans: Whether all annotated words are replaced, or only the value within them.
        values: Slot -> regular expression of what is replaced of its words instead of the value.
        rewriting: (Regular expression, replacement), applied in order to the text that is left.
    """

    placeholders: Mapping[str, str]
    whole_spans: bool
    values: Mapping[str, str]
    rewriting: tuple[tuple[str, str], ...]


def read_styles(tables: Mapping[str, Any]) -> dict[str, Style]:
    """Return the styles that the content of `styles.toml` describes, by name."""
    styles = {}
    for name, own in tables["style"].items():
        table = {**tables["style"].get(own.get("like"), {}), **own}
        styles[name] = Style(
            placeholders=table["placeholders"],
            whole_spans=table["match"] == "spans",
            values=table.get("values", {}),
            rewriting=tuple(
                rule for rules in table["rewriting"] for rule in tables["rewriting"][rules].items()
            ),
        )
    return styles


def delexicalize(utterance: Utterance, style: Style) -> str:
    """Return the text of an utterance, in lower case, with the placeholders of a style."""
    text = "".join(
        _replaced(piece, style) if isinstance(piece, Span) else piece.lower()
        for piece in utterance.pieces
    )
    # Rules look at the words around placeholders, but do not touch these.
    parts = re.split(r"(\[[^\]]+\])", text)
    return "".join(part if part.startswith("[") else _rewritten(part, style) for part in parts)


def _replaced(span: Span, style: Style) -> str:
    words = span.words.lower()
    names = style.placeholders
    name = names.get(f"{span.domain}-{span.slot}", names.get(span.slot))
    if name is None:
        return words
    placeholder = f"[{name.format(domain=span.domain)}]"
    if style.whole_spans:
        return placeholder
    pattern = style.values.get(span.slot, re.escape(span.value or ""))
    # "moderately" becomes "[…]-ly", as the delexicalised data of these styles has it.
    return re.sub(rf"({pattern})(ly\b)?", lambda m: placeholder + ("-ly" if m[2] else ""), words)


def _rewritten(text: str, style: Style) -> str:
    for pattern, replacement in style.rewriting:
        text = re.sub(pattern, replacement, text)
    return text
