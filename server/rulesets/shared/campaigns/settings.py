"""What a league may settle of campaigns, as options that families have alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct, ValidationError, convert

from client_protocol.from_server import OptionChoice, OptionInfo
from client_protocol.shapes import Id, OptionValue
from server.kernel.errors import RulesetError

S = TypeVar("S", bound=Struct)


def settled(settings: Mapping[str, OptionValue], kind: type[S]) -> S:
    """Return a league's settings as a family reads them. Raises `RulesetError`."""
    try:
        return convert(settings, kind)
    except ValidationError as error:
        raise RulesetError(f"a setting of the campaign cannot be used: {error}") from error


def switch(key: Id, title: str, rule: str, yes: str, no: str, *, default: bool) -> OptionInfo:
    """Return an option that is on or off."""
    choices = (OptionChoice(value=True, label=yes), OptionChoice(value=False, label=no))
    return OptionInfo(key, title, choices, default, rule)


def banking(rule: str, *, default: bool) -> OptionInfo:
    """Return the option whether campaign points are kept."""
    title = "Campaign points that are not spent"
    return switch("bank_points", title, rule, "They are kept for later.", "They are lost.", default=default)
