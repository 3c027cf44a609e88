"""An edition of the family behind the kernel's interface: its chapters, data and words."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files
from typing import Any

from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.luck import Luck
from client_protocol.view import CardLine, Story, Word
from server.kernel.answers.check import Asked
from server.kernel.errors import RulesetError
from server.kernel.facts import Fact
from server.kernel.notes import Note
from server.kernel.procedure import Game, Steps
from server.kernel.ruleset import Finding, Gear, Preview, Topic
from server.kernel.state import Figure, State, Unit
from server.rulesets.fad import damage, melee, movement, quality, shooting, turn
from server.rulesets.fad.chapters import Chapters
from server.rulesets.fad.game import LEADER, FadRules
from server.rulesets.fad.modules import MODULES
from server.rulesets.fad.previews import choices, findings, luck, what_if
from server.rulesets.fad.setup import positions
from server.rulesets.fad.setup.book import Book, load
from server.rulesets.fad.setup.deployment import deployment
from server.rulesets.fad.words import cards, narration
from server.rulesets.shared.edition import PlayableEdition
from server.rulesets.shared.setup.deployment import refuse_crowds
from server.rulesets.shared.turns import under_way

PROFILE = {"quality": "qualities", "resolve": "resolves", "small_arm": "small_arms", "armour": "armours"}
"""The characteristics of a unit, each with the table of the book that lists its values."""


class FadRuleset(FadRules, PlayableEdition[Book]):
    """One edition of Fast And Dirty. See `server.kernel.ruleset.Ruleset`."""

    family = "fad"
    modules = MODULES
    phases = turn.PHASES
    sides = (2, 2)
    victory_form = positions.VICTORY

    def __init__(self, edition: str, book: Book | None = None) -> None:
        """Load the edition of this id. `book` is what its files hold, or the same with something else in it."""
        chapters = import_module(f"server.rulesets.fad.{edition}.chapters").CHAPTERS
        assert isinstance(chapters, Chapters), "an edition fills them"
        super().__init__(book or load(edition), chapters)
        self.register(*(chapter.register for chapter in (quality, movement, shooting, damage, melee)))
        self.marks = positions.marks(self)
        self.load_scenarios(files("server.rulesets.fad") / edition / "scenarios")

    # --- what a table shows -------------------------------------------------------------------------------------------

    @property
    def words(self) -> dict[str, Word]:
        return self.keys.told(cards.words(self.book, self.conditions()))

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:
        return self.keys.told(cards.card(self, state, unit))

    def gear(self, figure: Figure) -> Gear:
        return cards.gear(self, figure.role)

    def story(self, state: State, fact: Fact) -> Story | None:
        return self.keys.told(narration.story(self, state, fact))

    def luck(self, state: State, fact: Fact) -> tuple[Luck, ...]:
        return self.keys.told(luck.luck(self, state, fact))

    # --- playing ------------------------------------------------------------------------------------------------------

    def procedure(self, game: Game[Any]) -> Steps[None] | None:
        steps = turn.procedure(game)
        return None if steps is None else self.keys.telling(steps)

    def preview(self, believed: State, asked: Asked, picked: Picked) -> Preview | None:
        return self.keys.told(choices.preview(self, believed, asked, picked))

    def what_if(self, state: State, unit: str, target: str) -> tuple[Preview, ...]:
        return self.keys.told(what_if.what_if(self, state, unit, target))

    def finding(self, state: State, topic: Topic, unit: str, target: str) -> Finding:
        return self.keys.told(findings.finding(self, state, topic, unit, target))

    def amiss(self, state: State, unit: str) -> tuple[str, ...]:
        return what_if.amiss(self, state, unit)

    # --- setups -------------------------------------------------------------------------------------------------------

    def unit_profile(self, name: str, other: Mapping[str, object], roles: tuple[str, ...]) -> dict[str, Note]:
        profile: dict[str, Note] = {}
        for field, table in PROFILE.items():
            known = getattr(self.book, table)
            value = other.get(field)
            if not isinstance(value, str) or value not in known:
                raise RulesetError(f"{name}: {field} {value!r} is not one of {', '.join(known)}")
            profile[field] = value
        unknown = set(other) - set(PROFILE)
        if unknown:
            raise RulesetError(f"{name} has unknown fields: {', '.join(sorted(unknown))}")
        for role in roles:
            weapon = self.book.support_weapons.get(role)
            if weapon is None and role != LEADER:
                raise RulesetError(
                    f"{name}: a figure cannot be {role!r}; it may be {', '.join(self.book.support_weapons)}"
                )
            if weapon is not None and "powered_armour_only" in weapon.traits:
                raise RulesetError(f"{name}: {weapon.name} needs powered armour")
        return profile

    def roster(
        self, name: str, count: int, other: Mapping[str, object]
    ) -> tuple[list[dict[str, object]], dict[str, object]]:
        """List the leader first, if there is one, then the gunners, then the riflemen."""
        rest = dict(other)
        leads, support = rest.pop("leader", False), rest.pop("support", [])
        if not isinstance(leads, bool) or not isinstance(support, list) or not all(isinstance(s, str) for s in support):
            raise RulesetError(f"{name}: leader is true or false, support a list of weapons")
        roles = [LEADER] * leads + support
        if len(roles) > count:
            raise RulesetError(f"{name} has {count} figures for {len(roles)} roles")
        return [{"role": role} for role in roles + [""] * (count - len(roles))], rest

    def begin(self, state: State) -> State:
        if len(state.sides) != 2:
            name, count = self.book.edition.name, len(state.sides)
            raise RulesetError(f"{name} is played by two sides; the setup has {count}")
        kind = state.victory.get("kind", "break")
        if kind not in {"break", "objective"}:
            raise RulesetError(f'a match is won by "break" or by "objective", not by {kind!r}')
        if kind == "objective" and state.victory.get("objective") not in state.objectives:
            raise RulesetError(f"the objective {state.victory.get('objective')!r} is not among the setup's objectives")
        return under_way(replace(state, victory={**state.victory, "kind": kind}))

    @property
    def roles(self) -> dict[str, str]:
        return positions.roles(self.book)

    def admit(self, state: State) -> None:
        super().admit(state)
        positions.admit(state, self)
        refuse_crowds(state, deployment(self, state))
