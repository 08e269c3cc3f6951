"""`python -m mwz.harness.cli`: the command `mwz`."""

from . import command_line

command_line()
