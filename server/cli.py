"""The command `underfire`: every module of `server.commands` is a subcommand of the same name.

Such a module has a `HELP` line, `add_flags(parser)` and `run(flags)`, which returns the exit code; and a `NAME` if the
command's name is a reserved word of Python.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from server import commands
from server.app import software_version
from server.complaints import complaint
from server.console import say
from server.gateway.addresses import ListenError
from server.kernel.errors import RulesetError
from server.log_lines import complain
from server.matches.signing_key import KeyFault
from server.stopping import Stopped
from server.store.embedded import EmbeddedError
from server.store.errors import StoreError


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="underfire", description="Rule-enforced tabletop skirmish wargames, played in a browser."
    )
    top.add_argument("--version", action="version", version=f"Underfire {software_version()}")
    top.set_defaults(run=None)
    below = top.add_subparsers(title="commands", metavar="COMMAND")
    modules = [import_module(f"server.commands.{found.name}") for found in pkgutil.iter_modules(commands.__path__)]
    for name, module in sorted(
        (str(getattr(module, "NAME", module.__name__.split(".")[-1])), module) for module in modules
    ):
        command = below.add_parser(name, help=module.HELP, description=module.__doc__)
        module.add_flags(command)
        command.set_defaults(run=module.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, or show the help when there is none.

    Returns:
        The exit code: 0 for success, 1 for failure, 2 for a wrong command line, 128 plus the signal's number if a signal
        stopped it before it was done.
    """
    grammar = parser()
    flags = grammar.parse_args(arguments)
    if flags.run is None:
        say(grammar.format_help().rstrip())
        return 0
    try:
        code: int = flags.run(flags)
    except BrokenPipeError:
        # The reader of our output has closed it, as `head` does. The rest of the output is discarded.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (RulesetError, EmbeddedError, ListenError, StoreError, KeyFault, OSError, ValueError) as error:
        # Expected errors are printed as a sentence; all others are bugs and keep their traceback.
        complain(complaint(error))
        return 1
    except Stopped as stopped:
        return 128 + stopped.number
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return code
