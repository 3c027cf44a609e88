"""Traits: what some units and figures have and others do not, each with a value of its type.

Which traits there are, who may have them and what they do, an edition says with rows (`Trait`). A unit or figure without any
has no map of them at all, so that its encoded form is what it was before there were traits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

from msgspec import UNSET, UnsetType

from server.kernel.errors import RulesetError

TraitValue = bool | int | tuple[int, int]
"""A flag (which is then true), a whole number, or a pair of them."""
Traits = dict[str, TraitValue]

Bearer = Literal["unit", "figure"]
TraitType = Literal["flag", "number", "pair"]

TRAITS = "traits"
"""The field of a setup's unit or figure that holds its traits."""

_FAR = 1_000_000
_YES = "yes"
"""How setups used to say that a flag is set."""
_EXPECTED = {"flag": "true", "number": "a whole number", "pair": "a list of two whole numbers"}


class Trait(Protocol):
    """What the kernel must know of an edition's trait: who bears it, and the type of its value."""

    @property
    def bearer(self) -> str:
        """What bears it: a `Bearer`, or something of the rule set's own."""
        ...

    @property
    def value(self) -> TraitType:
        """The type of its value."""
        ...


class HasTraits(Protocol):
    """A unit or a figure."""

    @property
    def traits(self) -> Traits | UnsetType:
        """Its traits by id; unset if it has none."""
        ...


def of(bearer: HasTraits) -> Mapping[str, TraitValue]:
    """Return the traits of a unit or figure, by id."""
    return bearer.traits or {}


def has(bearer: HasTraits, trait: str) -> bool:
    """Return whether a unit or figure has `trait`, whatever its value."""
    own = bearer.traits
    return own is not UNSET and trait in own


def kept(traits: Traits) -> Traits | UnsetType:
    """Return traits as a unit or figure holds them: none at all if there are none."""
    return traits or UNSET


def checked(
    name: str, bearer: Bearer, known: Mapping[str, Trait], fields: Mapping[str, object]
) -> tuple[Traits, dict[str, object]]:
    """Return the traits that a row of a setup gives, in the edition's order, and the row's other fields.

    A row gives them in its table `traits`; a field that is called like a trait of this bearer says the same.

    Args:
        name: the unit's name, for sentences.
        bearer: what the row describes.
        known: the edition's traits, by id.
        fields: the row's fields that the schema does not name, with `traits` among them.

    Raises:
        RulesetError: there is no such trait, this bearer cannot have it, or its value is of another type.
    """
    others = dict(fields)
    table = others.pop(TRAITS, {})
    if not isinstance(table, dict):
        raise RulesetError(f"{name}: {TRAITS} is a table of traits with their values, not {table!r}")
    own = [trait for trait, row in known.items() if row.bearer == bearer]
    for trait in table:
        if trait not in known:
            there_are = f"a {bearer} may have {', '.join(own)}" if own else f"a {bearer} has none here"
            raise RulesetError(f"{name}: there is no trait {str(trait)[:60]!r}; {there_are}")
        if trait not in own:
            raise RulesetError(f"{name}: the trait {trait!r} is one of a {known[trait].bearer}, not of a {bearer}")
    given = {**table, **{trait: others.pop(trait) for trait in own if trait in others}}
    found: Traits = {}
    for trait in own:
        if trait in given:
            value = value_of(known[trait].value, given[trait])
            if value is None:
                expected = _EXPECTED[known[trait].value]
                raise RulesetError(f"{name}: the trait {trait!r} is {expected}, not {given[trait]!r}")
            if value is not False:
                found[trait] = value
    return found, others


def value_of(kind: TraitType, given: object) -> TraitValue | None:
    """Return the value that `given` is for a trait of this type; None if it is none."""
    if kind == "flag":
        return given if isinstance(given, bool) else True if given == _YES else None
    if kind == "number":
        return _whole(given)
    if not isinstance(given, list | tuple) or len(given) != 2:
        return None
    one, other = map(_whole, given)
    return None if one is None or other is None else (one, other)


def _whole(given: object) -> int | None:
    return given if isinstance(given, int) and not isinstance(given, bool) and -_FAR <= given <= _FAR else None
