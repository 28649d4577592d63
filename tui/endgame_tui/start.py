"""The entry point of the program, which imports nothing before Ctrl-C is safe."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command line.

    Until its modules are imported (a third of a second), Ctrl-C ends the program at once: there is nothing to clean
    up, and Python would print a traceback. If a shell has started the program in the background with Ctrl-C ignored, it
    stays ignored.
    """
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_default:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from endgame_core.cli.main import main as run

    if is_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


if __name__ == "__main__":
    main()
