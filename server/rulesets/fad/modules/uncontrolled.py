"""Uncontrolled forces: sides that the rules play (see `server.rulesets.fad.uncontrolled`)."""

from __future__ import annotations

from server.rulesets.fad.module import FadModule
from server.rulesets.fad.uncontrolled.groups import inspect
from server.rulesets.fad.uncontrolled.words import ROLLS

UNCONTROLLED_FORCES = FadModule(id="uncontrolled", rolls=ROLLS, inspect=inspect)
