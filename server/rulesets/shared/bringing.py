"""The part of the kernel's `Ruleset` interface that is about forces, which families answer alike (docs/forces.md)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from importlib.resources.abc import Traversable
from typing import Generic

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from client_protocol.explained import Explained
from client_protocol.forces import Conversion, Force, ForceForm, ForceProblem, ForceReport, ForceUnit, UnitReport
from client_protocol.shapes import OptionValue
from client_protocol.view import CardLine
from server.kernel.errors import RulesetError
from server.kernel.files import setups
from server.kernel.state import State, Table, Unit
from server.rulesets.shared.keys import Keys
from server.rulesets.shared.rules import B, Rules
from server.rulesets.shared.setup.rows import read

BASE = 1000
"""The diameter of the base of a figure that a force brings, in mil."""


def _none(_book: object) -> tuple[str, ...]:
    return ()


def _not_converted(_book: object, force: Force) -> Conversion:
    return Conversion(None, refusal=f"No force for {force.edition!r} can be made into one for these rules.")


class ForceRules(Struct, Generic[B], frozen=True):
    """What a family says of forces, each by an edition's book.

    Attributes:
        form: from what a force is put together.
        problems: what is wrong with a force, in a match with these options. The force fits the form and has every field.
        total: what a unit of a force counts for.
        units_of: the units of a valid force, for a side.
        converts: the editions whose forces can be made into this one's.
        convert: a force of such an edition made into one of this.
    """

    form: Callable[[B], ForceForm]
    problems: Callable[[B, Force, Mapping[str, OptionValue]], Iterable[ForceProblem]]
    total: Callable[[B, ForceUnit], Explained]
    units_of: Callable[[B, Force, str], list[Unit]]
    converts: Callable[[B], tuple[str, ...]] = _none
    convert: Callable[[B, Force], Conversion] = _not_converted


class BringsForces(ABC, Generic[B]):
    """An edition to which players may bring forces: if it calls `load_forces`."""

    rules: Rules[B]
    """The rules object of the edition's procedures."""
    _forces: ForceRules[B] | None = None
    _ready: Mapping[str, Force] = {}

    @property
    def book(self) -> B:
        """The edition's data."""
        return self.rules.book

    @property
    def keys(self) -> Keys:
        """The links from the family's rule keys to the edition's entries."""
        return self.rules.keys

    def load_forces(self, forces: ForceRules[B], folder: Traversable) -> None:
        """Take these rules for forces, and the ready forces of a folder."""
        self._forces = forces
        self._ready = {
            path.name.removesuffix(".toml"): msgspec.convert(read(path), Force)
            for path in sorted(folder.iterdir(), key=lambda path: path.name)
            if path.name.endswith(".toml")
        }

    def admit_brought(self, state: State) -> None:
        """Refuse a unit that no force may bring to a match with these options: `state` holds it alone. Raises `RulesetError`."""

    @abstractmethod
    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:
        """Return the lines of a unit's card."""

    @property
    def force_form(self) -> ForceForm | None:
        """See `server.kernel.ruleset.Ruleset`."""
        return None if self._forces is None else self.keys.told(self._forces.form(self.book))

    @property
    def ready_forces(self) -> tuple[Force, ...]:
        """See `server.kernel.ruleset.Ruleset`."""
        return tuple(self._ready.values())

    @property
    def ready_names(self) -> dict[str, str]:
        """The names of the ready forces that a side of a setup can play, by key."""
        return {key: force.name for key, force in self._ready.items()}

    @property
    def converts(self) -> tuple[str, ...]:
        """See `server.kernel.ruleset.Ruleset`."""
        return () if self._forces is None else self._forces.converts(self.book)

    def convert_force(self, force: Force) -> Conversion:
        """See `server.kernel.ruleset.Ruleset`."""
        return _not_converted(None, force) if self._forces is None else self._forces.convert(self.book, force)

    def check_force(self, force: Force, options: Mapping[str, OptionValue]) -> ForceReport:
        """See `server.kernel.ruleset.Ruleset`."""
        assert self._forces is not None, "only forces that fit a form are checked"
        found = tuple(self._forces.problems(self.book, force, options))
        problems = (*found, *self._unfit(self._forces, force, options, {problem.unit for problem in found}))
        reports = tuple(self._unit_report(self._forces, force, unit) for unit in force.units)
        report = ForceReport(problems, sum(report.total.value for report in reports), reports)
        return self.keys.told(report)

    def _unfit(
        self, forces: ForceRules[B], force: Force, options: Mapping[str, OptionValue], told: Collection[int]
    ) -> Iterator[ForceProblem]:
        """Yield what forbids units in any force of a match with these options, except those of which a problem is told."""
        for number, unit in enumerate(force.units):
            if number in told:
                continue
            try:
                self.admit_brought(self._alone(forces, force, unit, options))
            except RulesetError as refused:
                yield ForceProblem(f"{refused}.", unit=number)

    def _alone(self, forces: ForceRules[B], force: Force, unit: ForceUnit, options: Mapping[str, OptionValue]) -> State:
        """Return a state that holds only this unit of a force."""
        (formed,) = forces.units_of(self.book, replace(force, units=(unit,)), "")
        return State(force.edition, "", dict(options), Table(0, 0), {}, {formed.id: formed}, {}, {})

    def _unit_report(self, forces: ForceRules[B], force: Force, unit: ForceUnit) -> UnitReport:
        """Return a unit's card and what it counts for."""
        nowhere = self._alone(forces, force, unit, {})
        (formed,) = nowhere.units.values()
        return UnitReport(self.card(nowhere, formed), forces.total(self.book, unit))

    def muster(self, side: str, force: str) -> list[Unit]:
        """Return the units of a ready force (see `server.kernel.files.setups.Muster`). Raises `RulesetError`."""
        if self._forces is None:
            return setups.no_muster(side, force)
        if force not in self._ready:
            raise RulesetError(f"there is no ready force {force!r}; there are {', '.join(self._ready)}")
        return self._forces.units_of(self.book, self._ready[force], side)
