"""The parts of an edition's positions: what a page for setting up positions offers."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from client_protocol.from_server import OptionInfo
from server.kernel.traits import TraitType

SHAPES = ("circle", "square", "diamond", "hexagon")
"""The shapes that bases are drawn in."""
LETTERS = ("A", "B", "C", "D", "E", "F", "G", "H")


class Label(Struct, frozen=True):
    """A word of the edition: its key in a setup, its label, its meaning."""

    key: str
    label: str
    text: str = ""


class Marker(Struct, frozen=True):
    """A condition, and whether units have it or single figures."""

    key: str
    label: str
    text: str
    on: Literal["unit", "figure"]


class TraitPart(Struct, frozen=True):
    """A trait, whether units have it or single figures, and the type of its value."""

    key: str
    label: str
    text: str
    on: str
    value: TraitType


class Ground(Struct, frozen=True):
    """A kind of terrain and what it does unless a piece says otherwise; `sight_depth` in inches, `notes` in words."""

    kind: str
    name: str
    linear: bool
    cover: str
    flags: tuple[str, ...]
    sight: str
    sight_depth: float
    notes: tuple[str, ...]


class Condition(Struct, frozen=True):
    """A field of a setup's `victory`: one of `choices`, the id of an objective or of a side, or a number from `least` to `most`.
    Where it is `per_side`, there is one for each side, under the key, a dot and the side's id.
    """

    key: str
    label: str
    kind: Literal["choice", "objective", "side", "number"]
    choices: tuple[Label, ...] = ()
    least: int = 0
    most: int = 0
    per_side: bool = False


class Template(Struct, frozen=True):
    """A unit to copy: its row in a setup, without id, side and places. `origin` is the scenario or force that it is from."""

    name: str
    origin: str = field(name="from")
    row: dict[str, Any]


class Start(Struct, frozen=True):
    """A scenario's position as a whole setup, every unit listed."""

    id: str
    name: str
    summary: str
    setup: dict[str, Any]


class Sides(Struct, frozen=True):
    """What sides are drawn with, and how many may play."""

    letters: tuple[str, ...]
    shapes: tuple[str, ...]
    least: int
    most: int


class PositionParts(Struct, frozen=True):
    """All parts of positions. `roles` are what figures may be or carry, `left` the reasons why units leave the game, `forces`
    the ready forces that a side can play.
    """

    edition: str
    name: str
    scenarios: tuple[Start, ...]
    terrain: tuple[Ground, ...]
    covers: tuple[Label, ...]
    conditions: tuple[Marker, ...]
    left: tuple[Label, ...]
    phases: tuple[Label, ...]
    roles: tuple[Label, ...]
    traits: tuple[TraitPart, ...]
    attaching: tuple[str, ...]
    units: tuple[Template, ...]
    forces: tuple[Label, ...]
    sides: Sides
    victory: tuple[Condition, ...]
    options: tuple[OptionInfo, ...]
