"""Recon Points: moving own markers, revealing enemy ones, and blocking (fad5/scenario.spend-recon, fad4/npc.recon-points)."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import Candidate, Choice, PathParameter, PathsDeclared, Picked, UnitNamed, UnitParameter
from server.kernel.answers.check import Asked
from server.kernel.facts import Noted, Rolled, SideToAct, UnitMoved
from server.kernel.procedure import Steps, ask, roll
from server.kernel.setup_facts import SideDeclared
from server.kernel.space.geometry import distance, inches
from server.kernel.state import State
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.generated import counters
from server.rulesets.fad.generated.ground import other_side
from server.rulesets.fad.generated.noting import POINTS, hide, points, uncontrolled
from server.rulesets.fad.generated.revealing import reveal

PASSED = "generated.passed"
"""How many sides in a row have passed."""
RULE, MOVE, REVEAL, BLOCK = (
    "scenario.spend-recon",
    "scenario.recon-move",
    "scenario.recon-reveal",
    "scenario.recon-block",
)
MARKERS_MOVE = "contact-move"
"""How a marker moves."""


def over(state: State) -> bool:
    """Return whether no more Recon Points are spent: two sides in a row have passed."""
    return state.book.get(PASSED, 0) == len(state.sides)


def spend(game: FadGame) -> Steps[None]:
    """Let the side to act spend a Recon Point or pass. Every player is asked, whatever is left, since that is secret."""
    side = game.state.turn.active
    passed = game.state.book.get(PASSED, 0)
    assert isinstance(passed, int), "it is counted"
    # fad4/npc.recon-points: a side without a player spends points on nothing but blocks
    did = not uncontrolled(game.state, side) and (yield from _asked(game, side))
    yield Noted(PASSED, 0 if did else passed + 1)
    yield SideToAct(other_side(game.state, side))


def _asked(game: FadGame, side: str) -> Steps[bool]:
    """Ask a player what to spend a point on; return whether it was one."""
    seat = game.state.sides[side].seat
    own = [unit.id for unit in counters.contacts(game.state, side)]
    foes = [unit.id for unit in counters.contacts(game.state, other_side(game.state, side))]
    left = points(game.state, side)
    choices = [Choice("pass", "Pass: when both sides pass in turn, the rest is lost", RULE)]
    if left and own:
        choices.append(Choice("move", "Move two of your markers up to 6 inches", MOVE, "", (_one_of("Marker", own),)))
    if left and foes:
        choices.append(Choice("reveal", "Reveal an enemy marker", REVEAL, "", (_one_of("Marker", foes),)))
    title = f"Spend a Recon Point? You have {left}"
    picked = yield from ask(seat, Asked(title, tuple(choices), Picked("pass"), RULE))
    if picked.choice == "pass":
        yield SideDeclared(side, "passes", RULE)
        return False
    yield hide(game.state, side, POINTS, left - 1)
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    what = f"{'move' if picked.choice == 'move' else 'reveal'} {game.unit(named.unit).name}"
    yield SideDeclared(side, "spends", MOVE if picked.choice == "move" else REVEAL, what)
    if (yield from _blocked(game, other_side(game.state, side), what)):
        return True
    if picked.choice == "reveal":
        yield from reveal(game, named.unit, REVEAL)
    else:
        yield from _move(game, side, named.unit)
    return True


def _one_of(label: str, markers: Sequence[str]) -> UnitParameter:
    return UnitParameter(label, tuple(Candidate(marker) for marker in markers))


# --- blocking ---------------------------------------------------------------------------------------------------------


def _blocked(game: FadGame, side: str, what: str) -> Steps[bool]:
    """Return whether a side blocks what the other one spends a point on (fad5/scenario.recon-block)."""
    table, left = game.rules.book.tables.generating, points(game.state, side)
    if uncontrolled(game.state, side):
        # fad4/npc.recon-points: with no point left there is no roll
        if not left:
            return False
        (face,) = yield from roll(1, purpose="block-try")
        tries = face >= table.npc_block
        yield Rolled("block-try", "npc.recon-points", (face,), outcome="try" if tries else "let", side=side)
    else:
        tries = yield from _asked_to_block(game, side, what, left)
    if not tries:
        return False
    yield hide(game.state, side, POINTS, left - 1)
    (face,) = yield from roll(1, purpose="block")
    rule = "npc.recon-points" if uncontrolled(game.state, side) else BLOCK
    yield Rolled("block", rule, (face,), outcome="blocked" if face >= table.block else "failed", side=side)
    return face >= table.block


def _asked_to_block(game: FadGame, side: str, what: str, left: int) -> Steps[bool]:
    # It is asked also with no point left: that there is no prompt would tell the other side.
    let = Choice("let", "Let it happen", BLOCK)
    block = Choice("block", "Spend a Recon Point to block it: 4 or more on a die", BLOCK)
    asked = Asked(f"The enemy spends a Recon Point to {what}", (let, block) if left else (let,), Picked("let"), BLOCK)
    picked = yield from ask(game.state.sides[side].seat, asked)
    return picked.choice == "block"


# --- moving -----------------------------------------------------------------------------------------------------------


def _move(game: FadGame, side: str, first: str) -> Steps[None]:
    """Move a marker, and then another one, and reveal what comes near to the enemy (fad5/scenario.recon-move)."""
    yield from _moved(game, side, first)
    for _ in range(game.rules.book.tables.generating.moves - 1):
        others = [unit.id for unit in counters.contacts(game.state, side) if unit.id != first]
        if not others:
            return
        none = Choice("no-other", "No other marker moves", MOVE)
        another = Choice("move", "Move another marker", MOVE, "", (_one_of("Marker", others),))
        asked = Asked("Which other marker moves?", (another, none), Picked("no-other"), MOVE)
        picked = yield from ask(game.state.sides[side].seat, asked)
        if picked.choice == "no-other":
            return
        named = picked.values[0]
        assert isinstance(named, UnitNamed), "checked against the choice"
        yield from _moved(game, side, named.unit)


def _moved(game: FadGame, side: str, marker: str) -> Steps[None]:
    reach = inches(game.rules.book.tables.generating.move)
    parameter = PathParameter(
        marker,
        reach,
        barred=counters.solid(game.state),
        allowance_rule=MOVE,
        over=True,
        base_rule=MOVE,
        table_rule=MOVE,
    )
    name = game.unit(marker).name
    choice = Choice("go", f"Move {name}", MOVE, "", (parameter,))
    stay = Choice("stay", f"Leave {name} where it is", MOVE)
    asked = Asked(f"Move {name} up to 6 inches", (choice, stay), Picked("stay"), MOVE, unit=marker)
    picked = yield from ask(game.state.sides[side].seat, asked)
    if picked.choice == "stay":
        return
    declared = picked.values[0]
    assert isinstance(declared, PathsDeclared), "checked against the choice"
    if declared.paths:
        yield UnitMoved(marker, MARKERS_MOVE, dict(declared.paths), MOVE)
        yield from _met(game, side, marker)


def _met(game: FadGame, side: str, marker: str) -> Steps[None]:
    """Reveal a marker that has come near to enemies, and those enemies (fad5/scenario.marker-contact)."""
    rule, reach = "scenario.marker-contact", inches(game.rules.book.tables.generating.contact)
    place = counters.at(game.unit(marker))
    foes = [unit for unit in game.state.enemies_of(side) if unit.on_table]
    near = [unit.id for unit in foes if any(distance(place, at) <= reach for at, _ in unit.places())]
    if not near:
        return
    lying = [unit.id for unit in counters.contacts(game.state, other_side(game.state, side))]
    yield from reveal(game, marker, rule)
    for foe in near:
        if foe in lying:
            yield from reveal(game, foe, rule)
