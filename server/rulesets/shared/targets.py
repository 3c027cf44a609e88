"""Choices that name an enemy unit."""

from __future__ import annotations

from client_protocol.choices import Candidate, Choice, UnitParameter, Why


def target_choice(
    key: str, label: str, rule: str, consequence: str, candidates: tuple[Candidate, ...], when: str
) -> Choice:
    """Return a choice that names a target. It cannot be taken if no candidate is legal.

    `when` is the rule to show if there is no enemy on the table at all.
    """
    why = None
    if all(candidate.why is not None for candidate in candidates):
        why = next((c.why for c in candidates if c.why), Why("There is no enemy on the table.", when))
    return Choice(key, label, rule, consequence, (UnitParameter("Target", candidates),), why, preview=True)
