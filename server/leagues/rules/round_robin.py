"""Round robin: each player meets each other once, by the circle method."""

from __future__ import annotations

from collections.abc import Sequence


def round_robin(players: Sequence[str], number: int) -> tuple[tuple[str, ...], ...]:
    """Return the pairs of a round, counted from 1; of an odd number of players one has a bye. Over all rounds the times that a
    player comes first and second differ by one at most.

    The last player stays, and the others go round: the circle method.
    """
    if not players:
        return ()
    ring: list[str | None] = list(players) if len(players) % 2 == 0 else [*players, None]
    *turning, fixed = ring
    size, shift = len(turning), number - 1
    around = [turning[(place + shift) % size] for place in range(size)]
    # The fixed player changes sides from round to round; in the other pairs a place is always first or always second.
    pairs = [(fixed, around[0]) if number % 2 else (around[0], fixed)]
    pairs += [(around[place], around[size - place]) for place in range(1, (size + 1) // 2)]
    return tuple(_present(first, second) for first, second in pairs)


def _present(first: str | None, second: str | None) -> tuple[str, ...]:
    return tuple(one for one in (first, second) if one is not None)
