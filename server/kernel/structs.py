"""The base of the structs that compiled modules declare."""

from __future__ import annotations

from msgspec import Struct


class Fixed(Struct, frozen=True, gc=False):
    """A struct that does not change, and that the collector of reference cycles need not know.

    mypyc drops what a class is declared with, and leaves it its bases: a struct of a compiled module has this base for
    `frozen` and `gc`, and nothing else can be declared. It has no types either that msgspec could decode it by.
    """
