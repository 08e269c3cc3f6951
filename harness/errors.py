"""What goes wrong by the user's hand, told in one message.

Everything a user can get wrong (a path, a file's content, an option's value) is raised as an
[`InputError`][mwz.harness.errors.InputError]; the command line prints it and exits with status 2.
Anything else that escapes is a defect of the harness and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Sequence

SHOWN_PROBLEMS = 10


class InputError(Exception):
    """Input that cannot be used, with every place that is wrong and what is expected there.

    Args:
        source: What was read, as the user named it (a path, an option).
        problems: One sentence per problem, each saying where (dialogue, turn, field) and what
            is expected. The message lists the first ten and counts the rest.
    """

    def __init__(self, source: str, problems: str | Sequence[str]) -> None:
        self.source = source
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        # The arguments as they were given: that is what a copy for another process is made of.
        super().__init__(source, problems)

    def __str__(self) -> str:
        if len(self.problems) == 1:
            return f"{self.source}: {self.problems[0]}"
        shown = [f"  {problem}" for problem in self.problems[:SHOWN_PROBLEMS]]
        more = len(self.problems) - SHOWN_PROBLEMS
        if more > 0:
            shown.append(f"  … and {more} more")
        return "\n".join([f"{self.source}: {len(self.problems)} problems", *shown])
