"""An edition of the family behind the kernel's interface: its chapters, data and words."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.from_server import OptionInfo
from client_protocol.luck import Luck
from client_protocol.shapes import OptionValue
from client_protocol.view import Aim, CardLine, MountView, Story, Word
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.errors import RulesetError
from server.kernel.facts import Fact
from server.kernel.hints import Hints
from server.kernel.notes import Note
from server.kernel.procedure import Game, Steps
from server.kernel.ruleset import Finding, Gear, Preview, Topic
from server.kernel.state import Figure, Mount, State, Unit
from server.rulesets.fubar import activation, combat, fire, movement, reaction, saves, turn, vehicles, victory
from server.rulesets.fubar.campaign.rules import FubarCampaign, settings_for
from server.rulesets.fubar.campaign.terms import Settings, terms
from server.rulesets.fubar.game import (
    ARM,
    ARMOUR,
    CREW,
    CREW_ARMOUR,
    KIND,
    LEVEL,
    FubarRules,
)
from server.rulesets.fubar.hints import FubarHints
from server.rulesets.fubar.previews import choices, findings, luck, what_if
from server.rulesets.fubar.setup import deployment, forces, positions
from server.rulesets.fubar.setup.book import Book, load
from server.rulesets.fubar.words import cards, narration
from server.rulesets.shared.campaigns.settings import settled
from server.rulesets.shared.edition import PlayableEdition
from server.rulesets.shared.setup.admission import number
from server.rulesets.shared.setup.deployment import refuse_crowds
from server.rulesets.shared.setup.names import told_apart
from server.rulesets.shared.turns import under_way


class FubarRuleset(PlayableEdition[Book]):
    """One edition of FUBAR. See `server.kernel.ruleset.Ruleset`."""

    family = "fubar"
    rules: FubarRules
    phases = turn.PHASES
    marks = positions.MARKS
    victory_form = positions.VICTORY

    def __init__(self, edition: str) -> None:
        self.rules = FubarRules(load(edition))
        self.rules.register(*(chapter.register for chapter in (activation, movement, fire, saves, combat, vehicles)))
        folder = files("server.rulesets.fubar") / edition
        self.load_forces(forces.RULES, folder / "forces")
        self.load_scenarios(folder)
        self._hints = FubarHints(self.rules)

    # --- what a table shows -------------------------------------------------------------------------------------------

    @property
    def words(self) -> dict[str, Word]:
        return self.keys.told(cards.WORDS)

    @property
    def orders(self) -> dict[str, Word]:
        return self.keys.told(reaction.ORDERS)

    def aim(self, state: State) -> Aim | None:
        return self.keys.told(victory.aim(state))

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:
        return self.keys.told(cards.card(self.rules, state, unit))

    def gear(self, _unit: Unit, figure: Figure, /) -> Gear:
        return cards.gear(self.rules, figure)

    def mount(self, _vehicle: Unit, mount: Mount, /) -> MountView:
        return cards.mount(self.rules, mount)

    def story(self, state: State, fact: Fact) -> Story | None:
        return self.keys.told(narration.story(self.rules, state, fact))

    def luck(self, state: State, fact: Fact) -> tuple[Luck, ...]:
        return self.keys.told(luck.luck(self.rules, state, fact))

    @property
    def campaign_settings(self) -> tuple[OptionInfo, ...] | None:
        return None if self.force_form is None else settings_for(terms(self))

    def campaign(self, settings: Mapping[str, OptionValue], /) -> CampaignRules | None:
        return None if self.force_form is None else FubarCampaign(terms(self, settled(settings, Settings)))

    @property
    def hints(self) -> Hints:
        return self._hints

    # --- playing ------------------------------------------------------------------------------------------------------

    def procedure(self, game: Game[Any]) -> Steps[None] | None:
        steps = turn.procedure(game)
        return None if steps is None else self.keys.telling(steps)

    def preview(self, believed: State, asked: Asked, picked: Picked) -> Preview | None:
        return self.keys.told(choices.preview(self.rules, believed, asked, picked))

    def what_if(self, state: State, unit: str, target: str) -> tuple[Preview, ...]:
        return self.keys.told(what_if.what_if(self.rules, state, unit, target))

    def finding(self, state: State, topic: Topic, unit: str, target: str) -> Finding:
        return self.keys.told(findings.finding(self.rules, state, topic, unit, target))

    def amiss(self, state: State, unit: str) -> tuple[str, ...]:
        return what_if.amiss(self.rules, state, unit)

    # --- setups -------------------------------------------------------------------------------------------------------

    def unit_profile(self, name: str, other: Mapping[str, object], roles: tuple[str, ...]) -> dict[str, Note]:
        kind = str(other.get(KIND, forces.INFANTRY))
        if kind not in {forces.INFANTRY, forces.VEHICLE, "crew"}:
            raise RulesetError(f"{name}: a unit is infantry, a vehicle or a crew, not {kind!r}")
        profile: dict[str, Note] = {KIND: kind}
        tables: dict[str, Mapping[str, object]] = {LEVEL: self.book.levels}
        if kind == forces.VEHICLE:
            tables |= {ARMOUR: self.book.vehicle_armours, CREW_ARMOUR: self.book.armours}
            profile[CREW] = number(f"{name}: {CREW}", other.get(CREW, 1), 1, self.book.tables.bounds.crew)
        for field, known in tables.items():
            profile[field] = _one_of(name, field, other.get(field), known)
        unknown = set(other) - set(tables) - {KIND, CREW} - set(positions.NOTES)
        if unknown:
            raise RulesetError(f"{name} has unknown fields: {', '.join(sorted(unknown))}")
        profile.update(positions.notes(name, other))
        for role in roles:
            _one_of(name, "role", role, {key: row for key, row in self.book.weapons.items() if row.kind == "support"})
        return profile

    def figure_profile(self, name: str, other: Mapping[str, object]) -> dict[str, Note]:
        tables: dict[str, Mapping[str, object]] = {
            ARM: self.book.weapons,
            ARMOUR: self.book.armours,
            LEVEL: self.book.levels,
        }
        unknown = set(other) - set(tables)
        if unknown:
            raise RulesetError(f"{name}: a figure has unknown fields: {', '.join(sorted(unknown))}")
        return {key: _one_of(name, key, value, tables[key]) for key, value in other.items()}

    def roster(
        self, name: str, count: int, other: Mapping[str, object]
    ) -> tuple[list[dict[str, object]], dict[str, object]]:
        """List identical figures: each carries the unit's weapon and wears its armour."""
        if other.get(KIND) == forces.VEHICLE:
            raise RulesetError(f"{name}: list a vehicle's figure with its hull instead of giving a number of figures")
        alike = {key: value for key, value in other.items() if key in {ARM, ARMOUR}}
        return [dict(alike) for _ in range(count)], {key: value for key, value in other.items() if key not in alike}

    def begin(self, state: State) -> State:
        for unit in state.units.values():
            if is_vehicle(unit) != (unit.profile.get(KIND) == forces.VEHICLE):
                raise RulesetError(f"{unit.name}: only vehicles have hulls, and every vehicle has one")
            for mount in unit.mounts.values():
                _one_of(unit.name, "weapon", mount.weapon, self.book.weapons)
        units = told_apart(state.units.values(), state.sides)
        return under_way(positions.begin(replace(state, units={unit.id: unit for unit in units})), activation.untried)

    @property
    def roles(self) -> dict[str, str]:
        return positions.roles(self.book)

    def admit(self, state: State) -> None:
        super().admit(state)
        positions.admit(state, self.book)
        refuse_crowds(state, deployment.deployment(self.rules, state))


def _one_of(name: str, field: str, value: object, known: Mapping[str, object]) -> str:
    if not isinstance(value, str) or value not in known:
        raise RulesetError(f"{name}: {field} {value!r} is not one of {', '.join(known)}")
    return value
