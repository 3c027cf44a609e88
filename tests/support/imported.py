"""What the processes that are forked for tests have in common: the whole server, imported, with its editions read."""

import gc

import uvloop

from server.cli import main, parser
from server.rulesets import library

__all__ = ["main", "uvloop"]

parser()  # imports every command
library.editions()
# Else every process would copy what it only reads, as soon as it looks for garbage.
gc.freeze()
