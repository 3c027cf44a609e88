"""Programs that hold a seat in the place of a person."""

from __future__ import annotations

from typing import Final

UNCONTROLLED: Final = "uncontrolled"
"""The program of a side that the rules themselves play, by their own method: what it does follows from the table and the dice."""
UNCONTROLLED_NAME: Final = "Uncontrolled"
"""The name under which it sits at its seat."""
