"""A choice that names an enemy."""

from __future__ import annotations

from client_protocol.choices import Candidate, Choice, UnitParameter, Why


def target_choice(
    key: str, label: str, rule: str, consequence: str, candidates: tuple[Candidate, ...], when: str
) -> Choice:
    """A choice that names a target; it cannot be taken when no candidate may be named. `when` is the rule that wants an enemy
    on the table.
    """
    why = None
    if all(candidate.why is not None for candidate in candidates):
        why = next((c.why for c in candidates if c.why), Why("There is no enemy on the table.", when))
    return Choice(key, label, rule, consequence, (UnitParameter("Target", candidates),), why, preview=True)
