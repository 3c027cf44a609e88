"""Campaigns: what a battle did to a force, and the steps to the next one. FUBAR has no rules for them; these are Underfire's own,
and docs/leagues.md gives them.
"""
