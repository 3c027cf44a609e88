"""Converting values of answers between a case, where lengths are inches, and the rules, where they are mil."""

from __future__ import annotations

from client_protocol.choices import (
    Assigned,
    DirectionTaken,
    FiguresPicked,
    FiguresPlaced,
    PathsDeclared,
    PointTaken,
    StopTaken,
    UnitNamed,
    Value,
)
from server.kernel.cases.schema import CaseError, CaseValue, Place
from server.kernel.space.geometry import Point, inches


def value_of(value: CaseValue, where: str) -> Value:
    """Return the value as the rules take it; `where` it stands in the file begins the sentence of an error. Raises
    `CaseError`.
    """
    given: list[Value] = []
    if value.unit is not None:
        given.append(UnitNamed(value.unit))
    if value.paths is not None:
        facing = None if value.facing is None else hundredths(value.facing)
        given.append(PathsDeclared({key: tuple(map(point, path)) for key, path in value.paths.items()}, facing))
    if value.figures is not None:
        given.append(FiguresPicked(value.figures))
    if value.places is not None:
        facings = tuple({key: hundredths(angle) for key, angle in row.items()} for row in value.facings or ())
        places = tuple({key: point(at) for key, at in row.items()} for row in value.places)
        given.append(FiguresPlaced(places, facings))
    if value.angle is not None:
        given.append(DirectionTaken(hundredths(value.angle)))
    given += _plain(value)
    if len(given) != 1:
        kinds = "unit, paths, figures, places, angle, given, stop, point"
        raise CaseError(f"{where}: a value has exactly one of {kinds}")
    if (value.facing is not None and value.paths is None) or (value.facings is not None and value.places is None):
        raise CaseError(f"{where}: `facing` goes with `paths`, and `facings` with `places`")
    return given[0]


def _plain(value: CaseValue) -> list[Value]:
    """Return an assignment, a stop or a point."""
    given: list[Value] = []
    if value.given is not None:
        given.append(Assigned(value.given))
    if value.stop is not None:
        given.append(StopTaken(value.stop))
    if value.point is not None:
        given.append(PointTaken(point(value.point)))
    return given


def written(value: Value) -> CaseValue:
    """Return the value as a case has it."""
    if isinstance(value, UnitNamed):
        return CaseValue(unit=value.unit)
    if isinstance(value, PathsDeclared):
        facing = None if value.facing is None else value.facing / 100
        return CaseValue(paths={key: tuple(map(_place, path)) for key, path in value.paths.items()}, facing=facing)
    if isinstance(value, FiguresPicked):
        return CaseValue(figures=value.figures)
    if isinstance(value, FiguresPlaced):
        facings = tuple({key: angle / 100 for key, angle in row.items()} for row in value.facings)
        places = tuple({key: _place(at) for key, at in row.items()} for row in value.places)
        return CaseValue(places=places, facings=facings or None)
    if isinstance(value, Assigned):
        return CaseValue(given=value.given)
    if isinstance(value, StopTaken):
        return CaseValue(stop=value.at)
    if isinstance(value, PointTaken):
        return CaseValue(point=_place(value.at))
    return CaseValue(angle=value.angle / 100)


def point(at: Place) -> Point:
    """Return a place of a case in mil."""
    return (inches(at[0]), inches(at[1]))


def hundredths(angle: float) -> int:
    """Return an angle in degrees as hundredths of a degree."""
    return round(angle * 100)


def _place(at: Point) -> Place:
    return (at[0] / 1000, at[1] / 1000)
