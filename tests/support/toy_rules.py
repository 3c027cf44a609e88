"""A rule set that is small enough to understand at once, with everything in it that a room must support.

All seats (two, or three) deploy at once, unseen, what the scenario gives them or what they have brought. Then come rounds:
all bid at once, unseen; a die for each falls openly and one in secret; the side that lost picks a figure to fall, and the
side that won says whether to press on, which rolls once more. A round is a procedure, so that each ends at a boundary. By
standing order a squad presses on by default, or stops without being asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from client_protocol.choices import (
    Choice,
    FiguresParameter,
    FiguresPicked,
    FiguresPlaced,
    Picked,
    PlacementParameter,
)
from client_protocol.explained import Explained, Line
from client_protocol.forces import (
    FORCE_FORMAT,
    Conversion,
    Force,
    ForceForm,
    ForceProblem,
    ForceReport,
    ForceUnit,
    FormChoice,
    FormField,
    FormKind,
    FormList,
    Rows,
    UnitReport,
)
from client_protocol.from_server import EditionInfo, OptionChoice, OptionInfo, ScenarioInfo
from client_protocol.luck import Luck
from client_protocol.shapes import OptionValue
from client_protocol.view import Aim, CardLine, DeckView, ImpactView, MountView, SpecialCards, Story, Word
from server.kernel.answers.check import Asked
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.errors import RulesetError
from server.kernel.facts import (
    Declared,
    Fact,
    FiguresFell,
    ForceDismissed,
    MatchEnded,
    Noted,
    PhaseBegan,
    Rolled,
    SideToAct,
    TurnBegan,
    UnitFormed,
    UnitPlaced,
)
from server.kernel.files.position_parts import PositionParts, Sides
from server.kernel.hints import Hints
from server.kernel.procedure import Game, Steps, ask, ask_all, ask_later, roll
from server.kernel.ruleset import Elsewhere, Finding, Gear, Preview, Topic
from server.kernel.space.pieces import Crowd
from server.kernel.space.terrain import Terrain
from server.kernel.state import Asset, Figure, Mount, Side, State, Table, Unit
from server.rulesets.shared.previews.luck import reckon
from server.rulesets.shared.previews.odds import highest

SCENARIOS = {"duel": ("red", "blue"), "three-way": ("red", "blue", "green")}
ZONES = {
    "red": ((0, 0), (12000, 0), (12000, 3000), (0, 3000)),
    "blue": ((0, 9000), (12000, 9000), (12000, 12000), (0, 12000)),
    "green": ((0, 3500), (2000, 3500), (2000, 8500), (0, 8500)),
}
SPOTS = {
    "red": {str(n): (2000 * n, 1000) for n in (1, 2, 3)},
    "blue": {str(n): (2000 * n, 11000) for n in (1, 2, 3)},
    "green": {str(n): (1000, 3000 + 1500 * n) for n in (1, 2, 3)},
}
SHAPES = {"red": ("R", "circle"), "blue": ("B", "square"), "green": ("G", "diamond")}
WEIGHTS = {"rifle": 1, "gun": 2}
MOST_WEIGHT = 4
GEAR = FormField("gear", "Gear", "rifle", (FormChoice("rifle", "Rifle"), FormChoice("gun", "Gun")), rule="toy/gear")
FORM = ForceForm(
    (
        FormKind(
            "squad",
            "Squad",
            (FormField("keen", "Keen", default=False), FormField("drill", "Drill", 1, least=0, most=3)),
            (FormList("figures", "Figures", "Figure", (GEAR,), 1, 3),),
        ),
    ),
    "Weight",
)


def force(name: str, *gear: str) -> Force:
    """Return a force of one squad whose figures carry this."""
    rows: Rows = tuple({"gear": carried} for carried in gear)
    return Force(FORCE_FORMAT, "toy", name, (ForceUnit("squad", f"{name} squad", rows={"figures": rows}),))


class ToyRules:
    """The rule set. `version` and `bonus` make another version of it: the bonus is added to every roll's number."""

    def __init__(self, rounds: int = 2, version: str = "toy 1", bonus: int = 0) -> None:
        self._rounds = rounds
        self._version = version
        self._bonus = bonus

    @property
    def info(self) -> EditionInfo:
        scenarios = tuple(
            ScenarioInfo(key, key.title(), "Three against three.", 1, tuple((seat, seat.title()) for seat in seats))
            for key, seats in SCENARIOS.items()
        )
        choices = (OptionChoice(value=False, label="Seen"), OptionChoice(value=True, label="Unseen"))
        hidden = OptionInfo("hidden_forces", "Forces", choices, default=False)
        return EditionInfo("toy", "Toy", (hidden,), scenarios, forces=True)

    @property
    def version(self) -> str:
        return self._version

    def elsewhere(self, _entry: str, /) -> tuple[Elsewhere, ...]:
        return ()

    @property
    def reference(self) -> tuple[dict[str, str], ...]:
        return tuple({"id": rule, "title": rule, "chapter": "Toy", "text": rule} for rule in ("toy/bid", "toy/idle"))

    def open(self, scenario: str, options: Mapping[str, OptionValue]) -> State:
        if scenario not in SCENARIOS or not options.keys() <= {"hidden_forces"}:
            raise RulesetError("the toy has the scenarios duel and three-way, and the option hidden_forces")
        seats = SCENARIOS[scenario]
        return State(
            edition="toy",
            title=scenario.title(),
            options={"hidden_forces": False, **options},
            table=Table(12000, 12000, (Terrain("wood", "Wood", "woods", ((5000, 5000), (7000, 5000), (6000, 7000))),)),
            sides={seat: Side(seat, seat.title(), *SHAPES[seat], seat, ZONES[seat]) for seat in seats},
            units={
                f"{seat}-1": Unit(
                    f"{seat}-1", seat, f"{seat.title()} squad", 1, {}, {n: Figure(None, 500) for n in SPOTS[seat]}
                )
                for seat in seats
            },
            objectives={},
            victory={"turn_limit": self._rounds},
        )

    def read(self, setup: Mapping[str, object]) -> State:
        raise RulesetError(f"the toy reads no setups, not even {setup}")

    def game(self, state: State) -> Game[Any]:
        return Game(self, state)

    def procedure(self, game: Game[Any]) -> Steps[None] | None:
        if game.state.result is not None:
            return None
        if game.state.turn.number == 0:
            return _deploy(game)
        return self._round(game) if game.state.turn.number <= self._rounds else _end(game)

    def _round(self, game: Game[Any]) -> Steps[None]:
        seats = tuple(game.state.sides)
        bids = yield from ask_all({seat: _bid(seat) for seat in seats})
        faces = yield from roll(len(seats))
        hidden = yield from roll(1, 6, "secret:red")
        sums = {seat: face + int(bids[seat].choice) for seat, face in zip(seats, faces, strict=True)}
        lines = (Line("SET", faces[0], "the die", "toy/bid"), Line("ADD", self._bonus, "bonus", "toy/bonus"))
        yield Rolled("bid", "toy/bid", faces, numbers=(Explained(faces[0] + self._bonus, lines),), side="red")
        yield Noted("hidden", hidden[0])
        loser = min(seats, key=lambda seat: sums[seat])
        winner = max((seat for seat in seats if seat != loser), key=lambda seat: sums[seat])
        unit = f"{loser}-1"
        while game.unit(unit).strength > 0:
            picked = yield from ask_later(game, loser, partial(losses, unit))
            assert isinstance(picked.values[0], FiguresPicked)
            yield FiguresFell(unit, picked.values[0].figures, "bid", "toy/loss")
            yield SideToAct(winner)
            order = game.state.desk.orders.get(f"{winner}-1", "ask")
            if order == "stop":
                # No seat is asked, and no audience sees the reason.
                yield Declared(f"{winner}-1", "stop", "toy/press", unit)
                break
            again = yield from ask(winner, _press(unit, order))
            yield Declared(f"{winner}-1", again.choice, "toy/press", unit)
            if again.choice == "stop":
                break
            (face,) = yield from roll(1)
            yield Rolled("press", "toy/press", (face,), side=winner)
            if face < 4:
                break
        yield TurnBegan(game.state.turn.number + 1)

    def preview(self, believed: State, asked: Asked, picked: Picked) -> Preview | None:
        # Careless on purpose, as story is.
        bids = (f"{seat} bids {bid.choice}" for seat, bid in believed.sealed.items())
        return Preview(asked.title, "1D6", notes=tuple(bids)) if picked.choice in {"press", "1"} else None

    def what_if(self, state: State, unit: str, target: str) -> tuple[Preview, ...]:
        # Careless on purpose, as story is.
        bids = tuple(f"{seat} bids {bid.choice}" for seat, bid in state.sealed.items())
        orders = tuple(f"{key} is to {order}" for key, order in state.desk.orders.items())
        one, other = state.units[unit], state.units[target]
        return () if one.side == other.side else (Preview(f"{one.name} eyes {other.name}", notes=bids + orders),)

    def finding(self, state: State, topic: Topic, unit: str, target: str) -> Finding:
        one, other = state.units[unit], state.units[target]
        return Finding(f"{topic} of {one.name} and {other.name}.", f"toy/{topic}", holds=True)

    def amiss(self, state: State, unit: str) -> tuple[str, ...]:
        at = state.units[unit].places()[0][0]
        return tuple(f"{piece.name} is no place to stand." for piece in state.table.terrain if piece.holds(at))

    def story(self, state: State, fact: Fact) -> Story | None:
        if isinstance(fact, Rolled):
            return Story("roll", f"{fact.purpose}: {fact.faces}", fact.rule, fact.side)
        if isinstance(fact, FiguresFell):
            return Story("loss", f"{state.units[fact.unit].name} loses {', '.join(fact.figures)}.")
        if isinstance(fact, UnitPlaced):
            return Story("deploy", f"{state.units[fact.unit].name} is placed.")
        # Careless on purpose: a caller that passes the true state reveals each seat's bid.
        bids = " ".join(f"{seat}={picked.choice}" for seat, picked in sorted(state.sealed.items()))
        return Story("turn", f"{type(fact).__name__} {bids}")

    def luck(self, state: State, fact: Fact) -> tuple[Luck, ...]:  # noqa: ARG002
        # The roll to press on is luck, the higher the better for that side; bids are not.
        if not isinstance(fact, Rolled) or fact.purpose != "press":
            return ()
        return (reckon(fact.side, f"{fact.side}-1", "the die", highest(1), fact.faces[0]),)

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:
        return (CardLine("Strength", str(unit.strength)), CardLine("Side", state.sides[unit.side].name))

    def asset(self, _state: State, _asset: Asset, /) -> tuple[CardLine, ...]:
        return ()

    def gear(self, _unit: Unit, figure: Figure, /) -> Gear:
        return Gear(figure.role, "gun" if figure.role == "gun" else "")

    def deck(self, state: State) -> DeckView | None:  # noqa: ARG002 - it is played without cards
        return None

    def campaign(self, _settings: Mapping[str, OptionValue], /) -> CampaignRules | None:
        return None

    def cards_tell_of(self, _state: State, /) -> object:
        return ()

    def card_tells_place(self, _unit: Unit, /) -> bool:
        return False

    def looking(self, _state: State, unit: Unit, _other: Unit, /) -> Unit:
        return unit

    def in_line_of_fire(self, _state: State, _unit: str, _target: str, /) -> tuple[Sequence[Crowd], str]:
        return (), ""

    def aloft(self, _state: State, /) -> Collection[str]:
        return ()

    def shelters(self, _state: State, _unit: Unit, _other: Unit, /) -> tuple[Terrain, ...]:
        return ()

    def special_cards(self, state: State) -> SpecialCards | None:  # noqa: ARG002 - it is played without cards
        """Return None."""
        return None

    def aim(self, state: State) -> Aim | None:  # noqa: ARG002 - its games have no words for it
        return None

    def impact(self, state: State) -> ImpactView | None:  # noqa: ARG002 - nothing strikes the table
        return None

    def turn_limit(self, state: State) -> int:
        return int(state.victory.get("turn_limit", 0))

    def mount(self, _vehicle: Unit, mount: Mount, /) -> MountView:
        return MountView(mount.weapon, mount.middle, mount.spread, 1000, mount.lost)

    @property
    def position_parts(self) -> PositionParts:
        sides = Sides(("R", "B", "G"), ("circle", "square", "diamond"), 2, 3)
        return PositionParts("toy", "Toy", (), (), (), (), (), (), (), (), (), (), (), sides, (), self.info.options)

    @property
    def hints(self) -> Hints:
        return Hints()

    @property
    def orders(self) -> dict[str, Word]:
        return {
            "ask": Word("Ask", "You are asked."),
            "press": Word("Press on", "You are asked; without an answer it presses on."),
            "stop": Word("Stop", "It stops without asking."),
        }

    @property
    def force_form(self) -> ForceForm | None:
        return FORM

    @property
    def ready_forces(self) -> tuple[Force, ...]:
        return (force("Riflemen", "rifle", "rifle", "rifle"),)

    @property
    def converts(self) -> tuple[str, ...]:
        return ("old-toy",)

    def convert_force(self, force: Force) -> Conversion:
        if force.edition != "old-toy":
            return Conversion(None, refusal="Only forces of the old toy become forces of the toy.")
        return Conversion(replace(force, edition="toy"), ("It is new now.",))

    def check_force(self, force: Force, options: Mapping[str, OptionValue]) -> ForceReport:
        assert not options or options.keys() == {"hidden_forces"}, "the caller settles the options first"
        problems, reports = [], []
        for number, unit in enumerate(force.units):
            weights = [WEIGHTS[str(row.get("gear", "rifle"))] for row in unit.rows["figures"]]
            total = Explained(sum(weights), tuple(Line("ADD", weight, "a figure", "toy/gear") for weight in weights))
            reports.append(UnitReport((CardLine("Figures", str(len(weights))),), total))
            if total.value > MOST_WEIGHT:
                sentence = f"It weighs {total.value}; a squad weighs {MOST_WEIGHT} at most."
                problems.append(ForceProblem(sentence, "toy/weight", unit=number))
        if len(force.units) != 1:
            problems.append(ForceProblem("A force is one squad.", "toy/one"))
        return ForceReport(tuple(problems), sum(report.total.value for report in reports), tuple(reports))

    def cover_names(self) -> Mapping[str, str]:
        return {"none": "", "soft": "Soft cover"}

    @property
    def words(self) -> dict[str, Word]:
        return {"deployment": Word("Deployment", "Both place their squads, unseen.")}


def _deploy(game: Game[Any]) -> Steps[None]:
    seats = tuple(game.state.sides)
    for seat in seats:
        brought = game.state.desk.forces.get(seat)
        if brought is not None:
            yield ForceDismissed(seat, "toy/muster")
            (squad,) = brought.force.units
            figures = {str(n): Figure(None, 500, str(row["gear"])) for n, row in enumerate(squad.rows["figures"], 1)}
            yield UnitFormed(Unit(f"{seat}-1", seat, squad.name, 1, {}, figures), "toy/muster")
    placed = yield from ask_all({seat: _placing(seat, game.unit(f"{seat}-1")) for seat in seats})
    for seat in seats:
        (value,) = placed[seat].values
        assert isinstance(value, FiguresPlaced)
        yield UnitPlaced(f"{seat}-1", value.places[0])
    yield PhaseBegan("bidding")
    yield TurnBegan(game.state.turn.number + 1)


def _end(game: Game[Any]) -> Steps[None]:
    strengths = {seat: game.unit(f"{seat}-1").strength for seat in game.state.sides}
    best = max(strengths, key=lambda seat: strengths[seat])
    draw = list(strengths.values()).count(strengths[best]) > 1
    yield MatchEnded("" if draw else best, "More figures are left.", "toy/end")


def _placing(seat: str, unit: Unit) -> Asked:
    spots = {key: SPOTS[seat][key] for key in unit.figures}
    parameter = PlacementParameter((unit.id,), ZONES[seat], (6000,), ((),), (spots,))
    default = Picked("place", (FiguresPlaced((spots,)),))
    return Asked("Place your squad", (Choice("place", "Place", parameters=(parameter,)),), default)


def _bid(seat: str) -> Asked:
    choices = tuple(Choice(str(n), f"Bid {n}") for n in (1, 2, 3))
    return Asked("Bid", choices, Picked("1"), "toy/bid", f"{seat}-1")


def losses(unit: str, state: State) -> Asked:
    """Return the question which figure of a unit falls."""
    figures = tuple(state.units[unit].living)
    choice = Choice("fall", "Falls", parameters=(FiguresParameter("Who falls", unit, figures, 1, 1),))
    return Asked("Choose a loss", (choice,), Picked("fall", (FiguresPicked(figures[-1:]),)), "toy/loss", unit)


def _press(unit: str, order: str) -> Asked:
    choices = (Choice("press", "Press on", preview=True), Choice("stop", "Stop"))
    default = Picked("press" if order == "press" else "stop")
    return Asked("Press on?", choices, default, "toy/press", unit)
