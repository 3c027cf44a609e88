"""Stance, attitude and recon duty: what each side settles in secret (fad4/npc.setup, fad5/scenario.stance)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from client_protocol.choices import Assigned, AssignmentParameter, AssignmentRow, Choice, Picked, RowOption
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.facts import Fact
from server.kernel.procedure import Steps, ask_all, roll
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.generated.noting import (
    ATTITUDE,
    DUTY,
    FACES,
    POINTS,
    STANCE,
    hidden_words,
    hide,
    known,
    platoons,
    scouts,
    squads,
    troops,
    uncontrolled,
)

STANCE_OPTION, ATTITUDE_OPTION, TRIGGER = "npc_stance", "npc_attitude", "npc_recon_trigger"
"""The options that say what a side without a player is minded to do, and which of them send squads ahead."""
EITHER, BY_STANCE, BY_ATTITUDE = "either", "offensive", "aggressive"
SECRETLY = "generated"
"""The stream of dice that fall in secret for both sides."""


def secretly(side: str) -> str:
    """Return the stream of dice that fall in secret for a side: how many fell for one is no matter of the other's."""
    return f"{SECRETLY}.{side}"


STANCES = {
    "offensive": "Zone 6 inches deep, two more Recon Points, two calls for a medium cannon where the match plays indirect fire.",
    "neutral": "Zone 12 inches deep, a Recon Point more, and two dummy markers more for each platoon.",
    "defensive": "Zone 18 inches deep, and two dummy markers fewer for each platoon.",
}
ATTITUDES = {
    "aggressive": "Likelier to be sent on an Assault, a Strike or a Sweep.",
    "cautious": "Two more Recon Points; likelier to Expand, Infiltrate or Interfere.",
    "passive": "A Recon Point fewer; likelier to Hold.",
}


def choose_stance(game: FadGame) -> Steps[None]:
    """Have each side settle its stance in secret (fad5/scenario.stance, fad4/npc.stance-attitude)."""
    yield from _chosen(game, STANCE, STANCES, "neutral", "scenario.stance")
    for side in _uncontrolled_sides(game.state):
        die = roll(1, stream=secretly(side), purpose="npc-stance")
        rows = game.rules.book.tables.generating.npc_stance
        yield from _by_option_or_die(game, side, STANCE, game.state.options.get(STANCE_OPTION), STANCES, die, rows)


def choose_attitude(game: FadGame) -> Steps[None]:
    """Have each side settle its attitude in secret (fad5/scenario.attitude, fad4/npc.stance-attitude)."""
    yield from _chosen(game, ATTITUDE, ATTITUDES, "cautious", "scenario.attitude")
    for side in _uncontrolled_sides(game.state):
        die = roll(1, stream=secretly(side), purpose="npc-attitude")
        rows = game.rules.book.tables.generating.npc_attitude
        yield from _by_option_or_die(
            game, side, ATTITUDE, game.state.options.get(ATTITUDE_OPTION), ATTITUDES, die, rows
        )


def _uncontrolled_sides(state: State) -> list[str]:
    return [side for side in state.sides if uncontrolled(state, side)]


def _by_option_or_die(
    game: FadGame,
    side: str,
    what: str,
    wish: object,
    known_values: Mapping[str, str],
    die: Steps[tuple[int, ...]],
    rows: Sequence[str],
) -> Steps[None]:
    """Settle what a side without a player is: as the match's option wishes, else by a die, by its row of a table."""
    value = str(wish)
    if value not in known_values:
        (face,) = yield from die
        value = rows[face - 1]
        yield hide(game.state, side, f"{what}.{FACES}", face)
    yield hide(game.state, side, what, value)


def _chosen(game: FadGame, what: str, rows: Mapping[str, str], default: str, rule: str) -> Steps[None]:
    choices = tuple(Choice(key, key.capitalize(), rule, text) for key, text in rows.items())
    asked = Asked(f"Choose the {what} of your force, in secret", choices, Picked(default), rule)
    players = [side for side in game.state.sides.values() if not uncontrolled(game.state, side.id)]
    if players:
        picked = yield from ask_all({side.seat: asked for side in players})
        for side in players:
            yield hide(game.state, side.id, what, picked[side.seat].choice)


# --- recon ------------------------------------------------------------------------------------------------------------


def settle_recon(game: FadGame) -> Steps[None]:
    """Have each side send units on recon duty, and count its Recon Points, in secret (fad5/scenario.recon-duty)."""
    asked: dict[str, Asked] = {}
    for side in game.state.sides.values():
        if not uncontrolled(game.state, side.id):
            found = _duty(game.rules, game.believed(side.seat), side.id)
            if found is not None:
                asked[side.seat] = found
    picked = (yield from ask_all(asked)) if asked else {}
    for side in list(game.state.sides.values()):
        sent: tuple[str, ...]
        if uncontrolled(game.state, side.id):
            sent = yield from _sent(game, side.id)
        else:
            values = picked[side.seat].values if side.seat in picked else ()
            sent = tuple(values[0].given) if values and isinstance(values[0], Assigned) else ()
        yield hide(game.state, side.id, DUTY, sent)
        yield from _counted(game, side.id)


def _counted(game: FadGame, side: str) -> Iterator[Fact]:
    """Note the Recon Points of a side (fad5/scenario.recon-points)."""
    table, state = game.rules.book.tables.generating, game.state
    total = (
        table.platoon * platoons(game.rules, state, side)
        + table.stances[known(state, side, STANCE)].points
        + table.attitudes[known(state, side, ATTITUDE)]
        + table.duty * len(hidden_words(state, side, DUTY))
    )
    yield hide(state, side, POINTS, max(0, total))


def fit(rules: FadRules, unit: Unit) -> bool:
    """Return whether a unit may be sent on recon duty (fad5/scenario.recon-duty-banned)."""
    banned = any(has(unit, trait) for trait in rules.book.tables.generating.barred)
    return not banned and not rules.least_resolute(unit)


def _duty(rules: FadRules, state: State, side: str) -> Asked | None:
    """Return the question which units go on recon duty; None if none may."""
    most, rows = platoons(rules, state, side), []
    plain = squads(rules, state, side)
    for unit in troops(state, side):
        if not fit(rules, unit):
            continue
        if scouts(rules, unit):
            option = RowOption("scout-ahead", "On recon duty")
        elif unit in plain:
            option = RowOption("squad-ahead", "On recon duty")
        elif is_vehicle(unit):
            option = RowOption("vehicle-ahead", "On recon duty")
        else:
            continue
        rows.append(AssignmentRow(unit.id, unit.name, (option,)))
    if not rows:
        return None
    limits = (("squad-ahead", most), ("vehicle-ahead", most))
    parameter = AssignmentParameter(
        "Recon duty", rows[0].key, tuple(rows), 0, len(rows), {}, limits, none="With the force"
    )
    rule = "scenario.recon-duty"
    text = "Each unit brings two Recon Points. Later a die is rolled for it: on a 1 it is lost, up to a 5 it comes on turn 2."
    choice = Choice("send", "Send them", rule, text, (parameter,))
    own = f"{known(state, side, STANCE)}, {known(state, side, ATTITUDE)}"
    title = f"Who goes on recon duty? Your force is {own}"
    return Asked(title, (choice,), Picked("send", (Assigned({}),)), rule)


def _sent(game: FadGame, side: str) -> Steps[tuple[str, ...]]:
    """Return the units that a side without a player sends on recon duty."""
    rules, state = game.rules, game.state
    stance, attitude = known(state, side, STANCE), known(state, side, ATTITUDE)
    if (stance, attitude) == ("defensive", "passive"):
        # fad4/npc.recon-none
        return ()
    # fad4/npc.recon-traits
    sent = [unit.id for unit in troops(state, side) if scouts(rules, unit) and fit(rules, unit)]
    trigger = state.options.get(TRIGGER, BY_ATTITUDE)
    eager = (attitude == "aggressive" and trigger != BY_STANCE) or (stance == "offensive" and trigger != BY_ATTITUDE)
    for _ in range(platoons(rules, state, side) if eager else 0):
        # fad4/npc.recon-platoons
        able = [
            unit.id
            for unit in squads(rules, state, side)
            if not unit.aboard and fit(rules, unit) and unit.id not in sent
        ]
        if not able:
            break
        (face,) = yield from roll(1, stream=secretly(side), purpose="npc-recon")
        if face >= rules.book.tables.generating.npc_recon:
            (drawn,) = yield from roll(1, len(able), stream=secretly(side), purpose="npc-recon-squad")
            sent.append(able[drawn - 1])
    return tuple(sent)
