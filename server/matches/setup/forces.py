"""What the rules say of a force before a match is made: whether it may be played, and what another edition makes of it. Pure."""

from __future__ import annotations

from collections.abc import Callable

from client_protocol.from_client import CheckForce, ConvertForce
from client_protocol.from_server import ForceChecked, ForceConverted, Refused
from server.kernel.errors import RulesetError
from server.kernel.files.forces import examine
from server.kernel.ruleset import Ruleset
from server.matches.play.seats import settled, tidied

Offered = Callable[[str], Ruleset]
"""Returns the rules of an edition that is offered. Raises `RulesetError`."""


def checked(offered: Offered, message: CheckForce) -> ForceChecked | Refused:
    """Return what the rules of a force's edition say of it, under the given options and the others' defaults; without any
    options, what they say of it in every match.
    """
    try:
        rules = offered(message.force.edition)
        options = settled(rules, message.options) if message.options else {}
        report = examine(rules, tidied(message.force), options)
    except RulesetError as error:
        return Refused(message.id, "force", f"This force cannot be checked: {error}.")
    return ForceChecked(message.id, report)


def converted(offered: Offered, message: ConvertForce) -> ForceConverted | Refused:
    """Return a force made into one of another edition, or why it cannot be."""
    try:
        return ForceConverted(message.id, offered(message.edition).convert_force(tidied(message.force)))
    except RulesetError as error:
        return Refused(message.id, "force", f"This force cannot be converted: {error}.")
