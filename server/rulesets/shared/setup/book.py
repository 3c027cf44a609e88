"""The book of every family: the edition's own file, its tables, the kinds of terrain, and the reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable
from typing import Any, Literal, Protocol, TypeVar, cast

import msgspec
from msgspec import Struct, field

from server.kernel import traits
from server.kernel.errors import RulesetError
from server.kernel.files import setups
from server.kernel.space.geometry import inches
from server.kernel.space.terrain import Sight
from server.rulesets.shared.setup.options import OptionRow
from server.rulesets.shared.setup.rows import Lists, Row, read

ALWAYS, OPTION, ON = "always", "option", "on"
"""How an edition plays a module of its family: in every match, or in those where the option with the module's name is on."""


class Edition(Row, frozen=True):
    """An edition's own file: where it differs from its family, and what a match may choose.

    `tables` are laid over the family's tables key by key, and `rows` over its lists (see
    `server.rulesets.shared.setup.rows.Own`). `keys` link the family's rule keys to the edition's entries (see
    `server.rulesets.shared.keys`). `modules` says how each module of the family is played; one that is missing is not played.
    `option_groups` are headings, each with the options that a page shows below it. `about` says in a sentence what the edition's
    battles are like. `sight_between_centres` says that lines of sight run from centre to centre, and not to any part of a base.
    """

    id: str
    name: str
    version: int
    actions: Mapping[str, tuple[str, ...]]
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: dict[str, dict[str, Literal[False] | dict[str, Any]]] = field(default_factory=dict)
    keys: dict[str, str | Literal[False]] = field(default_factory=dict)
    modules: Mapping[str, Literal["always", "option"]] = field(default_factory=dict)
    option: tuple[OptionRow, ...] = ()
    option_groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    about: str = ""
    sight_between_centres: bool = False


class Palette(Row, frozen=True):
    """The properties of a kind of terrain, unless a setup's piece says otherwise. Lengths in inches. `walls` is the kind of its
    walls, if it is a building; an `opening` is put into such walls.
    """

    kind: str
    name: str
    sight: str = "clear"
    sight_depth: float = 0
    cover: str = "none"
    flags: tuple[str, ...] = ()
    linear: bool = False
    walls: str = ""
    opening: bool = False


class Cover(Row, frozen=True):
    """A level of cover. A family adds what it does."""

    id: str
    name: str


class Adjustment(Row, frozen=True):
    """What a trait adds to a question: `amount`, multiplied by the trait's value where that is a number.

    `question` is the family's word for a place in its questions (`target`: the fire of others at the bearer).
    """

    question: str
    amount: int


class Trait(Row, frozen=True):
    """Something that some units, figures, weapons or armours have and others do not (`docs/design.md`, "How to add a trait").

    `adjusts` are the questions that it adds to, `carries` the kinds of weapons that it gives; what else it does is a hook, a
    procedure that asks for it by its id. `rule` is the rule that says so. `group` is the heading under which it stands in the
    force editor, if it stands under one.
    """

    id: str
    name: str
    bearer: Literal["unit", "figure", "weapon", "armour"]
    rule: str
    value: traits.TraitType = "flag"
    adjusts: tuple[Adjustment, ...] = ()
    carries: str = ""
    group: str = ""


class Reference(Row, frozen=True):
    """An entry of the reference: a rule in our own words. `rows` names a list of the book whose rows are shown below the text;
    `part_of` is the entry of the book's own list that this one tells a part of.
    """

    id: str
    title: str
    chapter: str
    text: str
    rows: str = ""
    part_of: str = ""


class Book(Struct, frozen=True, kw_only=True):
    """The numbers and words that every edition has. `tables` is a struct of the family, with a field for each table; `covers` go
    from none to the best.
    """

    edition: Edition
    palette: dict[str, Palette]
    tables: Row
    covers: Mapping[str, Cover]
    reference: tuple[Reference, ...]
    traits: dict[str, Trait]

    def kind(self, kind: str) -> setups.Kind:
        """Return the properties of a kind of terrain. Raises `RulesetError` for an unknown kind."""
        row = self.palette.get(kind)
        if row is None:
            raise RulesetError(f"there is no terrain of kind {kind!r}; there are {', '.join(self.palette)}")
        return setups.Kind(
            row.name,
            row.cover,
            row.flags,
            cast("Sight", row.sight),
            inches(row.sight_depth),
            row.linear,
            row.walls,
            row.opening,
        )

    def shown(self, rows: str) -> Iterable[str]:
        """Return a line on each row of a list, for the entry of the reference that names it; none for ""."""
        if rows:
            raise RulesetError(f"the reference shows {rows!r}, which is no list of the book")
        return ()


def palette(lists: Lists, covers: Mapping[str, Cover]) -> dict[str, Palette]:
    """Return the kinds of terrain by their keys. Raises `RulesetError` for one whose cover is none of `covers`."""
    kinds = lists.take("terrain", Palette, key="kind")
    for row in kinds.values():
        known(f"terrain {row.kind!r}", row.cover, covers)
    return kinds


def known(place: str, name: str, rows: Mapping[str, object]) -> None:
    """Check that a row or a table names a row that exists. Raises `RulesetError`."""
    if name not in rows:
        raise RulesetError(f"{place} names {name!r}, which is not one of {', '.join(rows)}")


def trait_rows(lists: Lists) -> dict[str, Trait]:
    """Return the traits, by id."""
    return lists.take("trait", Trait)


class _Bearing(Protocol):
    """A row with traits of its own."""

    @property
    def traits(self) -> traits.Traits: ...


T = TypeVar("T", bound=_Bearing)


def with_traits(rows: dict[str, T], bearer: str, known: Mapping[str, Trait]) -> dict[str, T]:
    """Return rows of weapons or armours, their traits checked.

    Raises:
        RulesetError: a row has a trait that there is not, that another kind of thing bears, or with a value of another type.
    """
    for key, row in rows.items():
        for trait, value in row.traits.items():
            if trait not in known or known[trait].bearer != bearer:
                raise RulesetError(f"{bearer} {key}: there is no trait {trait!r} of a {bearer}")
            if traits.value_of(known[trait].value, value) is None:
                raise RulesetError(f"{bearer} {key}: the trait {trait!r} is a {known[trait].value}, not {value!r}")
    return rows


def reference(path: Traversable, edition: str) -> tuple[Reference, ...]:
    """Return the entries of `edition` from a file of `[[rule]]` rows. Raises `RulesetError` for an entry of another edition."""
    found = msgspec.convert(read(path)["rule"], tuple[Reference, ...])
    for row in found:
        if not row.id.startswith(f"{edition}/"):
            raise RulesetError(f"{row.id} is no rule of {edition}")
    return found
