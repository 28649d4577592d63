"""The entry point of the program, which imports nothing before Ctrl-C is safe."""

from __future__ import annotations

import atexit
import gc
import signal
import sys

APP = "endgame-tui"

_OBJECTS_OF_A_START = 150_000
"""More objects than a start creates up to the first screen (80,000): no garbage is collected before."""


def main() -> None:
    """Run the command line.

    Until its modules are imported (a tenth of a second), Ctrl-C ends the program at once: there is nothing to clean
    up, and Python would print a traceback. If a shell has started the program in the background with Ctrl-C ignored, it
    stays ignored.
    """
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_default:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.argv[1:] == ["--version"] and _print_version():
        return
    # Nothing that a start creates is garbage, but Python searches it again and again, and once more before it exits.
    gc.set_threshold(_OBJECTS_OF_A_START)
    atexit.register(gc.freeze)
    from endgame_core import language

    language.choose(sys.argv[1:])
    from endgame_core.cli.main import main as run

    if is_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _print_version() -> bool:
    """Print the version as the command line does, without importing it; return False if that fails.

    The command line then reports why.
    """
    from importlib.metadata import PackageNotFoundError, version

    if sys.stdout is None:  # it is closed
        return False
    try:
        print(f"{APP}, version {version(APP)}", flush=True)
    except (PackageNotFoundError, OSError):
        return False
    return True


if __name__ == "__main__":
    main()
