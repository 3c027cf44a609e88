"""An edition of the family behind the kernel's interface: its chapters, data and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.resources import files
from typing import Any, ClassVar

from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.from_server import OptionInfo
from client_protocol.luck import Luck
from client_protocol.shapes import OptionValue
from client_protocol.view import Aim, CardLine, DeckView, ImpactView, MountView, SpecialCards, Story, Word
from server.kernel.answers.check import Asked
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.errors import RulesetError
from server.kernel.facts import Fact
from server.kernel.hints import Hints
from server.kernel.notes import Note
from server.kernel.procedure import Game, Steps
from server.kernel.programs import UNCONTROLLED
from server.kernel.ruleset import Finding, Gear, Preview, Topic
from server.kernel.space.pieces import Crowd
from server.kernel.state import Asset, Figure, Mount, State, Unit
from server.rulesets.fad import (
    blast,
    collapse,
    damage,
    lines_of_fire,
    melee,
    movement,
    quality,
    shooting,
    turn,
    victory,
)
from server.rulesets.fad import cards as activation_cards
from server.rulesets.fad.campaign.rules import FadCampaign, settings_for
from server.rulesets.fad.campaign.terms import Settings, terms
from server.rulesets.fad.chapters import Chapters
from server.rulesets.fad.game import CHARACTER, LEADER, MOBILITY, WEAPON_TEAM, FadRules
from server.rulesets.fad.generated import patrolling
from server.rulesets.fad.generated.arriving import enters_later
from server.rulesets.fad.generated.noting import begun, due, is_marker, with_secrets
from server.rulesets.fad.hints import FadHints
from server.rulesets.fad.module import FadModule
from server.rulesets.fad.modules import MODULES
from server.rulesets.fad.previews import choices, findings, luck, moves, vehicles, what_if
from server.rulesets.fad.sequence import by_cards
from server.rulesets.fad.setup import positions, profiles
from server.rulesets.fad.setup.book import Book, load
from server.rulesets.fad.setup.bringing import RULES
from server.rulesets.fad.setup.deployment import deployment
from server.rulesets.fad.uncontrolled import method
from server.rulesets.fad.uncontrolled.groups import commanded
from server.rulesets.fad.vehicles import assault as vehicle_assault
from server.rulesets.fad.vehicles import driving, passengers
from server.rulesets.fad.vehicles.transport import together, waiting
from server.rulesets.fad.words import cards, narration, vehicle_card
from server.rulesets.shared.campaigns.settings import settled
from server.rulesets.shared.edition import PlayableEdition
from server.rulesets.shared.setup.deployment import refuse_crowds
from server.rulesets.shared.turns import under_way


class FadRuleset(PlayableEdition[Book]):
    """One edition of Fast And Dirty. See `server.kernel.ruleset.Ruleset`."""

    family = "fad"
    modules: ClassVar[tuple[FadModule, ...]] = MODULES
    rules: FadRules
    phases = turn.PHASES
    sides = (2, 2)
    victory_form = positions.VICTORY

    def __init__(self, edition: str, book: Book | None = None) -> None:
        """Load the edition of this id. `book` is what its files hold, or the same with something else in it."""
        chapters = import_module(f"server.rulesets.fad.{edition}.chapters").CHAPTERS
        assert isinstance(chapters, Chapters), "an edition fills them"
        self.rules = FadRules(book or load(edition), chapters, self.modules)
        shared = (quality, movement, shooting, damage, blast, melee, driving, vehicle_assault, passengers, collapse)
        self.rules.register(*(chapter.register for chapter in shared))
        if chapters.vehicles is not None:
            chapters.vehicles.register(self.rules)
        self.marks = positions.marks(self.rules)
        folder = files("server.rulesets.fad") / edition
        if self.book.tables.bounds.units:
            self.load_forces(RULES, folder / "forces")
        self.load_scenarios(folder)
        self._hints = FadHints(self.rules)

    # --- what a table shows -------------------------------------------------------------------------------------------

    @property
    def words(self) -> dict[str, Word]:
        rules = self.rules
        apart = [marker.id for marker in rules.figure_markers.values() if marker.apart]
        vehicles = () if rules.chapters.vehicles is None else rules.vehicles.leaving
        told = cards.words(rules.book, (*rules.conditions(), *rules.figure_conditions()), apart, vehicles)
        left = {key: Word(row.label, row.text, row.rule) for key, row in rules.leaving.items()}
        return self.keys.told(told | left)

    @property
    def programs(self) -> tuple[str, ...]:
        return (UNCONTROLLED,) if any(module.id == UNCONTROLLED for module in self.rules.listed) else ()

    @property
    def campaign_settings(self) -> tuple[OptionInfo, ...] | None:
        return settings_for(terms(self)) if self._campaigns else None

    def campaign(self, settings: Mapping[str, OptionValue], /) -> CampaignRules | None:
        if not self._campaigns:
            return None
        return FadCampaign(terms(self, settled(settings, Settings)))

    @property
    def _campaigns(self) -> bool:
        return self.force_form is not None and bool(self.book.tables.campaign.points)

    def deck(self, state: State) -> DeckView | None:
        return self.keys.told(activation_cards.view(self.rules, state))

    def aim(self, state: State) -> Aim | None:
        return self.keys.told(victory.aim(self.rules, state))

    def special_cards(self, state: State) -> SpecialCards | None:
        return activation_cards.special(state)

    def impact(self, state: State) -> ImpactView | None:
        return self.keys.told(blast.impact(state))

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:
        return self.keys.told(cards.card(self.rules, state, unit))

    def gear(self, unit: Unit, figure: Figure, /) -> Gear:
        if is_marker(unit):
            return Gear(unit.name, "unknown")
        return cards.gear(self.rules, figure) if figure.hull is None else vehicle_card.gear(self.rules, unit)

    def asset(self, state: State, asset: Asset, /) -> tuple[CardLine, ...]:
        found = self.rules.assets()
        if found is None or not self.rules.plays(state, found[0].id):
            return ()
        return self.keys.told(found[1].card(self.rules, state, asset))

    def mount(self, vehicle: Unit, mount: Mount, /) -> MountView:
        return vehicle_card.mount(self.rules, vehicle, mount)

    def story(self, state: State, fact: Fact) -> Story | None:
        return self.keys.told(narration.story(self.rules, state, fact))

    def luck(self, state: State, fact: Fact) -> tuple[Luck, ...]:
        return self.keys.told(luck.luck(self.rules, state, fact))

    @property
    def hints(self) -> Hints:
        return self._hints

    # --- playing ------------------------------------------------------------------------------------------------------

    def procedure(self, game: Game[Any]) -> Steps[None] | None:
        steps = turn.procedure(game)
        if steps is not None and patrolling.patrolled(game.state):
            steps = patrolling.watched(game, steps)
        if steps is not None and commanded(game.state):
            steps = method.guided(game, steps)
        return None if steps is None else self.keys.telling(steps)

    def preview(self, believed: State, asked: Asked, picked: Picked) -> Preview | None:
        if due(believed) or self.rules.preparing(believed) is not None:
            # While a set-up is generated or prepared no units act.
            return None
        told = vehicles.preview(self.rules, believed, asked, picked) or choices.preview(
            self.rules, believed, asked, picked
        )
        return self.keys.told(moves.warned(self.rules, believed, asked, picked, told))

    def what_if(self, state: State, unit: str, target: str) -> tuple[Preview, ...]:
        return self.keys.told(what_if.what_if(self.rules, state, unit, target))

    def finding(self, state: State, topic: Topic, unit: str, target: str) -> Finding:
        return self.keys.told(findings.finding(self.rules, state, topic, unit, target))

    def in_line_of_fire(self, state: State, unit: str, target: str, /) -> tuple[Sequence[Crowd], str]:
        told = lines_of_fire.note(self.rules, state, unit, target)
        friends = lines_of_fire.in_the_way(self.rules, state, state.units[unit]) if told else []
        return [self.rules.crowd(friend) for friend in friends], told

    def amiss(self, state: State, unit: str) -> tuple[str, ...]:
        return what_if.amiss(self.rules, state, unit)

    # --- setups -------------------------------------------------------------------------------------------------------

    def open(self, scenario: str, options: Mapping[str, OptionValue]) -> State:
        """Open a scenario. Units that only a module plays which the match does not play stay away from it."""
        return positions.without_unplayed(super().open(scenario, options), self.rules)

    def unit_profile(self, name: str, other: Mapping[str, object], roles: tuple[str, ...]) -> dict[str, Note]:
        return profiles.profile(self.rules, name, other, roles)

    def asset_profile(self, name: str, other: Mapping[str, object]) -> dict[str, Note]:
        found = self.rules.assets()
        return super().asset_profile(name, other) if found is None else found[1].profile(self.rules, name, other)

    def roster(
        self, name: str, count: int, other: Mapping[str, object]
    ) -> tuple[list[dict[str, object]], dict[str, object]]:
        """List the leader first, if there is one, then the gunners, then the riflemen (fad5/unit.figure-scale)."""
        if MOBILITY in other:
            raise RulesetError(f"{name}: list a vehicle's figure with its hull instead of giving a number of figures")
        rest = dict(other)
        leads, support = rest.pop("leader", False), rest.pop("support", [])
        if not isinstance(leads, bool) or not isinstance(support, list) or not all(isinstance(s, str) for s in support):
            raise RulesetError(f"{name}: leader is true or false, support a list of weapons")
        alone = [CHARACTER] if rest.get(CHARACTER) is True else []
        roles = alone + [LEADER] * leads + support
        if len(roles) > count:
            raise RulesetError(f"{name} has {count} figures for {len(roles)} roles")
        return [{"role": role} for role in roles + [""] * (count - len(roles))], rest

    def begin(self, state: State) -> State:
        if len(state.sides) != 2:
            name, count = self.book.edition.name, len(state.sides)
            raise RulesetError(f"{name} is played by two sides; the setup has {count}")
        positions.check_vehicles(state, self.rules)
        state = with_secrets(begun(self.rules, state)) if self.rules.secretive(state) else begun(self.rules, state)
        kind = state.victory.get("kind", "break")
        if kind not in {"break", "objective"}:
            raise RulesetError(f'a match is won by "break" or by "objective", not by {kind!r}')
        if kind == "objective" and state.victory.get("objective") not in state.objectives:
            raise RulesetError(f"the objective {state.victory.get('objective')!r} is not among the setup's objectives")
        heir = state.victory.get("unheld", "")
        if heir and heir not in state.sides:
            raise RulesetError(f"there is no side {heir!r} to win when the objective is not held")
        state = replace(state, victory={**state.victory, "kind": kind})
        state = positions.with_woods(state)
        # Before the first card is drawn there is no side to act.
        state = together(state) if self.book.tables.transport.together else state
        found = self.rules.assets()
        if found is not None and self.rules.plays(state, found[0].id):
            state = found[1].given(self.rules, state)
        # fad5/turn.initiative: the winner may still have to say who goes first; then the roll is thrown anew
        chooses = self.book.tables.initiative.winner_chooses and turn.undecided(state)
        return state if by_cards(state) or chooses else under_way(state, waiting)

    @property
    def roles(self) -> dict[str, str]:
        return positions.roles(self.book)

    @property
    def attaching(self) -> tuple[str, ...]:
        return (WEAPON_TEAM, CHARACTER)

    def enters_later(self, state: State, unit: Unit) -> bool:
        return enters_later(state, unit)

    def admit(self, state: State) -> None:
        super().admit(state)
        positions.admit(state, self.rules)
        refuse_crowds(state, deployment(self.rules, state))

    def admit_brought(self, state: State) -> None:
        positions.admit_units(state, self.rules)
