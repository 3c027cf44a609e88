"""Playing over the wire: making matches, sitting down at tables, and two ways to answer, from prompts and views alone."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    Choice,
    DirectionParameter,
    DirectionTaken,
    FiguresParameter,
    FiguresPicked,
    FiguresPlaced,
    Parameter,
    PathParameter,
    PathsDeclared,
    Picked,
    PlacementParameter,
    PointParameter,
    PointTaken,
    Prompt,
    StopParameter,
    StopTaken,
    UnitNamed,
    UnitParameter,
    Value,
)
from client_protocol.client import StartPage, Table
from client_protocol.clocks import ClockTerms
from client_protocol.forces import Force
from client_protocol.from_server import Accepted, MatchMade, Refused, Status
from client_protocol.shapes import OptionValue, Point
from client_protocol.view import View
from server.kernel.ruleset import Ruleset
from server.matches.log.entries import Stepped, decode
from server.store.embedded import EmbeddedValkey
from server.store.store import MatchStore
from tests.support.servers import ServerProcess, until

SMALL = "crossroads-patrol"
"""A scenario of two squads a side, called blue and red."""
Player = Callable[[View, Prompt], Picked]
"""Returns what a seat answers, from what it sees and is asked."""


async def make_match(
    server: ServerProcess,
    scenario: str = SMALL,
    *,
    options: Mapping[str, OptionValue] | None = None,
    forces: Mapping[str, Force] | None = None,
    clock: ClockTerms | None = None,
    listed: bool = True,
) -> MatchMade:
    """Make a match of the edition that has this scenario, and take all seats."""
    async with StartPage.open(server.address) as page:
        edition, seats = next(
            (edition.id, tuple(seat for seat, _ in info.seats))
            for edition in page.welcome.editions
            for info in edition.scenarios
            if info.id == scenario
        )
        made = await page.make_match(
            edition, scenario, "Ann", seats, options, forces=forces, clock=clock, listed=listed
        )
    assert isinstance(made, MatchMade), made
    return made


def seats_of(made: MatchMade) -> tuple[str, ...]:
    """Return the seats of a match, in order."""
    return tuple(given.seat for given in made.passes)


def peaceful(rules: Ruleset) -> list[str]:
    """Return the scenarios of an edition in which Blue and Red meet on foot; those with impassable ground first."""
    found: list[tuple[bool, str]] = []
    for scenario in rules.info.scenarios:
        state = rules.open(scenario.id, {})
        on_foot = not any(figure.hull for unit in state.units.values() for figure in unit.figures.values())
        if on_foot and dict(scenario.seats).keys() == {"blue", "red"}:
            found.append((not any("impassable" in piece.flags for piece in state.table.terrain), scenario.id))
    return [scenario for _, scenario in sorted(found)]


def crowded(rules: Ruleset) -> list[str]:
    """Return the scenarios of an edition with more than two sides."""
    return [scenario.id for scenario in rules.info.scenarios if len(scenario.seats) > 2]


def token(made: MatchMade, seat: str) -> str:
    """Return a seat's token, or nothing for spectators."""
    return next((given.token for given in made.passes if given.seat == seat), "")


class Battle:
    """A match with a table for each seat and one for spectators."""

    def __init__(self, made: MatchMade, tables: dict[str, Table]) -> None:
        self.made = made
        self.match = made.match
        self.tables = tables
        self.private = dict.fromkeys(tables, 0)
        """How many frames an audience has had that no other has."""
        self.statuses: dict[str, list[Status]] = {audience: [] for audience in tables}

    @classmethod
    @asynccontextmanager
    async def at(cls, server: ServerProcess, made: MatchMade, **elsewhere: str) -> AsyncIterator[Battle]:
        """Sit down at a server, or for single seats at the address that is given for them. Tables wait between two attempts
        to connect, as for any user.
        """
        battle = cls(
            made,
            {
                audience: Table(elsewhere.get(audience, server.address), made.match, token(made, audience))
                for audience in (*seats_of(made), "")
            },
        )
        async with AsyncExitStack() as stack:
            for table in battle.tables.values():
                await stack.enter_async_context(table.running())
            ears = [asyncio.create_task(battle._listen(audience)) for audience in battle.tables]
            try:
                yield battle
            finally:
                for ear in ears:
                    ear.cancel()
                await asyncio.gather(*ears, return_exceptions=True)

    async def _listen(self, audience: str) -> None:
        async for event in self.tables[audience]:
            if isinstance(event, Status):
                self.statuses[audience].append(event)

    @property
    def spectator(self) -> Table:
        """The table without a seat."""
        return self.tables[""]

    @property
    def over(self) -> bool:
        """Whether every table has seen the end."""
        return all(table.over for table in self.tables.values())

    @property
    def asked(self) -> list[Table]:
        """The tables that have something to answer."""
        tables = self.tables.values()
        return [table for table in tables if table.prompt is not None and not table.prompt.answered]

    async def next(self) -> Table | None:
        """Return a table that is asked, or None if the match is over."""
        await until(lambda: self.over or bool(self.asked))
        return None if self.over else self.asked[0]

    async def give(self, table: Table, picked: Picked) -> Accepted:
        """Answer, and wait until every table has seen it."""
        assert table.prompt is not None, "nothing is asked"
        reply = await table.answer(picked.choice, picked.values, table.prompt.id)
        assert isinstance(reply, Accepted), reply
        await self.level(table, reply.seq)
        return reply

    async def press_on(self, answers: int) -> None:
        """Give so many answers of two squads that look for a fight."""
        for _ in range(answers):
            table = await self.next()
            assert table is not None
            assert table.prompt is not None
            await self.give(table, press_on(table.view, table.prompt))

    async def level(self, table: Table, seq: int) -> None:
        """Wait until `table` has seen the frame, and the others as much."""
        await until(lambda: table.seq >= seq)
        # Each entry makes a frame for every audience, except entries that only their own seat notices.
        count = seq - self.private[table.seat]
        await until(lambda: all(other.seq - self.private[who] >= count for who, other in self.tables.items()))

    async def order(self, table: Table, unit: str, order: str) -> Accepted:
        """Give a standing order, and wait until its owner has seen it."""
        reply = await table.order(unit, order)
        assert isinstance(reply, Accepted), reply
        await until(lambda: table.seq >= reply.seq)
        self.private[table.seat] += 1
        return reply

    async def try_out(self, table: Table, picked: Picked) -> None:
        """Give an answer that may be refused, and then the default."""
        assert table.prompt is not None, "nothing is asked"
        prompt = table.prompt
        reply = await table.answer(picked.choice, picked.values, prompt.id)
        if isinstance(reply, Refused):
            await self.give(table, prompt.default)
        else:
            await self.level(table, reply.seq)

    async def play_until(self, stop: Callable[[Prompt], bool], player: Player) -> bool:
        """Play until a seat has a prompt that `stop` accepts. Return False if that never happens."""
        while (table := await self.next()) is not None:
            for asked in self.asked:
                assert asked.prompt is not None, "it is among those that are asked"
                if stop(asked.prompt):
                    return True
            assert table.prompt is not None, "it is among those that are asked"
            await self.give(table, player(table.view, table.prompt))
        return False


async def entries(data_dir: Path, match: str) -> list[bytes]:
    """Return a match's entries, as they are in the database."""
    async with MatchStore(EmbeddedValkey(data_dir).url) as store:
        return [payload for _, payload in await store.read(match)]


def answers(log: list[bytes]) -> list[str]:
    """Return the ids of all answers in these entries, each with its seat."""
    bodies = [decode(number, payload).body for number, payload in enumerate(log, 1)]
    return [body.answer for body in bodies if isinstance(body, Stepped) and body.picked is not None]


# --- two squads that look for a fight ---------------------------------------------------------------------------------

ROAD = 24_000
"""The middle of the road on which the sides meet (mil): nothing stands in their way there."""
SHORT_OF = 1_500
"""Mil that they leave between them, to charge over."""


def losses(prompt: Prompt) -> bool:
    """Return whether an owner is asked which of his figures fall."""
    return any(choice.key == "losses" for choice in prompt.choices)


def press_on(view: View, prompt: Prompt) -> Picked:
    """Walk the first squads up the road towards each other and assault as soon as possible; without shooting, so that figures
    are left to fight.
    """
    choices = {choice.key: choice for choice in prompt.choices if choice.why is None}
    first = f"{prompt.seat}-1"
    if f"deploy:{first}" in choices:
        return Picked(f"deploy:{first}", (_column(prompt.seat, choices[f"deploy:{first}"]),))
    if "activate" in choices:
        units = _allowed(choices["activate"])
        return Picked("activate", (UnitNamed(first if first in units else units[0]),))
    if "hold-fire" in choices:
        return Picked("hold-fire")
    if "hold" not in choices or prompt.unit != first:
        return prompt.default
    if "assault" in choices:
        return Picked("assault", (UnitNamed(_allowed(choices["assault"])[0]),))
    return _approach(view, choices.get("move-out"))


def _column(seat: str, choice: Choice) -> FiguresPlaced:
    """Place a squad in two files on the road, as near to the enemy as its zone reaches."""
    placement = choice.parameters[0]
    assert isinstance(placement, PlacementParameter), "deploying is placing"
    edge, step = (11_400, -1_600) if seat == "blue" else (36_600, 1_600)
    figures = enumerate(placement.suggested[0])
    return FiguresPlaced(({key: (ROAD - 800 + 1_600 * (i % 2), edge + step * (i // 2)) for i, key in figures},))


def _allowed(choice: Choice) -> list[str]:
    parameter = choice.parameters[0]
    assert isinstance(parameter, UnitParameter), "a unit is named"
    return [candidate.unit for candidate in parameter.candidates if candidate.why is None]


def _approach(view: View, choice: Choice | None) -> Picked:
    """Walk straight along the road towards the first squad of the enemy, if it is still there."""
    if choice is None:
        return Picked("hold")
    way = choice.parameters[0]
    assert isinstance(way, PathParameter), "moving is a path"
    side = view.units[way.unit].side
    enemy = next((key for key, unit in view.units.items() if unit.side != side and key.endswith("-1")), "")
    own, theirs = standing(view, way.unit), standing(view, enemy)
    if not theirs:
        return Picked("hold")
    between = min(abs(a[1] - b[1]) for a in own.values() for b in theirs.values()) - 1_000
    forward = min(way.allowance, between - SHORT_OF) * (1 if side == "blue" else -1)
    if abs(forward) < 1_000 or between < SHORT_OF:
        return Picked("hold")
    return Picked("move-out", (PathsDeclared({key: ((x, y + forward),) for key, (x, y) in own.items()}),))


def standing(view: View, unit: str) -> dict[str, Point]:
    """Return where the living figures of a unit stand."""
    if unit not in view.units or view.units[unit].left:
        return {}
    figures = view.units[unit].figures
    return {key: figure.at for key, figure in figures.items() if figure.at is not None and not figure.fallen}


# --- a seat that does not know what it does ---------------------------------------------------------------------------


class Randomly:
    """Answers any prompt at random, from the prompt alone. Most of its guessed paths are illegal."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def __call__(self, view: View, prompt: Prompt) -> Picked:
        choice = self._chance.choice([choice for choice in prompt.choices if choice.why is None])
        return Picked(choice.key, tuple(self._value(view, parameter) for parameter in choice.parameters))

    def _value(self, view: View, parameter: Parameter) -> Value:
        chance = self._chance
        match parameter:
            case UnitParameter():
                return UnitNamed(chance.choice([c.unit for c in parameter.candidates if c.why is None]))
            case FiguresParameter():
                return FiguresPicked(tuple(chance.sample(parameter.figures, parameter.least)))
            case PlacementParameter():
                dx = chance.randrange(-9_000, 9_001)
                moved = ({key: (x + dx, y) for key, (x, y) in places.items()} for places in parameter.suggested)
                return FiguresPlaced(tuple(moved))
            case DirectionParameter():
                bent = parameter.middle + chance.randint(-parameter.spread, parameter.spread)
                return DirectionTaken(bent % 36_000)
            case AssignmentParameter():
                return Assigned(parameter.suggested)
            case StopParameter():
                first, last = chance.choice(parameter.spans)
                return StopTaken(chance.randint(first, last))
            case PointParameter():
                # Any figure of a unit that it may be meant for: the server refuses what cannot be seen.
                at = [place for unit in parameter.near for place in standing(view, unit).values()]
                return PointTaken(parameter.suggested or chance.choice(at))
            case PathParameter():
                angle, length = chance.uniform(0, 2 * math.pi), chance.uniform(0, parameter.allowance)
                dx, dy = round(length * math.cos(angle)), round(length * math.sin(angle))
                own = standing(view, parameter.unit)
                return PathsDeclared({key: ((x + dx, y + dy),) for key, (x, y) in own.items()})
