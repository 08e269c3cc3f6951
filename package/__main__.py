"""The command `mwz`, also as `python -m mwz`.

Nothing is imported here before the handler is set: an interrupt in the middle of an import would be
raised, or swallowed, wherever it comes.
"""

import gc
import os
import signal
from types import FrameType


def command_line() -> None:
    """Run the command line as a program of its own, which can be interrupted from the beginning."""
    # It is another where interrupts are ignored, as in the background of a shell.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    # A run makes millions of small objects and no cycles to speak of; looking for cycles as often
    # as Python does by default takes a third of its time.
    gc.set_threshold(1_000_000, 100, 100)
    try:
        from mwz.harness.cli import command_line as run

        run()
    except KeyboardInterrupt:
        _end()


def _interrupted(number: int, frame: FrameType | None) -> None:
    """Interrupt what is being done; in the middle of an import end the process at once."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            _end()
        frame = frame.f_back
    raise KeyboardInterrupt


def _end() -> None:
    """End the process as `main` does when it is interrupted; there is nothing to clean up."""
    try:
        os.write(2, b"\nmwz: interrupted\n")
    finally:
        os._exit(130)


if __name__ == "__main__":
    command_line()
