"""Which mission each side has (fad5/scenario.mission-roll, fad4/npc.missions)."""

from __future__ import annotations

from collections.abc import Mapping

from client_protocol.choices import Assigned, AssignmentParameter, AssignmentRow, Choice, Picked, RowOption
from client_protocol.explained import Explained, Line
from server.kernel.answers.check import Asked
from server.kernel.facts import Noted, Rolled
from server.kernel.procedure import Steps, ask, ask_all, roll
from server.kernel.questions import total
from server.kernel.setup_facts import SideDeclared
from server.kernel.space.geometry import distance
from server.kernel.state import State
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.generated.choosing import secretly
from server.rulesets.fad.generated.ground import objective, other_side
from server.rulesets.fad.generated.noting import (
    ATTITUDE,
    CLASH,
    FACES,
    MISSION,
    STANCE,
    TARGET,
    hidden,
    hide,
    known,
    show,
    troops,
    uncontrolled,
)

ESCALATING = "escalating"
"""What both sides play that were given the same mission: each has the mission Sweep, and enters as the battle goes on."""
ASSAULT, EXPAND, HOLD, INFILTRATE = "assault", "expand", "hold", "infiltrate"
INTERFERE, PATROL, STRIKE, SWEEP = "interfere", "patrol", "strike", "sweep"
TEXTS = {
    ASSAULT: "Occupy a far objective, with every enemy 8 inches or more from it, at the end of two turns in a row.",
    EXPAND: "Occupy both middle objectives, with every enemy 8 inches or more from them, at the end of two turns in a row.",
    HOLD: "Let no enemy be closer than 15 inches to your near objectives at the end of three turns in a row.",
    INFILTRATE: "Bring an unbroken squad for each platoon to the enemy's edge of the table.",
    INTERFERE: "Keep the enemy from its victory until the last turn is over.",
    PATROL: "Have infantry touch both middle objectives and one of the far ones.",
    STRIKE: "Kill the enemy's commander.",
    SWEEP: "Destroy or rout half of the enemy's units.",
}
RULE = "scenario.mission-roll"


def give_missions(game: FadGame) -> Steps[None]:
    """Show the attitudes, and roll for the mission of each side. That of a side without a player stays secret."""
    for side in list(game.state.sides):
        attitude = known(game.state, side, ATTITUDE)
        face = hidden(game.state, side, f"{ATTITUDE}.{FACES}")
        rule = "npc.stance-attitude" if uncontrolled(game.state, side) else "scenario.attitude"
        yield SideDeclared(side, "attitude", rule, attitude, (face,) if isinstance(face, int) else ())
        yield show(side, ATTITUDE, attitude)
    bonuses = yield from _bonuses(game)
    best: dict[str, list[str]] = {}
    for side in list(game.state.sides):
        best[side] = yield from _rolled(game, side, bonuses.get(side, ()))
    given = yield from _settled(game, best)
    if len(set(given.values())) == 1:
        # fad5/mission.escalating-engagement
        yield Noted(CLASH, value=True)
        yield SideDeclared(next(iter(given)), "clash", "scenario.escalating-engagement", next(iter(given.values())))
        given = dict.fromkeys(given, SWEEP)
        for side in given:
            yield show(side, MISSION, SWEEP)
        return
    for side, mission in given.items():
        if uncontrolled(game.state, side):
            yield hide(game.state, side, MISSION, mission)
            yield SideDeclared(side, "mission-hidden", "npc.missions")
        else:
            yield show(side, MISSION, mission)
            yield SideDeclared(side, "mission", RULE, mission)
    for side, mission in given.items():
        if mission == ASSAULT:
            yield from _declare_target(game, side)


def _bonuses(game: FadGame) -> Steps[dict[str, tuple[str, ...]]]:
    """Ask the players to which missions they add one. A side without a player adds to none (fad4/npc.missions)."""
    table = game.rules.book.tables.generating
    rows = tuple(AssignmentRow(mission, mission.capitalize(), (RowOption("more", "+1"),)) for mission in table.missions)
    asked: dict[str, Asked] = {}
    for side in game.state.sides.values():
        if not uncontrolled(game.state, side.id):
            unit = next((unit.id for unit in troops(game.state, side.id)), "")
            suggested = dict.fromkeys((PATROL, SWEEP)[: table.bonuses], "more")
            parameter = AssignmentParameter("Missions", unit, rows, 0, table.bonuses, suggested, none="as it is")
            text = (
                "Then a die is rolled for each mission, and your stance and attitude are added: the highest is yours."
            )
            choice = Choice("add", "Add one to these missions", RULE, text, (parameter,))
            title = "Add one to the dice of two missions"
            asked[side.seat] = Asked(title, (choice,), Picked("add", (Assigned(suggested),)), RULE)
    picked = (yield from ask_all(asked)) if asked else {}
    found: dict[str, tuple[str, ...]] = {}
    for seat, one in picked.items():
        assert isinstance(one.values[0], Assigned), "checked against the choice"
        side_id = next(side.id for side in game.state.sides.values() if side.seat == seat)
        found[side_id] = tuple(one.values[0].given)
    return found


def _rolled(game: FadGame, side: str, bonuses: tuple[str, ...]) -> Steps[list[str]]:
    """Roll a die for each mission and return those with the highest total, the highest die first."""
    table = game.rules.book.tables.generating
    names = list(table.missions)
    if uncontrolled(game.state, side):
        faces = yield from roll(len(names), stream=secretly(side), purpose="npc-missions")
    else:
        faces = yield from roll(len(names), purpose="missions")
    stance, attitude = known(game.state, side, STANCE), known(game.state, side, ATTITUDE)
    numbers = [
        _total(mission, face, table.missions[mission], stance, attitude, more=mission in bonuses)
        for mission, face in zip(names, faces, strict=True)
    ]
    most = max(number.value for number in numbers)
    best = [place for place, number in enumerate(numbers) if number.value == most]
    if not uncontrolled(game.state, side):
        marks = tuple("kept" if place in best else "" for place in range(len(names)))
        yield Rolled("missions", RULE, faces, marks=marks, numbers=tuple(numbers), side=side)
    return [names[place] for place in sorted(best, key=lambda place: (-faces[place], place))]


def _total(mission: str, face: int, row: Mapping[str, int], stance: str, attitude: str, *, more: bool) -> Explained:
    lines = [Line("SET", face, mission.capitalize(), RULE)]
    added = [(minded, row.get(minded, 0)) for minded in (stance, attitude)]
    lines += [Line("ADD", amount, minded.capitalize(), RULE) for minded, amount in added if amount]
    if more:
        lines.append(Line("ADD", 1, "its player", RULE))
    return total(lines)


def _settled(game: FadGame, best: dict[str, list[str]]) -> Steps[dict[str, str]]:
    """Return the mission of each side: of several with the same total its player's choice, or one at random."""
    asked: dict[str, Asked] = {}
    for side, missions in best.items():
        if len(missions) > 1 and not uncontrolled(game.state, side):
            choices = tuple(Choice(one, one.capitalize(), RULE, TEXTS[one]) for one in missions)
            title = "Which of the missions with the highest total is yours?"
            asked[game.state.sides[side].seat] = Asked(title, choices, Picked(missions[0]), RULE)
    picked = (yield from ask_all(asked)) if asked else {}
    given: dict[str, str] = {}
    for side, missions in best.items():
        seat = game.state.sides[side].seat
        if seat in picked:
            given[side] = picked[seat].choice
        elif len(missions) > 1 and uncontrolled(game.state, side):
            # fad4/npc.missions: ties are settled at random
            (face,) = yield from roll(1, len(missions), stream=secretly(side), purpose="npc-mission-tie")
            given[side] = missions[face - 1]
        else:
            given[side] = missions[0]
    return given


def _declare_target(game: FadGame, side: str) -> Steps[None]:
    """Say which far objective an Assault is after (fad5/mission.assault)."""
    far = far_objectives(game.state, side)
    if uncontrolled(game.state, side):
        (face,) = yield from roll(1, len(far), stream=secretly(side), purpose="npc-target")
        yield hide(game.state, side, TARGET, far[face - 1])
        return
    middle = (game.state.table.width // 2, game.state.table.height // 2)
    ranked = sorted(far, key=lambda key: distance(game.state.objectives[key].at, middle))
    choices = tuple(Choice(key, game.state.objectives[key].name, RULE) for key in ranked)
    asked = Asked("Which far objective will you assault?", choices, Picked(ranked[0]), RULE)
    picked = yield from ask(game.state.sides[side].seat, asked)
    yield show(side, TARGET, picked.choice)
    yield SideDeclared(side, "target", RULE, picked.choice)


def near_objectives(state: State, side: str) -> list[str]:
    """Return the two objectives in the third of the table that is nearest to a side's edge."""
    return [objective(side, "near"), objective(other_side(state, side), "far")]


def far_objectives(state: State, side: str) -> list[str]:
    """Return the two objectives in the third that is farthest from it."""
    return near_objectives(state, other_side(state, side))


def middle_objectives(state: State) -> list[str]:
    """Return the two objectives in the middle third."""
    return [objective(side, "middle") for side in state.sides]
