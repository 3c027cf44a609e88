"""What a league may settle of campaigns, as options that families have alike."""

from __future__ import annotations

from client_protocol.from_server import OptionChoice, OptionInfo
from client_protocol.shapes import Id


def switch(key: Id, title: str, rule: str, yes: str, no: str, *, default: bool) -> OptionInfo:
    """Return an option that is on or off."""
    choices = (OptionChoice(value=True, label=yes), OptionChoice(value=False, label=no))
    return OptionInfo(key, title, choices, default, rule)


def banking(rule: str, *, default: bool) -> OptionInfo:
    """Return the option whether campaign points are kept."""
    title = "Campaign points that are not spent"
    return switch("bank_points", title, rule, "They are kept for later.", "They are lost.", default=default)
