"""The interface of a rule set, a family and an edition, for the kernel and the matches."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from client_protocol.choices import Picked
from client_protocol.explained import Explained
from client_protocol.forces import Conversion, Force, ForceForm, ForceReport
from client_protocol.from_server import Chance, EditionInfo
from client_protocol.luck import Luck
from client_protocol.shapes import OptionValue
from client_protocol.view import Aim, CardLine, DeckView, ImpactView, MountView, SpecialCards, Story, Word
from server.kernel.answers.check import Asked
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.facts import Fact
from server.kernel.files.position_parts import PositionParts
from server.kernel.hints import Hints
from server.kernel.procedure import Game, Steps
from server.kernel.space.pieces import Crowd
from server.kernel.space.terrain import Terrain
from server.kernel.state import Asset, Figure, Mount, State, Unit


class Preview(Struct, frozen=True):
    """A preview of a choice, from what a seat may know: the dice in words, the numbers with their lines, the odds."""

    title: str
    dice: str = ""
    numbers: tuple[tuple[str, Explained], ...] = ()
    chances: tuple[Chance, ...] = ()
    notes: tuple[str, ...] = ()


Topic = Literal["range", "sight", "cover", "fire"]
"""The questions about a unit and another one as they stand: how far it is, who sees whom, what cover the other one has
against its fire, and whether it may fire at the other one now.
"""


class Finding(Struct, frozen=True):
    """What the rules say about a `Topic`: a sentence, the rule behind it, and the numbers with their lines. `holds` is the
    answer to a yes-or-no question. `parts` say the same of figures, weapons or moments.
    """

    sentence: str
    rule: str = ""
    holds: bool | None = None
    numbers: tuple[tuple[str, Explained], ...] = ()
    parts: tuple[Finding, ...] = ()


class Gear(Struct, frozen=True):
    """What a figure is or carries: in words, and by the sign that is drawn for it (see `FigureView.sign`)."""

    words: str = ""
    sign: str = ""


class Elsewhere(Struct, frozen=True):
    """What holds in another edition of the family: its id, its entry in that edition's reference ("" if it has none), and a
    sentence.
    """

    edition: str
    entry: str
    says: str


class Ruleset(Protocol):
    """One edition, ready to play."""

    @property
    def info(self) -> EditionInfo:
        """What a start page shows of the edition: options and scenarios."""
        ...

    @property
    def version(self) -> str:
        """The version of the rules' code and data; a log says by which it was played."""
        ...

    @property
    def reference(self) -> tuple[dict[str, str], ...]:
        """The rule reference: id, title, chapter and text of each rule, in our own words."""
        ...

    def elsewhere(self, entry: str, /) -> tuple[Elsewhere, ...]:
        """Return where the family's other editions differ from an entry of the reference."""
        ...

    def open(self, scenario: str, options: Mapping[str, OptionValue]) -> State:
        """Return the state in which a match of `scenario` begins. Raises `RulesetError`."""
        ...

    def read(self, setup: Mapping[str, object]) -> State:
        """Return the state that a setup file describes (see docs/setups.md). Raises `RulesetError`."""
        ...

    @property
    def position_parts(self) -> PositionParts:
        """The parts from which a position can be made."""
        ...

    def game(self, state: State) -> Game[Any]:
        """Return what the procedures see of a match in `state`."""
        ...

    def procedure(self, game: Game[Any]) -> Steps[None] | None:
        """Return the procedure that comes next at this boundary; None when the match is over."""
        ...

    def preview(self, believed: State, asked: Asked, picked: Picked) -> Preview | None:
        """Return a preview of `picked`, or None if there is none."""
        ...

    @property
    def hints(self) -> Hints:
        """The rough numbers by which a computer opponent weighs what it could do."""
        ...

    def what_if(self, state: State, unit: str, target: str) -> tuple[Preview, ...]:
        """Return what `unit` could do to `target` from where both stand in `state`, an imagined one, and what `target` could
        do to it in return; nothing where nothing is possible.
        """
        ...

    def finding(self, state: State, topic: Topic, unit: str, target: str) -> Finding:
        """Return what the rules say about `topic` for `unit` and `target`, another unit, as both stand in `state`. Both are
        on the table; for "fire" `unit` may ride in a vehicle instead, and `target` is an enemy.
        """
        ...

    def amiss(self, state: State, unit: str) -> tuple[str, ...]:
        """Return what the rules forbid about the imagined place of `unit` in `state`, where it is on the table: sentences."""
        ...

    def story(self, state: State, fact: Fact) -> Story | None:
        """Return the sentence for `fact`, which happens to `state`, or None if there is nothing to say."""
        ...

    def luck(self, state: State, fact: Fact) -> tuple[Luck, ...]:
        """Return how lucky the roll `fact`, which happens to `state`, was for each side for which it can be good or bad.

        In a roll-off that is every side that rolls. Empty for other facts, and for a roll that is good for no side. The
        deviation is 0 if every way in which the dice can fall has the same result.
        """
        ...

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:
        """Return the lines of a unit's card. They may depend on the unit, but not on its activation, and on where its figures
        stand only if `card_tells_place`; on its company and on the notes of the match; and on what `cards_tell_of`. They are
        asked for again only if one of these has changed.
        """
        ...

    def asset(self, state: State, asset: Asset, /) -> tuple[CardLine, ...]:
        """Return the lines of the card of what a side has off the table; none if this match does not play it. They may depend
        on the asset and on the number of the turn.
        """
        ...

    def gear(self, unit: Unit, figure: Figure, /) -> Gear:
        """Return what a figure of a unit is or carries; nothing for an ordinary one. It depends on the figure alone, for a
        vehicle also on what it is and on its unit's markers.
        """
        ...

    def mount(self, vehicle: Unit, mount: Mount, /) -> MountView:
        """Return a vehicle's weapon in words, with its range."""
        ...

    @property
    def orders(self) -> dict[str, Word]:
        """The standing orders that units can be given, by key, the default first; empty if there are none."""
        ...

    @property
    def force_form(self) -> ForceForm | None:
        """The form for forces; None if players cannot bring any."""
        ...

    @property
    def ready_forces(self) -> tuple[Force, ...]:
        """Forces to start from."""
        ...

    @property
    def converts(self) -> tuple[str, ...]:
        """The editions whose forces can be made into forces of this one."""
        ...

    def convert_force(self, force: Force) -> Conversion:
        """Return `force`, one of another edition, made into one of this, with what was changed; or why it cannot be."""
        ...

    def check_force(self, force: Force, options: Mapping[str, OptionValue]) -> ForceReport:
        """Return what the rules say of `force` in a match with these options, or without any options in every match: a report
        for each unit. Called only by `kernel.files.forces.examine`, for a force of this edition that fits its form, with every
        field filled in.
        """
        ...

    def campaign(self, settings: Mapping[str, OptionValue], /) -> CampaignRules | None:
        """Return the rules for what happens to forces between battles, under a league's settings (see `EditionInfo.campaign`);
        None if the edition has none. Raises `RulesetError`: there is no such setting, or no such value of it.
        """
        ...

    def cards_tell_of(self, state: State, /) -> object:
        """Return what the cards of units tell of besides the match's notes, each unit and its company: those aboard or attached
        to it, and what it is aboard of or attached to. While this is an equal value, no card is made anew for it.
        """
        ...

    def card_tells_place(self, unit: Unit, /) -> bool:
        """Return whether the card of a unit tells of where it stands."""
        ...

    def aloft(self, state: State, /) -> Collection[str]:
        """Return the units that are in the air: they see and are seen over terrain and vehicles, and have no cover."""
        ...

    def looking(self, state: State, unit: Unit, other: Unit, /) -> Unit:
        """Return a unit as it looks at another and is looked at by it: itself, or one figure where sight goes between centres."""
        ...

    def in_line_of_fire(self, state: State, unit: str, target: str, /) -> tuple[Sequence[Crowd], str]:
        """Return the figures through whom a unit does not fire at an enemy whom it may see past them, and a sentence on those who
        stop a line; () and "" if none does.
        """
        ...

    def shelters(self, state: State, unit: Unit, other: Unit, /) -> tuple[Terrain, ...]:
        """Return the terrain that hides one of two units from the other though one of them is in the air."""
        ...

    def deck(self, state: State) -> DeckView | None:
        """Return the cards by which units activate, as everyone may see them; None if the match is played without cards."""
        ...

    def special_cards(self, state: State) -> SpecialCards | None:
        """Return what the cards say that are no unit's, as everyone may see them; None if the match has none."""
        ...

    def impact(self, state: State) -> ImpactView | None:
        """Return where something struck the table last, as everyone may see it; None if nothing has since the last decision."""
        ...

    def aim(self, state: State) -> Aim | None:
        """Return how the match is won, and how it stands, as everyone may see it; None if its rules do not say."""
        ...

    def turn_limit(self, state: State) -> int:
        """Return the last turn of this match; 0 when it has none."""
        ...

    def cover_names(self) -> Mapping[str, str]:
        """Return the cover levels in words."""
        ...

    @property
    def words(self) -> dict[str, Word]:
        """Conditions and phases in words."""
        ...
