"""The templates: HTML in which every text is escaped, and nothing is left out unnoticed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def page(template: str, depth: int = 0, **content: Any) -> str:
    """Return a page of the site.

    Args:
        template: The template's name.
        depth: How many folders below the board the page lies.
        content: What the template shows. Texts are escaped.
    """
    made: str = _environment().get_template(template).render(root="../" * depth, **content)
    return made


def static_files() -> Mapping[str, str]:
    """Return name -> content of the files that are the same for all boards."""
    folder = resources.files(__package__).joinpath("static")
    return {file.name: file.read_text(encoding="utf-8") for file in sorted_by_name(folder)}


def sorted_by_name(folder: Any) -> list[Any]:
    """Return the files of a folder of the package by name."""
    return sorted(
        (file for file in folder.iterdir() if file.is_file()), key=lambda file: str(file.name)
    )


@cache
def _environment() -> Environment:
    from jinja2 import DictLoader, Environment, StrictUndefined

    folder = resources.files(__package__).joinpath("templates")
    sources = {file.name: file.read_text(encoding="utf-8") for file in sorted_by_name(folder)}
    return Environment(
        loader=DictLoader(sources),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
