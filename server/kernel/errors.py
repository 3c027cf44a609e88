"""Errors in rules, and in files that are checked against them."""

from __future__ import annotations


class RulesetError(Exception):
    """A rule set's data, a setup or an option does not fit; the message says where and what would."""
