"""An edition of the family, ready to play: chapters, data, words and scenarios behind the kernel's interface."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, cast

from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.forces import Force, ForceForm, ForceProblem, ForceReport
from client_protocol.messages import EditionInfo, OptionChoice, OptionInfo, OptionValue, ScenarioInfo
from client_protocol.view import CardLine, MountView, Story, Word
from server.kernel import setups
from server.kernel.facts import Fact
from server.kernel.geometry import inches
from server.kernel.procedure import Game, Steps
from server.kernel.prompts import Asked
from server.kernel.ruleset import Foreseen, RulesetError
from server.kernel.state import Figure, Mount, State, Turn, Unit
from server.kernel.terrain import Sight
from server.rulesets.fad import cards, damage, foresight, melee, movement, narration, quality, shooting, turn
from server.rulesets.fad.activation import next_side, waiting
from server.rulesets.fad.book import OptionRow, load
from server.rulesets.fad.game import LEADER, FadRules
from server.rulesets.fingerprint import fingerprint

PROFILE = {"quality": "qualities", "resolve": "resolves", "small_arm": "small_arms", "armour": "armours"}
"""The characteristics of a unit, and the table of the book that lists what each may be."""

PHASES = ("deployment", "turn", "activations", "over")


class FadRuleset(FadRules):
    """One edition of Fast And Dirty. See `server.kernel.ruleset.Ruleset`."""

    def __init__(self, edition: str) -> None:
        super().__init__(load(edition))
        for chapter in (quality, movement, shooting, damage, melee):
            chapter.register(self)
        self._scenarios = self._read_scenarios(edition)

    # --- what a start page and a table show --------------------------------------------------------------------------

    @property
    def info(self) -> EditionInfo:
        options = tuple(_option_info(row) for row in self.book.edition.option)
        scenarios = tuple(
            ScenarioInfo(
                id=setup.id,
                name=setup.name,
                summary=setup.summary,
                minutes=setup.minutes,
                seats=tuple((side.id, side.name) for side in setup.side),
                defaults=self._defaults(setup),
            )
            for setup in self._scenarios.values()
        )
        return EditionInfo(self.book.edition.id, self.book.edition.name, options, scenarios)

    @property
    def version(self) -> str:
        return f"{self.book.edition.id}.{self.book.edition.version}+{fingerprint()}"

    @property
    def reference(self) -> tuple[dict[str, str], ...]:
        own = f"{self.book.edition.id}/"
        return tuple(
            {"id": row.id.removeprefix(own), "title": row.title, "chapter": row.chapter, "text": row.text}
            for row in self.book.reference
        )

    @property
    def words(self) -> dict[str, Word]:
        return cards.WORDS

    def cover_names(self) -> Mapping[str, str]:
        return cast("Mapping[str, str]", self.book.tables["cover"]["names"])

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:
        return cards.card(self, state, unit)

    def gear(self, figure: Figure) -> str:
        return cards.role(self, figure.role) if figure.role else ""

    def mount(self, mount: Mount) -> MountView:
        raise RulesetError(f"no vehicles are played here, so nobody mounts {mount.weapon!r}")

    @property
    def orders(self) -> dict[str, Word]:
        return {}

    @property
    def force_form(self) -> ForceForm | None:
        return None

    @property
    def ready_forces(self) -> tuple[Force, ...]:
        return ()

    def check_force(self, force: Force, options: Mapping[str, OptionValue]) -> ForceReport:  # noqa: ARG002
        return ForceReport((ForceProblem(f"{self.book.edition.name} is played with its scenarios' forces."),), 0)

    def story(self, state: State, fact: Fact) -> Story | None:
        return narration.story(self, state, fact)

    # --- playing ------------------------------------------------------------------------------------------------------

    def procedure(self, game: Game[Any]) -> Steps[None] | None:
        return turn.procedure(game)

    def foresee(self, believed: State, asked: Asked, picked: Picked) -> Foreseen | None:
        return foresight.foresee(self, believed, asked, picked)

    # --- setups -------------------------------------------------------------------------------------------------------

    def open(self, scenario: str, options: Mapping[str, OptionValue]) -> State:
        setup = self._scenarios.get(scenario)
        if setup is None:
            known = ", ".join(self._scenarios)
            raise RulesetError(f"there is no scenario {scenario!r} in {self.book.edition.name}; there are {known}")
        return self._state(setup, options)

    def read(self, setup: Mapping[str, object]) -> State:
        converted = setups.convert(setup)
        if converted.edition != self.book.edition.id:
            raise RulesetError(f"the setup is for {converted.edition!r}, not for {self.book.edition.id!r}")
        return self._state(converted, {})

    def _state(self, setup: setups.Setup, options: Mapping[str, OptionValue]) -> State:
        settled = self._settle(setup, options)
        state = setups.read(setup, settled, self._kind, self._profile)
        victory = {**state.victory, "turn_limit": settled["turn_limit"]}
        kind = victory.setdefault("kind", "break")
        if kind not in {"break", "objective"}:
            raise RulesetError(f'a match is won by "break" or by "objective", not by {kind!r}')
        if kind == "objective" and victory.get("objective") not in state.objectives:
            raise RulesetError(f"the objective {victory.get('objective')!r} is not among the setup's objectives")
        return replace(state, victory=victory, turn=_turn(state))

    def _defaults(self, setup: setups.Setup) -> dict[str, OptionValue]:
        own: dict[str, OptionValue] = {}
        if "turn_limit" in setup.victory:
            own["turn_limit"] = setup.victory["turn_limit"]
        if "mode" in setup.deployment:
            own["deployment"] = setup.deployment["mode"]
        return own

    def _settle(self, setup: setups.Setup, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """Every option's value: what was chosen, else what the setup says, else the edition's default."""
        rows = {row.id: row for row in self.book.edition.option}
        settled = {row.id: row.default for row in rows.values()}
        for chosen in (self._defaults(setup), setup.options, options):
            for key, value in chosen.items():
                if key not in rows:
                    raise RulesetError(f"{self.book.edition.name} has no option {key!r}; it has {', '.join(rows)}")
                if not rows[key].allows(value):
                    raise RulesetError(f"the option {key!r} cannot be {value!r}")
                settled[key] = value
        return settled

    def _kind(self, kind: str) -> setups.Kind:
        row = self.book.palette.get(kind)
        if row is None:
            raise RulesetError(f"there is no terrain of kind {kind!r}; there are {', '.join(self.book.palette)}")
        return setups.Kind(
            row.name, row.cover, row.flags, cast("Sight", row.sight), inches(row.sight_depth), row.linear
        )

    def _profile(self, name: str, other: Mapping[str, object], roles: tuple[str, ...]) -> dict[str, str]:
        profile: dict[str, str] = {}
        for field, table in PROFILE.items():
            known = getattr(self.book, table)
            value = other.get(field)
            if value not in known:
                raise RulesetError(f"{name}: {field} {value!r} is not one of {', '.join(known)}")
            profile[field] = str(value)
        if other.get("non_combatant"):
            profile["non_combatant"] = "yes"
        unknown = set(other) - set(PROFILE) - {"non_combatant"}
        if unknown:
            raise RulesetError(f"{name}: nobody knows what {', '.join(sorted(unknown))} means")
        for role in roles:
            weapon = self.book.support_weapons.get(role)
            if weapon is None and role != LEADER:
                raise RulesetError(
                    f"{name}: a figure cannot be {role!r}; it may be {', '.join(self.book.support_weapons)}"
                )
            if weapon is not None and "powered_armour_only" in weapon.flags:
                raise RulesetError(f"{name}: {weapon.name} needs powered armour")
        return profile

    def _read_scenarios(self, edition: str) -> dict[str, setups.Setup]:
        folder = files("server.rulesets.fad") / edition / "scenarios"
        found = [
            setups.convert(tomllib.loads(path.read_text(encoding="utf-8")))
            for path in folder.iterdir()
            if path.name.endswith(".toml")
        ]
        return {setup.id: setup for setup in sorted(found, key=lambda setup: (setup.minutes, setup.id))}


def _turn(state: State) -> Turn:
    """Where in the game a setup begins. Raises `RulesetError` when there is no such place."""
    phase, active = state.turn.phase, state.turn.active
    if phase not in PHASES:
        raise RulesetError(f"a match is in one of the phases {', '.join(PHASES)}, not in {phase!r}")
    if active not in {"", *state.sides}:
        raise RulesetError(f"there is no side {active!r} that could be to act")
    if phase != "activations":
        return state.turn
    if not active:
        raise RulesetError("among the activations the setup has to say which side is to act (turn.active)")
    # A position from the middle of an activation: whose side has no unit left to activate lets the other go on.
    return state.turn if waiting(state, active) else replace(state.turn, active=next_side(state, active) or active)


def _option_info(row: OptionRow) -> OptionInfo:
    if row.choice:
        choices = tuple(OptionChoice(c.value, f"{c.title} – {c.consequence}") for c in row.choice)
    else:
        choices = tuple(OptionChoice(value, str(value)) for value in range(row.minimum, row.maximum + 1))
    return OptionInfo(row.id, row.title, choices, row.default, row.rule)
