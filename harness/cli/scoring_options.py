"""Options that say how to score, and what, as `score`, `why` and `compare` share them."""

from __future__ import annotations

import click

from ..benchmark import CANONICAL_STYLE, GOALS, STYLES
from ..errors import unknown
from ..metrics.setups import BOTH, SETUPS
from ..scoring.options import AUTO, choices


def _goals(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Return one of the choices of goals, or a JSON file."""
    if value not in GOALS and not value.endswith((".json", ".json.gz")):
        problem = unknown("choice of goals", value, GOALS)
        raise click.BadParameter(f"{problem}, or give a JSON file", ctx, param)
    return value


setup_option = click.option(
    "--setup",
    type=click.Choice(choices()["setup"]),
    default=BOTH,
    show_default=True,
    help="How Inform and Success are computed: as they count (strict), as generously as some "
    "papers did (optimistic), both of these, or as a published script does. "
    + " ".join(f"{name}: {named.description}" for name, named in SETUPS.items()),
)

domains_option = click.option(
    "--domains",
    type=click.Choice(choices()["domains"]),
    default=AUTO,
    show_default=True,
    help="Where active domains come from in set-ups that leave it open, such as the strict one: "
    "the predictions, the domains that placeholders name, changes of the belief states, or the "
    "gold annotation. auto: the first of these that the predictions allow, never gold; predictions "
    "of some turns only are refused.",
)

states_option = click.option(
    "--states",
    type=click.Choice(choices()["states"]),
    default=AUTO,
    show_default=True,
    help="Belief states to query with. auto: predicted if every turn has one, gold if none has; "
    "what has some is refused.",
)

corpus_option = click.option(
    "--corpus",
    is_flag=False,
    flag_value=CANONICAL_STYLE,
    metavar="[STYLE]",
    help=f"Take the benchmark's own references of a style ({', '.join(STYLES)}; by default "
    f"{CANONICAL_STYLE}) with gold states instead of predictions.",
)

lexicalised_option = click.option(
    "--lexicalised",
    is_flag=True,
    help="The responses are plain English, with names and numbers in place of placeholders: "
    "delexicalise them first, and score them against the venue database as well. With --corpus, "
    "the benchmark's human responses as they were written.",
)

free_running_option = click.option(
    "--free-running",
    is_flag=True,
    help="With --lexicalised: the dialogues are those with a user simulator, of any length. What "
    "needs the benchmark's own turns is left out.",
)

goals_option = click.option(
    "--goals",
    callback=_goals,
    default="all",
    show_default=True,
    metavar=f"[{'|'.join(GOALS)}|FILE.json]",
    help="Score all dialogues, or those whose goal occurs (seen) or does not occur (unseen) in the "
    "train or dev split; needs `mwz data fetch --split all`. With --free-running: a file of goals, "
    "in the form of the public evaluator's goals.json, in place of the benchmark's.",
)
