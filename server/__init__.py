"""Underfire: a server on which people play rule-enforced tabletop skirmish wargames in a browser."""

import server.compiled  # noqa: F401 - before all others: it says which form of the modules is imported

__version__ = "0.1.0"
