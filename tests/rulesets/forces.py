"""Random legal forces of any edition, made from its form alone."""

from __future__ import annotations

import random
from collections.abc import Mapping

from client_protocol.forces import FORCE_FORMAT, Entries, Entry, Force, ForceUnit, FormField, FormKind
from client_protocol.shapes import OptionValue
from server.kernel.files.forces import examine
from server.kernel.ruleset import Ruleset

TRIES = 60
UNITS = 5
ROWS = 3


def bring(rules: Ruleset, chance: random.Random, options: Mapping[str, OptionValue]) -> Force | None:
    """Return a force that a match with these options allows: a ready one or a random one; None if none was found."""
    if chance.randrange(3) == 0:
        ready = [force for force in rules.ready_forces if not examine(rules, force, options).problems]
        if ready:
            return chance.choice(ready)
    return put_together(rules, chance, options)


def put_together(rules: Ruleset, chance: random.Random, options: Mapping[str, OptionValue]) -> Force | None:
    """Return a random force, or None if the rules allowed none. Units are added as long as the rules allow."""
    form = rules.force_form
    assert form is not None
    force = Force(FORCE_FORMAT, rules.info.id, "At random", ())
    wanted = 1 + chance.randrange(UNITS)
    for _ in range(TRIES):
        kind = chance.choice(form.kinds)
        unit = _unit(kind, f"{kind.label} {len(force.units) + 1}", chance)
        more = Force(FORCE_FORMAT, rules.info.id, force.name, (*force.units, unit))
        if not examine(rules, more, options).problems:
            force = more
        if len(force.units) == wanted:
            break
    return force if force.units else None


def _unit(kind: FormKind, name: str, chance: random.Random) -> ForceUnit:
    rows = {
        one.key: tuple(
            _entries(one.fields, chance) for _ in range(min(one.most, max(one.least, 1 + chance.randrange(ROWS))))
        )
        for one in kind.lists
    }
    return ForceUnit(kind.key, name, _entries(kind.fields, chance), rows)


def _entries(fields: tuple[FormField, ...], chance: random.Random) -> Entries:
    return {field.key: _entry(field, chance) for field in fields if chance.randrange(4)}


def _entry(field: FormField, chance: random.Random) -> Entry:
    if field.choices:
        # What most units are without does not go with everything.
        return field.default if field.default == "none" and chance.randrange(4) else chance.choice(field.choices).value
    if isinstance(field.default, bool):
        return chance.randrange(4) == 0
    if isinstance(field.default, str):
        return field.default
    # Few rows are likelier than many, as in real forces.
    most = min(field.most, field.least + 5)
    return field.least + chance.randrange(most - field.least + 1)
