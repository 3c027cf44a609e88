"""The modules of the family: what an edition plays always, or lets a match switch on. Each is a file, listed here."""

from __future__ import annotations

from server.rulesets.fad.module import FadModule
from server.rulesets.fad.modules.pinning import PINNING

MODULES: tuple[FadModule, ...] = (PINNING,)
"""All modules, in the order in which they are asked."""
