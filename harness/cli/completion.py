"""What shells complete arguments by: files, entries, benchmarks. docs/interface.md says how."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from mwz.normalization.rules.aliases import alias_tables


def complete_file(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Leave it to the shell to complete a file's name."""
    return [CompletionItem(incomplete, type="file")]


def complete_entry(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of an entry in the folder that `--submissions` names."""
    folder = Path(ctx.params.get("submissions") or "submissions")
    names = (path.parent.name for path in folder.glob("[!.]*/entry.toml"))
    return sorted(name for name in names if name.startswith(incomplete.lower()))


def complete_benchmark(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a benchmark that is at hand."""
    from ..data.installed import installed_benchmarks

    return [name for name in installed_benchmarks() if name.startswith(incomplete)]


def complete_placeholders(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a table of placeholders, or leave a file's to the shell."""
    known = [CompletionItem(name) for name in alias_tables() if name.startswith(incomplete)]
    return known or complete_file(ctx, param, incomplete)
