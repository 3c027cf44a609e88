"""Views and their differences: a merge patch (RFC 7396) that gives the next view, byte for byte, over whole games."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from client_protocol.merge import merge_patch
from client_protocol.view import View
from server.kernel.belief import SPECTATORS, believed
from server.kernel.state import State
from server.kernel.views import Renderer, diff
from server.opponents.simulation import play
from server.rulesets.library import edition

RULES = edition("fad4")


class Inner(Struct, frozen=True):
    """Something inside."""

    x: int
    note: str = ""


class Outer(Struct, frozen=True):
    """Something around it."""

    name: str
    inner: Inner | None
    by_key: dict[str, Inner]
    row: tuple[int, ...] = ()


def plain(value: object) -> object:
    """As it travels; what is null is the same as what is absent (RFC 7396, section 1)."""
    return absent(msgspec.to_builtins(value))


def absent(value: object) -> object:
    if isinstance(value, dict):
        return {key: absent(inner) for key, inner in value.items() if inner is not None}
    return value


inners = st.builds(Inner, st.integers(0, 3), st.sampled_from(["", "a"]))
outers = st.builds(
    Outer,
    st.sampled_from(["a", "b"]),
    inners | st.none(),
    st.dictionaries(st.sampled_from("pqr"), inners),
    st.lists(st.integers(0, 2), max_size=2).map(tuple),
)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(outers, outers)
def test_a_difference_laid_over_the_one_gives_the_other(one: Outer, other: Outer) -> None:
    patch = msgspec.to_builtins(diff(one, other))
    assert merge_patch(plain(one), patch) == plain(other)
    assert (patch == {}) == (one == other)


def test_only_what_differs_is_told() -> None:
    one = Outer("a", Inner(1), {"p": Inner(1), "q": Inner(2)}, (1,))
    other = Outer("a", Inner(1, "new"), {"p": Inner(1), "r": Inner(3)}, (1,))
    assert diff(one, other) == {"inner": {"note": "new"}, "by_key": {"r": Inner(3), "q": None}}


def audiences(state: State) -> list[str]:
    return [*(side.seat for side in state.sides.values()), SPECTATORS]


@pytest.mark.parametrize("deployment", ["turns", "blind"])
@pytest.mark.parametrize("scenario", ["crossroads-patrol", "hold-the-relay"])
def test_over_a_game_the_differences_give_every_audience_its_views(scenario: str, deployment: str) -> None:
    renderers: dict[str, Renderer] = {}
    views: dict[str, View] = {}
    known: dict[str, object] = {}
    for played in play(RULES, RULES.open(scenario, {"deployment": deployment}), 8):
        asked = frozenset(played.ask.seats) if played.ask is not None else frozenset[str]()
        for audience in audiences(played.after):
            state = believed(played.after, audience)
            view = renderers.setdefault(audience, Renderer(RULES)).view(state, asked)
            if audience in views:
                known[audience] = merge_patch(known[audience], msgspec.to_builtins(diff(views[audience], view)))
            else:
                known[audience] = plain(view)
            views[audience] = view
            # What a fresh renderer shows, for instance to somebody who has just come.
            assert known[audience] == plain(Renderer(RULES).view(state, asked))


def test_a_unit_that_has_not_changed_is_not_rendered_again() -> None:
    state = RULES.open("crossroads-patrol", {})
    renderer = Renderer(RULES)
    one, other = renderer.view(state, frozenset()), renderer.view(state, frozenset({"blue"}))
    assert all(one.units[key] is other.units[key] for key in one.units)
    assert diff(one, other) == {"seats": {"blue": {"asked": True}}}


def test_a_unit_counts_as_activated_only_in_its_turn() -> None:
    state = RULES.open("crossroads-patrol", {})
    turned = msgspec.structs.replace(state, turn=msgspec.structs.replace(state.turn, number=1))
    acted = turned.with_unit(msgspec.structs.replace(turned.units["blue-1"], activated=1))
    later = msgspec.structs.replace(acted, turn=msgspec.structs.replace(acted.turn, number=2))
    renderer = Renderer(RULES)
    assert renderer.view(acted, frozenset()).units["blue-1"].activated
    assert not renderer.view(later, frozenset()).units["blue-1"].activated
