"""Notices: players who are not connected are told that a decision of theirs waits. docs/players.md describes it."""
