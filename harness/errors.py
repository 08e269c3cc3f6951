"""User errors, each reported in one message, and remarks on files that can be used.

Everything a user can get wrong (a path, a file's content, an option's value) is raised as an
[`InputError`][mwz.harness.errors.InputError]; the command line prints it and exits with status 2.
Anything else that escapes is a defect of the harness and keeps its traceback.

What comes from a file is shown cut and without control characters: a message has a bounded length,
and a dialogue's id cannot send commands to the terminal.
"""

from __future__ import annotations

import difflib
import re
import reprlib
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SHOWN_PROBLEMS = 10
SHOWN_PLACES = 3
LONGEST_MESSAGE = 4000
"""Characters."""

_LISTED = 30
"""How many names are listed even where one resembles what was given."""

_LONGEST_SOURCE = 500
_LONGEST_LINE = 300
_LONGEST_REMARK = 1000
_MOST_KINDS = 100
"""How many different findings of a file are kept; a message shows ten, and the rest is counted."""

_REPR = reprlib.Repr()
_REPR.maxstring = 60
_REPR.maxother = 60
_REPR.maxlevel = 2
_REPR.maxlist = _REPR.maxdict = 3


class InputError(Exception):
    """Input that cannot be used, with every place that is wrong and what is expected there.

    Args:
        source: What was read, as the user named it (a path, an option).
        problems: One sentence per problem, each saying where (dialogue, turn, field) and what
            is expected. The message lists the first ten and counts the rest.
        hints: What to do about them, a sentence each, listed behind them.

    >>> try:
    ...     load_benchmark("multiwos")
    ... except InputError as error:
    ...     print(error.source)
    benchmark multiwos
    """

    def __init__(
        self, source: str, problems: str | Sequence[str], hints: Sequence[str] = ()
    ) -> None:
        self.source = source
        self.hints = tuple(hints)
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        # These are what a copy for another process is made of.
        super().__init__(source, self.problems, self.hints)

    def __str__(self) -> str:
        source = cut(printable(self.source), _LONGEST_SOURCE)
        if len(self.problems) == 1:
            text = printable("; ".join([*self.problems, *self.hints]))
            return cut(f"{source}: {text}", LONGEST_MESSAGE)
        lines = [cut(printable(problem), _LONGEST_LINE) for problem in self.problems]
        more = len(lines) - SHOWN_PROBLEMS
        if more > 0:
            lines[SHOWN_PROBLEMS:] = [f"… and {more} more"]
        lines += [cut(printable(hint), _LONGEST_LINE) for hint in self.hints]
        return "\n  ".join([f"{source}: {len(self.problems)} problems", *lines])


def refuse(source: str, problems: Iterable[str] | Findings) -> None:
    """Refuse input if there are any problems with it; arguments as of `InputError`.

    Raises:
        InputError: There are.
    """
    if isinstance(problems, Findings):
        problems = [problem.line for problem in problems.values()]
    listed = tuple(problems)
    if listed:
        raise InputError(source, listed)


@dataclass(frozen=True)
class Remark:
    """Something to know about a file. Equal remarks are one.

    Attributes:
        kind: What it is about, in a word or two.
        message: What was found, and what to do.
        count: In how many places.
        places: The first of them; none where the message says where.
        warning: Whether something is likely wrong; other remarks only inform.
    """

    kind: str
    message: str
    count: int = 1
    places: tuple[str, ...] = ()
    warning: bool = True

    def __str__(self) -> str:
        return cut(printable(self.line), _LONGEST_REMARK)

    @property
    def line(self) -> str:
        """The message with its places, in one line that is not cut."""
        if self.count == 1:
            return ": ".join([*self.places, self.message])
        line = f"{self.message}, {self.count} times"
        if self.places:
            line += f": {'; '.join(self.places)}"
            if self.count > len(self.places):
                line += "; …"
        return line


class ReadingWarning(UserWarning):
    """Predictions are scored that were likely meant otherwise, or a part of which was not read.

    Issued by `Scorer.score`, once for all remarks of a file.

    >>> import warnings
    >>> warnings.simplefilter("error", ReadingWarning)  # or "ignore"
    """


def warn_of(remarks: Iterable[Remark]) -> None:
    """Issue one `ReadingWarning` with the remarks that are warnings, if there are any.

    Users silence it by `warnings.simplefilter("ignore", ReadingWarning)`, or turn it into an error
    by `"error"` instead.
    """
    lines = [str(remark) for remark in remarks if remark.warning]
    if lines:
        # The caller of `Scorer.score`.
        warnings.warn("\n".join(lines), ReadingWarning, stacklevel=3)


_SIMILAR = ", and similar ones"
# Quoted text, the name that it resembles, numbers, and the part of a state.
_DETAILS = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"| \(did you mean [^)]*\)|\d[\d,.]*|(?<=`), [^:`]*(?=: )"
)


class Findings(dict[tuple[str, str, bool], Remark]):
    """Problems of a file, or remarks on it: what tells kinds apart -> what was found of the kind.

    Two are of one kind if they differ only in what they quote, count or suggest. However many
    there are, few kinds are kept.
    """

    def add(self, place: str, message: str, kind: str = "", warning: bool = True) -> None:
        """Add a problem or a remark.

        Args:
            place: Where it is; empty where the message says so.
            message: What is wrong and what is expected.
            kind: Of a remark, what it is about.
            warning: Whether something is likely wrong; as of `Remark`.
        """
        key = (kind, _DETAILS.sub("", message), warning)
        if key not in self and len(self) >= _MOST_KINDS:
            message, place = "further problems of other kinds", ""
            kind, warning = "more", True
            key = (kind, message, warning)
        known = self.get(key, Remark(kind, message, count=0))
        places = known.places
        if place and len(places) < SHOWN_PLACES:
            places = (*places, place)
        first_message = known.message
        if message != first_message and not first_message.endswith(_SIMILAR):
            first_message += _SIMILAR
        self[key] = Remark(kind, first_message, known.count + 1, places, warning)


def cut_repr(value: object) -> str:
    """Return the `repr` of a value from a file, cut for messages."""
    return _REPR.repr(value)


def unquoted(value: object) -> str:
    """Return a name from a file as messages show it: cut, and a text without quotes."""
    return cut_repr(value)[1:-1] if isinstance(value, str) else cut_repr(value)


def unknown(kind: str, name: object, choices: Iterable[str]) -> str:
    """Return the message for an unknown name, with the choices or the one it resembles.

    Args:
        kind: What it should name: "metric".
        name: The name.
        choices: The names that exist.
    """
    names = [*choices]
    close = resembling(name, names)
    message = f"unknown {kind} {cut_repr(name)}"
    if len(names) <= _LISTED or not close:
        message += f"; choose from {', '.join(names)}"
    return message + close


def resembling(name: object, choices: Iterable[str]) -> str:
    """Return which of some names another resembles, as `unknown` ends with it; or nothing.

    A number resembles no other: who asks for rule set 2022 does not mean that of 2021.

    >>> resembling("Informed", ["bleu", "inform"])
    ' (did you mean inform?)'
    """
    plain = str(name)[:60].lower()
    if plain.isdigit():
        return ""
    names = [choice.lower() for choice in choices]
    close = [known for known in names if known.startswith(plain)] if len(plain) > 2 else []
    close = sorted(close) or difflib.get_close_matches(plain, names, n=1, cutoff=0.7)
    return f" (did you mean {close[0]}?)" if close else ""


def counted(number: int, noun: str) -> str:
    """Return a number of things: `1 dialogue`, `2 dialogues`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


_MOST_COUNTED = 20


def listed_counts(counts: Sequence[tuple[str, int]]) -> str:
    """Return how often names of a file occur, the first of them: `[name] 7×, [ref] 1×`.

    Args:
        counts: Each name and its number.
    """
    listed = [f"{unquoted(name)} {count}×" for name, count in counts[:_MOST_COUNTED]]
    if len(counts) > len(listed):
        listed.append(f"and {len(counts) - len(listed)} more")
    return ", ".join(listed) or "none"


def without_secrets(text: str) -> str:
    """Return a text in which addresses show neither a user, a password nor a query's values."""
    return _QUERY_VALUE.sub(r"\1=***", _USER.sub("://***@", text))


_USER = re.compile(r"://[^\s?]*@")
# What follows a question mark or an ampersand and a name, in what may be an address.
_QUERY_VALUE = re.compile(r"(?<=[?&])([\w.-]*)=[^&\s]*")


def cut(text: str, length: int) -> str:
    """Return a text of at most so many characters; an ellipsis stands for what is cut off.

    >>> cut("restaurant", 5)
    'rest…'
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def printable(text: str, allowed: str = "") -> str:
    """Return a text in which characters that a terminal would act on are written as escapes.

    Args:
        text: The text.
        allowed: Those of these characters that are left as they are.
    """
    if text.isprintable():
        return text
    shown = ""
    for character in text:
        if character.isprintable() or character in allowed:
            shown += character
        else:
            shown += character.encode("unicode_escape").decode()
    return shown
