"""What the family says of forces that players bring."""

from __future__ import annotations

from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.setup.conversion import convert, editions
from server.rulesets.fad.setup.forces import form, points, problems, units_of
from server.rulesets.shared.bringing import ForceRules

RULES: ForceRules[Book] = ForceRules(
    form=form, problems=problems, total=points, units_of=units_of, converts=editions, convert=convert
)
