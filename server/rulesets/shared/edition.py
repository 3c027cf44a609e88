"""The part of the kernel's `Ruleset` interface that all families implement alike."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Any, ClassVar

from msgspec.structs import replace

from client_protocol.from_server import EditionInfo, Guide, OptionInfo, ScenarioInfo
from client_protocol.shapes import OptionValue
from client_protocol.view import Aim, CardLine, DeckView, ImpactView, MountView, SpecialCards, Word
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.errors import RulesetError
from server.kernel.files import setups
from server.kernel.files.position_parts import Condition, PositionParts
from server.kernel.hints import Hints
from server.kernel.notes import Note
from server.kernel.procedure import Game
from server.kernel.ruleset import Elsewhere
from server.kernel.space.pieces import Crowd
from server.kernel.space.terrain import Terrain
from server.kernel.state import Asset, Mount, State, Unit
from server.rulesets.fingerprint import fingerprint
from server.rulesets.shared import comparison
from server.rulesets.shared.bringing import BringsForces
from server.rulesets.shared.modules import Module
from server.rulesets.shared.rules import B
from server.rulesets.shared.setup.admission import Marks, admit
from server.rulesets.shared.setup.companions import GUIDED, balances, read_guide
from server.rulesets.shared.setup.options import option_infos, settle
from server.rulesets.shared.setup.parts import parts
from server.rulesets.shared.setup.scenarios import defaults_of, read_scenarios, scenario_info
from server.rulesets.shared.turns import opening


class PlayableEdition(BringsForces[B]):
    """What `server.kernel.ruleset.Ruleset` asks of an edition, as far as its book and its scenarios answer it.

    A family's class derives from this class and sets `rules`, its rules object. It calls `load_scenarios` and adds
    `procedure`, `preview`, `story`, `card`, `gear`, `words` and the hooks below; if players may bring forces, it calls
    `load_forces` too.
    """

    family: ClassVar[str]
    """The family's folder in `server.rulesets`."""
    modules: ClassVar[tuple[Module[Any], ...]] = ()
    """The modules of the family."""
    phases: ClassVar[tuple[str, ...]]
    """The phases that a match of the family goes through."""
    marks: Marks
    """The family's markers, and the reasons for which its units leave the game."""
    folder: Traversable
    """The edition's own folder."""
    sides: ClassVar[tuple[int, int]] = (2, 8)
    """The least and the greatest number of sides."""
    victory_form: ClassVar[tuple[Condition, ...]] = ()
    """The fields with which a setup says how a match is won."""

    # --- what a family reads from a setup --------------------------------------------------------------------------------

    @abstractmethod
    def unit_profile(self, name: str, other: Mapping[str, object], roles: tuple[str, ...]) -> dict[str, Note]:
        """Return a unit's profile (see `server.kernel.files.setups.Profile`). Raises `RulesetError`."""

    def figure_profile(self, name: str, other: Mapping[str, object]) -> dict[str, Note]:
        """Return a figure's profile (see `server.kernel.files.setups.FigureProfile`). Raises `RulesetError`."""
        return setups.no_profile(name, other)

    def asset_profile(self, name: str, other: Mapping[str, object]) -> dict[str, Note]:
        """Return the profile of what a side has off the table (see `server.kernel.files.setups.AssetProfile`). Raises
        `RulesetError`.
        """
        return setups.no_assets(name, other)

    def roster(
        self, name: str, count: int, other: Mapping[str, object]
    ) -> tuple[list[dict[str, object]], dict[str, object]]:
        """Return the figures of a unit for which a setup gives a number (see `server.kernel.files.setups.Roster`).

        Raises `RulesetError`.
        """
        return setups.plain_roster(name, count, other)

    def opening(self, state: State) -> str:
        """Return the phase in which a match from this position begins, for a setup that does not name one."""
        return opening(state)

    def begin(self, state: State) -> State:
        """Return the position `state`, just read from a setup, with its victory and turn checked and filled in.

        Raises `RulesetError` if it cannot be played.
        """
        return state

    def admit(self, state: State) -> None:
        """Check a position that comes from a setup file more closely than a scenario, which the tests check.

        Raises `RulesetError` for a position that the family cannot play.
        """
        admit(state, self.marks, self.cover_names(), self.enters_later)

    def enters_later(self, state: State, unit: Unit) -> bool:  # noqa: ARG002 - a family looks at both
        """Return whether a unit that is not on the table enters it later."""
        return False

    # --- what a start page and a table show ---------------------------------------------------------------------------

    @property
    @abstractmethod
    def words(self) -> dict[str, Word]:
        """Conditions, phases and the reasons for which units leave, as players read them."""

    @cached_property
    def info(self) -> EditionInfo:
        edition = self.book.edition
        options = option_infos(edition.option, edition.option_groups)
        scenarios = tuple(self._info(setup) for setup in self._scenarios.values())
        forms = self.force_form is not None
        file = self._guide
        guide = None if file is None else Guide(self._info(self._guided[file.scenario]), file.lessons)
        return EditionInfo(
            edition.id,
            edition.name,
            options,
            scenarios,
            forces=forms,
            programs=self.programs,
            guide=guide,
            about=edition.about,
            campaign=self.campaign_settings,
        )

    @property
    def campaign_settings(self) -> tuple[OptionInfo, ...] | None:
        """What a league may settle of what happens to forces between battles; None if the edition has no rules for that."""
        return None

    def campaign(self, _settings: Mapping[str, OptionValue], /) -> CampaignRules | None:
        return None

    def _info(self, setup: setups.Setup) -> ScenarioInfo:
        defaults = {**defaults_of(setup, self.book.edition.option), **setup.options}
        return scenario_info(setup, defaults, self._balances.get(setup.id))

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs of the edition's own that can hold a seat (`server.kernel.programs`)."""
        return ()

    @property
    def version(self) -> str:
        edition = self.book.edition
        return f"{edition.id}.{edition.version}+{fingerprint(self.family, edition.id)}"

    @cached_property
    def reference(self) -> tuple[dict[str, str], ...]:
        own = f"{self.book.edition.id}/"
        return tuple(
            {
                "id": row.id.removeprefix(own),
                "title": row.title,
                "chapter": row.chapter,
                "text": "\n".join((row.text, *self.book.shown(row.rows))),
            }
            for row in self.book.reference
        )

    def elsewhere(self, entry: str, /) -> tuple[Elsewhere, ...]:
        """See `server.kernel.ruleset.Ruleset`."""
        return tuple(comparison.elsewhere(self.family, self.book.edition.id, entry))

    def mount(self, _vehicle: Unit, mount: Mount, /) -> MountView:
        raise RulesetError(f"no vehicles are played here, so none can mount {mount.weapon!r}")

    def asset(self, state: State, asset: Asset, /) -> tuple[CardLine, ...]:  # noqa: ARG002 - an edition with assets looks at them
        return ()

    @property
    def orders(self) -> dict[str, Word]:
        return {}

    @property
    def hints(self) -> Hints:
        return Hints()

    def deck(self, state: State) -> DeckView | None:  # noqa: ARG002 - an edition with cards looks at it
        return None

    def aim(self, state: State) -> Aim | None:  # noqa: ARG002 - an edition whose battles are won looks at it
        """Return how the match is won."""
        return None

    def special_cards(self, state: State) -> SpecialCards | None:  # noqa: ARG002 - an edition with such cards looks at it
        return None

    def impact(self, state: State) -> ImpactView | None:  # noqa: ARG002 - an edition whose weapons strike areas looks at it
        return None

    def turn_limit(self, state: State) -> int:
        return int(state.victory.get("turn_limit", 0))

    def cover_names(self) -> Mapping[str, str]:
        return {key: row.name for key, row in self.book.covers.items()}

    # --- what the rules object says -----------------------------------------------------------------------------------

    def game(self, state: State) -> Game[Any]:
        return Game(self.rules, state)

    def cards_tell_of(self, state: State, /) -> object:
        return self.rules.cards_tell_of(state)

    def card_tells_place(self, unit: Unit, /) -> bool:
        return self.rules.card_tells_place(unit)

    def aloft(self, state: State, /) -> Collection[str]:
        return self.rules.aloft(state)

    def looking(self, state: State, unit: Unit, other: Unit, /) -> Unit:
        return self.rules.looking(state, unit, other)

    def shelters(self, state: State, unit: Unit, other: Unit, /) -> tuple[Terrain, ...]:
        return self.rules.shelters(state, unit, other)

    def in_line_of_fire(self, _state: State, _unit: str, _target: str, /) -> tuple[Sequence[Crowd], str]:
        return (), ""

    # --- positions ----------------------------------------------------------------------------------------------------

    @property
    def roles(self) -> dict[str, str]:
        """The roles that a figure may have, by key, as players read them."""
        return {}

    @property
    def attaching(self) -> tuple[str, ...]:
        """The traits with which a unit may be attached to another one of its side."""
        return ()

    @property
    def position_parts(self) -> PositionParts:
        return parts(self)

    # --- setups -------------------------------------------------------------------------------------------------------

    def load_scenarios(self, folder: Traversable) -> None:
        """Load the scenarios of an edition's folder, and what comes with them. Raises `RulesetError` if one cannot be read."""
        self.folder = folder
        self._scenarios = read_scenarios(folder / "scenarios")
        self._guide, self._guided = read_guide(folder), read_scenarios(folder / GUIDED)
        if self._guide is not None and self._guide.scenario not in self._guided:
            raise RulesetError(f"the guided battle {self._guide.scenario!r} is not in the folder {GUIDED}")
        self._balances = balances(folder)

    def open(self, scenario: str, options: Mapping[str, OptionValue]) -> State:
        setup = self._scenarios.get(scenario) or self._guided.get(scenario)
        if setup is None:
            known = ", ".join(self._scenarios)
            raise RulesetError(f"there is no scenario {scenario!r} in {self.book.edition.name}; there are {known}")
        return self._state(setup, options)

    def read(self, setup: Mapping[str, object]) -> State:
        converted = setups.convert(setup)
        if converted.edition != self.book.edition.id:
            raise RulesetError(f"the setup is for {converted.edition!r}, not for {self.book.edition.id!r}")
        state = self._state(converted, {})
        self.admit(state)
        return state

    def _state(self, setup: setups.Setup, options: Mapping[str, OptionValue]) -> State:
        edition = self.book.edition
        settled = settle(edition.name, edition.option, defaults_of(setup, edition.option), setup.options, options)
        state = setups.read(
            setup,
            settled,
            self.book.kind,
            self.unit_profile,
            self.figure_profile,
            self.roster,
            self.muster,
            self.book.traits,
            self.asset_profile,
        )
        if edition.sight_between_centres:
            state = replace(state, table=replace(state.table, centres=True))
        if not state.turn.phase:
            state = replace(state, turn=replace(state.turn, phase=self.opening(state)))
        if "turn_limit" in settled:
            state = replace(state, victory={**state.victory, "turn_limit": int(settled["turn_limit"])})
        phase, active = state.turn.phase, state.turn.active
        if phase not in self.phases:
            raise RulesetError(f"a match is in one of the phases {', '.join(self.phases)}, not in {phase!r}")
        if active not in {"", *state.sides}:
            raise RulesetError(f"there is no side {active!r} to act; the sides are {', '.join(state.sides)}")
        return self.begin(state)
