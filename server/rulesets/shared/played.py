"""What the modules of a match bring, gathered once for each choice of modules: chapters ask for it thousands of times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from server.rulesets.shared.modules import Module

T = TypeVar("T")


def given(hooks: Iterable[T | None]) -> tuple[T, ...]:
    """Return those of some hooks that are there, in their order."""
    return tuple(hook for hook in hooks if hook is not None)


class Played:
    """The hooks of the modules that a match plays, in the order in which the modules are listed.

    Each attribute holds the hooks of the same name of `server.rulesets.shared.modules.Module`.
    """

    def __init__(self, modules: Sequence[Module[Any]]) -> None:
        self.bars = given(module.bars for module in modules)
        self.cards = given(module.card for module in modules)
        self.cards_tell_of = given(module.card_tells_of for module in modules)
        self.actions = tuple(action for module in modules for action in module.actions)
