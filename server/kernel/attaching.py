"""Units attached to others: their figures stand among their host's, each naming the unit that it belongs to.

So a host and its guests are one group on the table: one path, one target, one set of markers. The guest stays on the roster, off
the table, and its figures come back to it when it leaves its host.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from server.kernel.state import Figure, State, Unit

_SPLIT = ":"


def guests(state: State, host: str) -> list[Unit]:
    """Return the units in the game that are attached to `host`, in roster order."""
    return [unit for unit in state.units.values() if unit.attached == host and not unit.left]


def own_figures(unit: Unit) -> dict[str, Figure]:
    """Return the figures of a unit that are its own and not an attached unit's."""
    return {key: figure for key, figure in unit.figures.items() if not figure.of}


def figures_of(state: State, guest: Unit) -> dict[str, Figure]:
    """Return the figures of an attached unit by their keys among its host's; none if it is not attached."""
    host = state.units[guest.attached] if guest.attached else None
    return {} if host is None else {key: one for key, one in host.figures.items() if one.of == guest.id}


def key_within(guest: str, figure: str) -> str:
    """Return the key that a figure of `guest` has among its host's."""
    return f"{guest}{_SPLIT}{figure}"


def figures_anywhere(state: State, unit: Unit) -> dict[str, Figure]:
    """Return the figures of a unit by their own keys, whether they stand among a host's or not."""
    if not unit.attached:
        return own_figures(unit)
    prefix = key_within(unit.id, "")
    return {key.removeprefix(prefix): figure for key, figure in figures_of(state, unit).items()}


def join(state: State, guest_id: str, host_id: str) -> State:
    """Return `state` with the figures of a unit among those of its host, the guests' in roster order behind the host's own."""
    guest, host = state.units[guest_id], state.units[host_id]
    joined = {key_within(guest_id, key): replace(figure, of=guest_id) for key, figure in guest.figures.items()}
    whole = {**host.figures, **joined}
    numbers = {unit.id: unit.number for unit in state.units.values()}
    order = sorted(whole, key=lambda key: numbers.get(str(whole[key].of), 0))
    state = state.with_unit(replace(host, figures={key: whole[key] for key in order}))
    return state.with_unit(replace(guest, figures={}, attached=host_id, aboard=""))


def part(state: State, guest_id: str) -> State:
    """Return `state` with an attached unit on its own again: its figures stand where they stand, or are aboard what carries its
    host.
    """
    guest = state.units[guest_id]
    host = state.units[str(guest.attached)]
    own = {
        key.removeprefix(key_within(guest_id, "")): replace(figure, of=UNSET)
        for key, figure in host.figures.items()
        if figure.of == guest_id
    }
    rest = {key: figure for key, figure in host.figures.items() if figure.of != guest_id}
    state = state.with_unit(replace(host, figures=rest))
    return state.with_unit(replace(guest, figures=own, attached=UNSET, aboard=host.aboard))
