"""Underfire: a server on which people play rule-enforced tabletop skirmish wargames in a browser."""

__version__ = "0.1.0"
