"""What the forces of a league count for, and which can be brought. Pure."""

from __future__ import annotations

from client_protocol.forces import Force
from client_protocol.leagues import LeagueTerms
from server.kernel.files.forces import examine, sentence
from server.kernel.ruleset import Ruleset
from server.leagues.errors import ActError


def weigh(rules: Ruleset, terms: LeagueTerms, force: Force) -> int:
    """Return what a force counts for in a league with these terms. Raises `ActError`: it cannot be brought."""
    if not force.name or not all(unit.name for unit in force.units):
        raise ActError("This force cannot be enrolled. A name in it is empty.", "force")
    report = examine(rules, force, terms.options)
    if report.problems:
        said = sentence(rules.force_form, force, report.problems[0])
        raise ActError(f"This force cannot be enrolled. {said}", "force")
    if terms.total and report.total > terms.total:
        raise ActError(
            f"This force counts for {report.total}; in this league a force counts for {terms.total} at most."
        )
    return report.total
