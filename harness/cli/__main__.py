"""`python -m mwz.harness.cli`: the command `mwz`."""

from . import main

main()
