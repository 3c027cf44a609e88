"""Checking a match file: its chain, dice, clocks, asides and rules. Pure."""
