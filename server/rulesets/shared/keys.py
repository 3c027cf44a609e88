"""Rule keys: chapters name a rule by its family's key, and each edition links that key to an entry of its own reference.

So the same line of code leads players to the sentence of the edition that they play. Chapters use keys only. Facts, prompts,
numbers and stories pass through this module when they leave the rules.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, cast

from msgspec import Struct, inspect
from msgspec.structs import fields, replace

from server.kernel.answers.check import Ask, Later
from server.kernel.dice import Roll
from server.kernel.errors import RulesetError
from server.kernel.procedure import Steps

T = TypeVar("T")

FIELD, FIELDS = "rule", "_rule"
"""Struct fields with this name, or with a name that ends in this suffix, hold a rule."""


class Keys:
    """The links from a family's rule keys to the entries of one edition.

    Args:
        edition: the edition's id.
        links: by key, the edition's entry with its id ("fad5/move.rush"), or false if the edition has no such rule. A key
            that is missing here is itself the id of an entry.
        entries: the ids of the edition's entries, without the prefix of the edition.

    Raises:
        RulesetError: a link leads to something that is no entry, or to an entry whose id is also the key of another link.
    """

    def __init__(self, edition: str, links: Mapping[str, str | Literal[False]], entries: Collection[str]) -> None:
        self._edition = edition
        self._entries = frozenset(entries)
        self._links: dict[str, str | Literal[False]] = {
            key: entry and entry.removeprefix(f"{edition}/") for key, entry in links.items()
        }
        self._known: dict[str, str] = {}
        self._kinds: dict[type[Struct], tuple[tuple[str, ...], tuple[str, ...]]] = {}
        for key, entry in self._links.items():
            if entry is not False and entry not in self._entries:
                raise RulesetError(f"{key} leads to {entry}, which is no entry of {edition}")
            if entry is not False and self._links.get(entry, entry) != entry:
                raise RulesetError(f"{key} leads to {entry}, which is a key that leads elsewhere")

    def entry(self, key: str) -> str:
        """Return the entry that `key` links to; "" for "". Raises `RulesetError` for a rule that the edition does not have."""
        found = self._links.get(key, key)
        if found is False or (found and found not in self._entries):
            raise RulesetError(f"{self._edition} has no rule for {key}")
        return found

    def has(self, key: str) -> bool:
        """Return whether the edition knows `key`: it links it to an entry, or says that it has no such rule."""
        return key in self._links or key in self._entries

    def told(self, value: T) -> T:
        """Return `value` with every key in it replaced by the edition's entry. Raises `RulesetError` as `entry` does."""
        return cast("T", self._told(value)) if self._links else value

    def telling(self, steps: Steps[T]) -> Steps[T]:
        """Run the procedure `steps`, with the keys in its prompts and facts replaced by the edition's entries."""
        return self._telling(steps) if self._links else steps

    def _telling(self, steps: Steps[T]) -> Steps[T]:
        answer: Any = None
        while True:
            try:
                step = cast("Generator[Any, Any, T]", steps).send(answer)
            except StopIteration as end:
                return cast("T", end.value)
            if isinstance(step, Ask) and isinstance(step.seats, Later):
                answer = yield Ask(step.seats.then(self.told))
            else:
                answer = yield step if isinstance(step, Roll) else self.told(step)

    def _told(self, value: object) -> object:
        kind = type(value)
        if kind is tuple:
            items = cast("tuple[object, ...]", value)
            for place, item in enumerate(items):
                told = self._told(item)
                if told is not item:
                    # Mostly nothing changes, and no other tuple is made.
                    return (*items[:place], told, *[self._told(other) for other in items[place + 1 :]])
        elif kind is dict:
            entries = cast("dict[object, object]", value)
            for item in entries.values():
                told = self._told(item)
                if told is not item:
                    return {other: self._told(one) for other, one in entries.items()}
        elif kind is not str and isinstance(value, Struct):
            return self._struct(value)
        return value

    def _struct(self, value: Struct) -> Struct:
        kind = type(value)
        # Fields that hold a rule, and those that may hold something with a rule in it.
        found = self._kinds.get(kind)
        if found is None:
            found = self._kinds[kind] = _fields(kind)
        rules, others = found
        changed: dict[str, object] = {}
        for name in rules:
            key = getattr(value, name)
            entry = self._known.get(key)
            if entry is None:
                entry = self._known[key] = self.entry(key)
            if entry != key:
                changed[name] = entry
        for name in others:
            old = getattr(value, name)
            if old:  # most are None, or an empty tuple
                new = self._told(old)
                if new is not old:
                    changed[name] = new
        return replace(value, **changed) if changed else value


@cache
def _fields(kind: type[Struct]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of a struct's fields that hold a rule, and of those that may hold something with a rule in it. The
    others, most of them places on the table, need not be looked into.
    """
    names = [field.name for field in fields(kind)]
    types = _types(kind)
    return (
        tuple(name for name in names if _is_rule(name)),
        tuple(name for name in names if not _is_rule(name) and _may_hold_rule(types[name], ())),
    )


def _is_rule(field: str) -> bool:
    return field == FIELD or field.endswith(FIELDS)


def _types(kind: type[Struct]) -> dict[str, inspect.Type]:
    """Return the types of a struct's fields. They are all found out at once: that takes some milliseconds."""
    found = inspect.type_info(kind)
    assert isinstance(found, inspect.StructType), "it is a struct"
    return {field.name: field.type for field in found.fields}


def _may_hold_rule(found: inspect.Type, within: tuple[type, ...]) -> bool:
    """Return whether a value of this type may have a rule in it. `within` are the structs whose fields are being asked."""
    match found:
        case inspect.StructType(cls=cls, fields=inner):
            return cls not in within and any(
                _is_rule(field.name) or _may_hold_rule(field.type, (*within, cls)) for field in inner
            )
        case inspect.UnionType(types=types) | inspect.TupleType(item_types=types):
            return any(_may_hold_rule(one, within) for one in types)
        case inspect.VarTupleType(item_type=item) | inspect.DictType(value_type=item):
            return _may_hold_rule(item, within)
        case inspect.AnyType() | inspect.CustomType():
            return True
    return False
