"""`python -m mwz.harness.cli`: the command `mwz`."""

from mwz.harness.cli import command_line

command_line()
