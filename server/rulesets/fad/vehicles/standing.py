"""What a vehicle may do in its activation, after the tests of its crew."""

from __future__ import annotations

ABLE = "able"
"""It takes an action, as far as damage lets it."""
IDLE = "idle"
"""It is out of action, and does nothing."""
LETS_OFF = "lets_off"
"""It is out of action, and lets troops off."""
FLEES = "flees"
"""Its crew falls back."""
GONE = "gone"
"""It has left the game."""
