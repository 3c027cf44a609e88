"""The roster of a player whose force lives on, as others and the player see it: its units, its history, what is due. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from client_protocol.campaigns import RosterFigure, RosterLine, RosterUnitView, RosterView
from server.kernel.campaigns.facts import AnyFact, BattleFought, Deed, DeedsTold, FiguresReplaced
from server.kernel.campaigns.roster import RosterUnit
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.campaigns.state import PostBattle
from server.leagues.campaigns import UNFOUGHT
from server.leagues.log.entries import Entry, LeagueFold
from server.leagues.log.facts import BattleTaken, ForceChanged, PlayerJoined, ResultTaken, StepTaken
from server.leagues.log.league import League
from server.leagues.log.naming import FiguresNamed

MOST_LINES = 400
"""How many of the last lines of a history are shown."""


def roster_view(
    fold: LeagueFold, rules: CampaignRules, scenarios: Mapping[str, str], player: str, *, owner: bool
) -> RosterView:
    """Return the roster of a player whose force lives on.

    Args:
        fold: the league.
        rules: the edition's rules of campaigns.
        scenarios: the scenarios' names by their ids.
        player: the player's key.
        owner: whether it is the player who looks. Others see what is bought after a battle when all steps after it are taken.
    """
    member = fold.league.players[player]
    battle = member.battle
    told = _Told(fold.league, rules, scenarios, player)
    for entry in fold.entries:
        told.read(entry, sealed=0 if owner or battle is None else battle.fixture)
    state = told.state
    assert state is not None, "asked only where forces live on"
    due = None if battle is None or not owner else rules.due(state)
    return RosterView(
        player,
        state.roster.name,
        state.roster.battles,
        state.roster.points,
        tuple(_unit(rules, number, unit, told) for number, unit in enumerate(state.roster.units)),
        tuple(told.lines[-MOST_LINES:]),
        due,
        0 if battle is None else battle.fixture,
        0 if battle is None else battle.until,
        0 if battle is None else battle.step,
    )


def _unit(rules: CampaignRules, number: int, unit: RosterUnit, told: _Told) -> RosterUnitView:
    return RosterUnitView(
        number,
        unit.name,
        rules.kind(unit),
        unit.strength,
        unit.initial,
        rules.levels(unit),
        unit.condition,
        unit.battles,
        unit.lost,
        unit.kills,
        "" if unit.condition == "struck" else rules.sits_out(unit),
        _story(unit, told.risen.get(number, "")),
        () if unit.vehicle or unit.lone else _figures(unit),
    )


def _figures(unit: RosterUnit) -> tuple[RosterFigure, ...]:
    return tuple(
        RosterFigure(unit.names.get(place, ""), missing=place in unit.missing) for place in range(1, unit.initial + 1)
    )


def _story(unit: RosterUnit, risen: str) -> str:
    """Return what a unit has been through, in a sentence or two."""
    if not unit.battles:
        return "It has fought no battle yet."
    parts = [f"lost {unit.lost}"] if unit.lost else []
    if unit.kills:
        parts.append(f"put {unit.kills} out of action")
    battles = "1 battle" if unit.battles == 1 else f"{unit.battles} battles"
    return f"{battles}: {', '.join(parts) or 'without a loss'}.{risen}"


@dataclass
class _Told:
    """The history of a player's force, told entry by entry."""

    league: League
    rules: CampaignRules
    scenarios: Mapping[str, str]
    player: str
    state: PostBattle | None = None
    lines: list[RosterLine] = field(default_factory=list)
    risen: dict[int, str] = field(default_factory=dict)
    """Since when the levels of a unit are what they are, by its number: sentences."""
    battle: int = 0

    def read(self, entry: Entry, sealed: int) -> None:
        """Read an entry; steps after the battle of the fixture `sealed` are not told."""
        for fact in entry.facts:
            match fact:
                case PlayerJoined(player=self.player, roster=roster) | ForceChanged(player=self.player, roster=roster):
                    if roster is not None:
                        self.state = PostBattle(roster)
                case ResultTaken(unfought=True) if self.player in self.league.fixtures[fact.fixture].players:
                    self.lines += self._no_battle(entry.at, fact)
                case BattleTaken(player=self.player):
                    self.battle = fact.fixture
                    self.lines += self._battle(entry.at, fact)
                    self._take(fact.facts)
                case StepTaken(player=self.player):
                    if self.battle != sealed:
                        self._step(entry.at, fact)
                case FiguresNamed(player=self.player):
                    self._name(fact)
                case _:
                    pass

    def _name(self, fact: FiguresNamed) -> None:
        assert self.state is not None, "a force has figures when it has joined"
        unit = replace(self.state.unit(fact.unit), names=dict(fact.names))
        self.state = self.state.with_unit(fact.unit, unit)

    def _take(self, facts: tuple[AnyFact, ...]) -> None:
        for fact in facts:
            assert self.state is not None, "a force fights when it has joined"
            before = self.state
            self.state = fact.fold(before)
            unit = getattr(fact, "unit", None)
            if isinstance(unit, int) and 0 <= unit < len(before.roster.units):
                self._compare(unit, before.roster.units[unit], self.state.roster.units[unit])

    def _compare(self, number: int, before: RosterUnit, after: RosterUnit) -> None:
        was, now = self.rules.levels(before), self.rules.levels(after)
        risen = [one.now for one, old in zip(now, was, strict=True) if one.now != old.now]
        if risen:
            self.risen[number] = f" {', '.join(risen)} since {self._place(self.battle)}."

    def _place(self, number: int) -> str:
        fixture = self.league.fixtures.get(number)
        return "the start" if fixture is None else self.scenarios.get(fixture.scenario, fixture.scenario)

    def _battle(self, at: int, taken: BattleTaken) -> Iterator[RosterLine]:
        assert self.state is not None, "a force fights when it has joined"
        roster, match = self.state.roster, self.league.fixtures[taken.fixture].match
        headline = self._headline(f"Battle {roster.battles + 1}", taken.fixture)
        yield RosterLine(at, headline, fixture=taken.fixture, match=match)
        fought = next((fact for fact in taken.facts if isinstance(fact, BattleFought)), None)
        told = next((fact for fact in taken.facts if isinstance(fact, DeedsTold)), None)
        hurt = {one.unit: one for one in (fought.hurt if fought is not None else ())}
        deeds = {one.unit: one for one in (told.deeds if told is not None else ())}
        for number in sorted({*hurt, *deeds}):
            deed = deeds.get(number, Deed(number))
            parts = [f"puts {deed.kills} out of action"] if deed.kills else []
            if number in hurt:
                one = hurt[number]
                names = one.fallen(roster.units[number])
                who = f" ({', '.join(names)})" if names else ""
                parts.append(f"loses {one.lost}{who}" if one.lost else f"is {one.condition}")
            if parts:
                text = f"{roster.units[number].name} {' and '.join(parts)}."
                step = deed.lost_at if number in hurt and deed.lost_at else deed.killed_at
                yield RosterLine(at, text, number, taken.fixture, match, step)

    def _no_battle(self, at: int, result: ResultTaken) -> Iterator[RosterLine]:
        match = self.league.fixtures[result.fixture].match
        yield RosterLine(at, self._headline("No battle", result.fixture), fixture=result.fixture, match=match)
        yield RosterLine(at, UNFOUGHT, fixture=result.fixture)

    def _headline(self, battle: str, number: int) -> str:
        fixture = self.league.fixtures[number]
        opponent = next((key for key in fixture.players if key != self.player), "")
        if fixture.outcome == "won":
            ended = "won" if fixture.winner == self.player else "lost"
        else:
            ended = "a draw" if fixture.outcome == "draw" else "does not count"
        return f"{battle}: {self._place(number)} against {self.league.name(opponent)}: {ended}."

    def _step(self, at: int, taken: StepTaken) -> None:
        faces = () if taken.dice is None else taken.dice.faces
        for fact in taken.facts:
            assert self.state is not None, "a force fights when it has joined"
            text = self.rules.told(self.state, fact)
            if isinstance(fact, FiguresReplaced) and (back := self.state.unit(fact.unit).named(fact.figures)):
                text = f"{text} Back: {', '.join(back)}."
            unit = getattr(fact, "unit", -1)
            if text:
                number = unit if isinstance(unit, int) else -1
                self.lines.append(RosterLine(at, text, number, self.battle, faces=faces, rule=fact.rule))
                faces = ()
            self._take((fact,))
