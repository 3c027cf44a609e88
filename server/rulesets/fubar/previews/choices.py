"""Previews of choices: the numbers that the procedures use, and exact odds in place of dice."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from client_protocol.choices import Picked, UnitNamed
from server.kernel.answers.check import Asked
from server.kernel.ruleset import Preview
from server.kernel.state import State
from server.rulesets.fubar import activation, withdrawal
from server.rulesets.fubar.dice import succeeds
from server.rulesets.fubar.game import FubarRules
from server.rulesets.fubar.previews import close_combat, fire
from server.rulesets.shared.words.chances import chance_line


def preview(rules: FubarRules, believed: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return the preview of `picked`, or None if there is nothing to show."""
    if picked.choice == "activate" and picked.values and isinstance(picked.values[0], UnitNamed):
        return preview_activation(rules, believed, picked.values[0].unit)
    return next((found for chapter in _CHAPTERS if (found := chapter(rules, believed, asked, picked))), None)


_CHAPTERS: tuple[Callable[[FubarRules, State, Asked, Picked], Preview | None], ...] = (
    fire.preview,
    close_combat.preview,
)


def preview_activation(rules: FubarRules, state: State, unit_id: str) -> Preview:
    """Return the odds of an activation roll, with a note on what the unit does if it fails."""
    unit = state.units[unit_id]
    need, modifier = activation.numbers(rules, state, unit_id)
    passing = sum(succeeds(face, need.value, modifier.value) for face in range(1, 7))
    failing = "withdraws" if withdrawal.must_withdraw(rules, unit) else "stays aboard" if unit.aboard else "is On Guard"
    # fubar4/turn.to-and-fro: if only one side has units left to try, it goes on even after a failure
    others = [side for side in state.sides if side != unit.side and activation.untried(state, side)]
    passing_on = "the initiative passes" if others else "its side keeps the initiative"
    return Preview(
        f"{unit.name} tries to activate",
        "1D6; a 6 always succeeds, a 1 always fails",
        (("Needed", need), *((("Added to the die", modifier),) if modifier.lines else ())),
        (chance_line("Activates", Fraction(passing, 6)),),
        (f"If it fails, it {failing}, and {passing_on}.",),
    )
