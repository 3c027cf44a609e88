"""What is aimed at for each edition, where editions differ."""

from __future__ import annotations

from tests.benchmarks.lines import at_least

DECISIONS = {"fad4": at_least(4_500), "fubar4": at_least(2_500)}
"""Decisions a second of the rules alone that remember nothing of the table, by edition."""

GAMES = {"crossroads-patrol": at_least(60), "hold-the-relay": at_least(30), "ridge-farm": at_least(15)}
"""Whole games a second of the rules alone, by scenario."""

ORDERS = {"FAD 4": at_least(3_000), "FUBAR 4": at_least(2_000)}
"""Orders per second of a server's core, by the edition's name."""

WATCHERS = at_least(2_000)
"""Watchers of one match that a core feeds."""
