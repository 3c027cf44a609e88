"""Reading the odds of previews as numbers: what losses they foretell."""

from __future__ import annotations

from collections.abc import Mapping

from client_protocol.from_server import Chance
from server.kernel.hints import Worth
from server.kernel.ruleset import Preview
from server.kernel.state import State


def told(state: State, unit: str, preview: Preview, dealt: Mapping[str, float], taken: Mapping[str, float]) -> Worth:
    """Return the losses that a preview of a choice of `unit` foretells.

    Args:
        state: the state as the seat may know it.
        unit: the unit that chooses; "" if the choice is no unit's.
        preview: the preview.
        dealt: how much the lines count for losses of enemies, by their labels; a label counts also after "Weapon at Unit: " and
            before " (Unit)" and " of Unit".
        taken: the same for losses of the unit itself.
    """
    names = {one.name: one.side for one in state.units.values()}
    own = state.units[unit].side if unit in state.units else ""
    given = lost = 0.0
    for line in preview.chances:
        label, whom = _taken_apart(line.label, names)
        amount = _amount(line)
        if label in taken:
            lost += taken[label] * amount
        elif label in dealt:
            if whom and names[whom] == own:
                lost += dealt[label] * amount
            else:
                given += dealt[label] * amount
    return Worth(given, lost)


def _taken_apart(label: str, names: Mapping[str, str]) -> tuple[str, str]:
    """Return a label without the names of weapons and units, and the unit that it names ("" if none)."""
    whom = ""
    before, colon, after = label.partition(": ")
    if colon:
        whom = before.rpartition(" at ")[2]
        label = after
    for sign, close in ((" of ", ""), (" (", ")"), (" on ", "")):
        head, found, name = label.partition(sign)
        name = name.removesuffix(close) if close else name
        if found and (name in names or " and " in name):
            return head, name if name in names else ""
    return label, whom if whom in names else ""


def _amount(line: Chance) -> float:
    if line.per_myriad >= 0:
        return line.per_myriad / 10_000
    try:
        return float(line.value)
    except ValueError:
        return 0.0
