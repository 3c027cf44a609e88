"""Which shapes of the wire lie in stored logs and match files too, found from the types of what is stored."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from typing import get_args

import msgspec

import client_protocol
from server.kernel.state import State
from server.matches.log.entries import Envelope
from server.matches.log.match_file import MatchFile

WIRE = "client_protocol"
STORED = (MatchFile, Envelope, State)
"""A match file, the entries in it and in logs, and the position in the first of them."""


def stored_shapes() -> dict[str, set[str]]:
    """Return the names of those shapes by the module of `client_protocol` that defines them: structs, and lists of words."""
    found: dict[str, set[str]] = {}
    words: set[frozenset[object]] = set()
    for part in _parts(*msgspec.inspect.multi_type_info(STORED)):
        if isinstance(part, msgspec.inspect.StructType) and part.cls.__module__.startswith(f"{WIRE}."):
            found.setdefault(_short(part.cls.__module__), set()).add(part.cls.__name__)
        elif isinstance(part, msgspec.inspect.LiteralType):
            words.add(frozenset(part.values))
    for module, name, values in _lists_of_words():
        if values in words:
            found.setdefault(module, set()).add(name)
    return found


def _parts(*types: msgspec.inspect.Type) -> Iterator[msgspec.inspect.Type]:
    """Yield every type that these are made of, structs once."""
    waiting: list[object] = [*types]
    seen: set[type] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, msgspec.inspect.StructType):
            if part.cls in seen:
                continue
            seen.add(part.cls)
        if isinstance(part, msgspec.inspect.Type):
            yield part
        if isinstance(part, (msgspec.inspect.Type, msgspec.inspect.Field)):
            waiting += [getattr(part, name) for name in part.__struct_fields__]
        elif isinstance(part, (tuple, list)):
            waiting += part


def _lists_of_words() -> Iterator[tuple[str, str, frozenset[object]]]:
    """Yield the lists of words that modules of the wire define under a name: module, name, words."""
    for info in pkgutil.iter_modules(client_protocol.__path__, f"{WIRE}."):
        if not info.ispkg:
            module = importlib.import_module(info.name)
            for name in re.findall(r"^(\w+) = Literal\[", inspect.getsource(module), re.MULTILINE):
                yield _short(info.name), name, frozenset(get_args(getattr(module, name)))


def _short(module: str) -> str:
    return module.removeprefix(f"{WIRE}.")
