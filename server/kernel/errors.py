"""What can be wrong with rules, and with files that are held against them."""

from __future__ import annotations


class RulesetError(Exception):
    """A rule set's data, a setup or an option does not fit; the message says where and what would."""
