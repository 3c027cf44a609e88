"""What a roll is told by."""

from __future__ import annotations

Told = tuple[str, str, str]
"""The text of a roll, the kind of its story, and the rule it links to."""
