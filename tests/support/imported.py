"""What the processes that are forked for tests have in common: the whole server, imported, with its editions read."""

import gc

import uvloop

import server.gateway.server
from server.cli import main, parser
from server.rulesets import library

__all__ = ["main", "server", "uvloop"]

parser()
library.editions()
# Else every process would copy what it only reads, as soon as it looks for garbage.
gc.freeze()
