"""The parts that positions of an edition are made from, gathered from its book, its scenarios and its ready forces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from client_protocol.view import Word
from server.kernel.files.position_parts import (
    LETTERS,
    SHAPES,
    Ground,
    Label,
    Marker,
    PositionParts,
    Sides,
    Start,
    Template,
    TraitPart,
)
from server.kernel.files.setups import unit_row, write
from server.kernel.state import OVER, Unit
from server.rulesets.shared.setup.book import Book

if TYPE_CHECKING:  # an edition gives its parts
    from server.rulesets.shared.edition import PlayableEdition

_OWN = {"id", "side", "aboard", "attached", "conditions", "activated", "left"}
"""The fields of a unit's row that belong to one position only, so that a template leaves them out."""


def parts(rules: PlayableEdition[Any]) -> PositionParts:
    """Return all parts that a position of this edition can be made from."""
    words, marks = rules.words, rules.marks
    info = rules.info
    opened = {scenario.id: rules.open(scenario.id, {}) for scenario in info.scenarios}
    rosters = [(name, rules.muster("", key)) for key, name in rules.ready_names.items()]
    rosters += [(state.title, list(state.units.values())) for state in opened.values()]
    least, most = rules.sides
    return PositionParts(
        edition=info.id,
        name=info.name,
        scenarios=tuple(
            Start(s.id, s.name, s.summary, {**write(opened[s.id]), "id": s.id, "summary": s.summary})
            for s in info.scenarios
        ),
        terrain=tuple(_grounds(rules.book, rules.cover_names())),
        covers=tuple(Label(key, name) for key, name in rules.cover_names().items()),
        conditions=(
            *(Marker(label.key, label.label, label.text, "unit") for label in _labels(words, marks.units)),
            *(Marker(label.key, label.label, label.text, "figure") for label in _labels(words, marks.figures)),
        ),
        left=_labels(words, marks.left),
        phases=_labels(words, [phase for phase in rules.phases if phase != OVER]),
        roles=tuple(Label(key, name) for key, name in rules.roles.items()),
        traits=tuple(_traits(rules.book)),
        attaching=tuple(trait for trait in rules.attaching if trait in rules.book.traits),
        units=tuple(_templates(rosters)),
        forces=tuple(Label(key, name) for key, name in rules.ready_names.items()),
        sides=Sides(LETTERS, SHAPES, least, most),
        victory=rules.victory_form,
        options=info.options,
    )


def _labels(words: Mapping[str, Word], keys: Iterable[str]) -> tuple[Label, ...]:
    return tuple(Label(key, words[key].label, words[key].text) for key in keys)


def _traits(book: Book) -> Iterator[TraitPart]:
    for row in book.traits.values():
        if row.bearer in {"unit", "figure"}:
            yield TraitPart(row.id, row.name, "", row.bearer, row.value)


def _grounds(book: Book, covers: Mapping[str, str]) -> Iterator[Ground]:
    for row in book.palette.values():
        notes = [covers[row.cover]] if row.cover != "none" else []
        yield Ground(row.kind, row.name, row.linear, row.cover, row.flags, row.sight, row.sight_depth, tuple(notes))


def _templates(rosters: Sequence[tuple[str, Sequence[Unit]]]) -> Iterator[Template]:
    """Yield a template for each unit that differs from those before it in more than its name."""
    seen: set[bytes] = set()
    for origin, units in rosters:
        for unit in units:
            row = _template(unit)
            alike = msgspec.json.encode({**row, "name": ""}, order="sorted")
            if alike not in seen:
                seen.add(alike)
                yield Template(unit.name, origin, row)


def _template(unit: Unit) -> dict[str, Any]:
    row = {key: value for key, value in unit_row(unit).items() if key not in _OWN}
    figures: Any = row["figures"]
    row["figures"] = [
        {key: value for key, value in figure.items() if key != "at" and value not in ("", False)} for figure in figures
    ]
    return row
