"""The roster of a force that begins a campaign."""

from __future__ import annotations

from collections.abc import Callable

from client_protocol.forces import Force, ForceUnit
from server.kernel.campaigns.roster import Roster, RosterUnit
from server.kernel.files.forces import filled
from server.rulesets.shared.campaigns.terms import Terms


def enlist(own: Terms, force: Force, joining: Callable[[ForceUnit], RosterUnit]) -> Roster:
    """Return the roster of a force that begins a campaign.

    Args:
        own: the terms of the campaign.
        force: the force.
        joining: what the roster holds of a unit that joins, with every field filled in.

    Raises:
        ValueError: the rules refuse the force. The text says why.
    """
    problems = own.examine(force).problems
    if problems:
        raise ValueError(" ".join(problem.sentence for problem in problems))
    whole = filled(own.form, force)
    return Roster(force.edition, force.name, tuple(map(joining, whole.units)), about=force.about)
