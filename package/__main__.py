"""`python -m mwz`: the command `mwz`."""

from mwz.harness.cli import command_line

command_line()
