"""The command `underfire`: every module of `server.commands` is a subcommand of the same name.

Such a module has a `HELP` line, `add_flags(parser)` and `run(flags)`, which returns the exit code; and a `NAME`, where the
command's is a word that Python keeps for itself.
"""

from __future__ import annotations

import argparse
import pkgutil
import sys
from collections.abc import Sequence
from importlib import import_module

from server import commands
from server.kernel.ruleset import RulesetError
from server.matches.embedded import EmbeddedError
from server.matches.errors import StoreError


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    top = argparse.ArgumentParser(
        prog="underfire", description="Rule-enforced tabletop skirmish wargames, played in a browser."
    )
    below = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    modules = [import_module(f"server.commands.{found.name}") for found in pkgutil.iter_modules(commands.__path__)]
    for name, module in sorted(
        (str(getattr(module, "NAME", module.__name__.split(".")[-1])), module) for module in modules
    ):
        command = below.add_parser(name, help=module.HELP, description=module.__doc__)
        module.add_flags(command)
        command.set_defaults(run=module.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit code: 0 when all is well, 1 when not, 2 when it was not understood."""
    flags = parser().parse_args(arguments)
    try:
        code: int = flags.run(flags)
    except (RulesetError, EmbeddedError, StoreError, OSError, ValueError) as error:
        # What is expected to go wrong is a sentence; everything else is a mistake of ours and keeps its traceback.
        print(f"underfire: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code
