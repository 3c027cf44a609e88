"""Modules of the rules: parts of a family that an edition plays always, or that a match switches on.

A module is a value that says what it adds. No chapter names one: chapters ask the rules object (`server.rulesets.shared.rules`),
which asks the modules that the match plays. So a module is added or taken away in one place, the family's list of modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct, field

from client_protocol.choices import Choice, Picked, Why
from client_protocol.explained import Line
from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.errors import RulesetError
from server.kernel.facts import Rolled
from server.kernel.procedure import Game, Steps
from server.kernel.questions import Question
from server.kernel.ruleset import Preview
from server.kernel.state import State, Unit
from server.rulesets.shared.setup.book import OPTION, Edition

if TYPE_CHECKING:  # the rules object holds the modules
    from server.rulesets.shared.rules import Rules

R = TypeVar("R", bound="Rules[Any]")


class Advice(Struct, Generic[R], frozen=True):
    """An adviser of a question (see `server.kernel.questions.Advisers.add`), which is given the rules object too."""

    question: type[Question]
    lines: Callable[[R, State, Any], Iterable[Line]]
    unit: str = ""
    rank: int = 0


class Marker(Struct, Generic[R], frozen=True, kw_only=True):
    """A condition of units that a module brings.

    What a marker does, it does wherever it lies, also in a match that does not play the module: a position may have brought it.

    Attributes:
        id: the condition, which is a row of the edition's list.
        replaces: the condition whose place it takes: while the marker lies, the other one is neither counted nor placed.
        comes_off: whether it comes off when an activation of its unit ends.
        bars: why a unit with the marker may not act in this way (the family's word for the act); None if it may.
        advisers: what it adds to questions. They look for the marker themselves.
    """

    id: str
    replaces: str = ""
    comes_off: bool = False
    bars: Callable[[R, State, Unit, str], Why | None] | None = None
    advisers: tuple[Advice[R], ...] = ()


class Action(Struct, Generic[R], frozen=True, kw_only=True):
    """An action that a module adds to those of a unit that activates.

    Attributes:
        key: the key of its choice. No other choice of the family has it.
        offer: the choice for a unit, from what its seat may know; None if there is nothing to show.
        carry_out: what happens when the unit takes it.
        preview: what is said of it before it is taken; None if there is nothing to say.
        free: whether the unit takes an action after it.
    """

    key: str
    offer: Callable[[R, State, Unit], Choice | None]
    carry_out: Callable[[Game[R], str, Picked], Steps[None]]
    preview: Callable[[R, State, Asked, Picked], Preview | None] | None = None
    free: bool = False


class Declaration(Struct, frozen=True):
    """How the log tells what a unit declares: what follows the unit's name, and the kind of the line."""

    text: str
    kind: str = "move"


class ModuleRoll(Struct, Generic[R], frozen=True):
    """What is said of a roll of a module's own.

    Attributes:
        story: the sentence, the kind of the line, and the rule to which it links.
        luck: how lucky it was and for whom (see `server.rulesets.shared.previews.luck`); None if it is good for no side.
    """

    story: Callable[[R, State, Rolled], tuple[str, str, str]]
    luck: Callable[[R, State, Rolled], tuple[Luck, ...]] | None = None


class Module(Struct, Generic[R], frozen=True, kw_only=True):
    """A part of a family's rules that a match may play or not. Except for the markers and the words, all of it holds only in
    matches that play the module, and the rules object sees to that: nothing in a module asks whether it is played.

    Attributes:
        id: its name in an edition's `[modules]`, and that of the option which switches it on.
        switch: that option, if it has another name.
        markers: the conditions that it brings.
        advisers: what it adds to questions.
        bars: why a unit may not act in this way (the family's word for the act); None if it may.
        card: the lines that it adds to a unit's card.
        card_tells_of: what these lines tell of besides the unit, its company, notes and terrain
            (see `server.kernel.ruleset.Ruleset.cards_tell_of`).
        card_tells_place: whether these lines tell of where a unit stands.
        actions: the actions that it adds.
        declares: the words for what its procedures declare (`server.kernel.facts.Declared`), by the declared action.
        manners: the words for moves of its own (`server.kernel.facts.UnitMoved`), by their manner, with `{far}` for how far.
        rolls: what is said of its own rolls (`server.kernel.facts.Rolled`), by their purpose.
        admit: refuses a position that comes from a file with notes of the module which it could not read. Raises
            `RulesetError`.
    """

    id: str
    switch: str = ""
    markers: tuple[Marker[R], ...] = ()
    advisers: tuple[Advice[R], ...] = ()
    bars: Callable[[R, State, Unit, str], Why | None] | None = None
    card: Callable[[R, State, Unit], Iterable[CardLine]] | None = None
    card_tells_of: Callable[[R, State], object] | None = None
    card_tells_place: Callable[[Unit], bool] | None = None
    actions: tuple[Action[R], ...] = ()
    declares: Mapping[str, Declaration] = field(default_factory=dict)
    manners: Mapping[str, str] = field(default_factory=dict)
    rolls: Mapping[str, ModuleRoll[R]] = field(default_factory=dict)
    admit: Callable[[State], None] | None = None


M = TypeVar("M", bound=Module[Any])


def listed(edition: Edition, known: Sequence[M]) -> tuple[M, ...]:
    """Return the modules that `edition` plays always or by an option, of those `known` to its family, in the family's order.

    Raises:
        RulesetError: the edition plays a module that the family does not have, or lets a match choose one without an option;
            or two of its modules have the same action, declaration or marker.
    """
    names = [module.id for module in known]
    options = {row.id for row in edition.option}
    switches = {module.id: module.switch or module.id for module in known}
    for name, how in edition.modules.items():
        if name not in names:
            raise RulesetError(
                f"{edition.id} plays {name!r}, which is not one of the family's modules: {', '.join(names)}"
            )
        if how == OPTION and switches[name] not in options:
            raise RulesetError(f"{edition.id} lets a match choose {name!r}, and has no option of that name")
    found = tuple(module for module in known if module.id in edition.modules)
    _refuse_twice(edition, "the marker", ((m.id, marker.id) for m in found for marker in m.markers))
    _refuse_twice(edition, "the action", ((m.id, action.key) for m in found for action in m.actions))
    _refuse_twice(edition, "words for the declaration", ((m.id, action) for m in found for action in m.declares))
    _refuse_twice(edition, "words for the roll", ((m.id, purpose) for m in found for purpose in m.rolls))
    return found


def _refuse_twice(edition: Edition, what: str, brought: Iterable[tuple[str, str]]) -> None:
    first: dict[str, str] = {}
    for module, key in brought:
        if key in first:
            raise RulesetError(f"{edition.id}: the modules {first[key]!r} and {module!r} both bring {what} {key!r}")
        first[key] = module
