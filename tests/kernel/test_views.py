"""Views and their differences: a merge patch (RFC 7396) that gives the next view, byte for byte, over whole games."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from client_protocol.client.merge import merge_patch
from client_protocol.view import CardLine, View
from server.kernel.belief import SPECTATORS, Audience, believed
from server.kernel.bodies import riders
from server.kernel.differences import diff
from server.kernel.facts import TerrainChanged, UnitBoarded
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Hull
from server.kernel.state import Figure, State, Table, Turn, Unit
from server.kernel.views import DeskView, Renderer, table_view
from server.opponents.simulation import play
from server.rulesets.library import editions
from tests.support.position import position, squad
from tests.support.toy_rules import ToyRules

SCENARIOS = [(rules.info.id, scenario.id) for rules in editions().values() for scenario in rules.info.scenarios]


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


def test_a_difference_of_views_holds_only_changed_fields() -> None:
    one = Outer("a", Inner(1), {"p": Inner(1), "q": Inner(2)}, (1,))
    other = Outer("a", Inner(1, "new"), {"p": Inner(1), "r": Inner(3)}, (1,))
    assert diff(one, other) == {"inner": {"note": "new"}, "by_key": {"r": Inner(3), "q": None}}


def audiences(state: State) -> list[Audience]:
    return [*(side.seat for side in state.sides.values()), SPECTATORS]


@pytest.mark.parametrize("deployment", ["turns", "blind"])
@pytest.mark.parametrize(("edition", "scenario"), SCENARIOS)
def test_over_a_game_the_differences_give_every_audience_its_views(
    edition: str, scenario: str, deployment: str
) -> None:
    rules = editions()[edition]
    renderers: dict[Audience, Renderer] = {}
    views: dict[Audience, View] = {}
    known: dict[Audience, object] = {}
    for played in play(rules, rules.open(scenario, {"deployment": deployment}), 8):
        asked = DeskView(frozenset(played.ask.seats) if played.ask is not None else frozenset())
        for audience in audiences(played.after):
            state = believed(played.after, audience)
            view = renderers.setdefault(audience, Renderer(rules)).view(state, asked)
            if audience in views:
                known[audience] = merge_patch(known[audience], msgspec.to_builtins(diff(views[audience], view)))
            else:
                known[audience] = plain(view)
            views[audience] = view
            # What a fresh renderer shows, for instance to a spectator who has just entered.
            assert known[audience] == plain(Renderer(rules).view(state, asked))


def small() -> State:
    """A carrier and a squad."""
    carrier = Unit(
        "blue-1", "blue", "Carrier", 1, {}, {"1": Figure((5000, 5000), 1000, hull=Hull(5000, 2000))}, seats=8
    )
    return position(carrier, squad("blue-2", [(5000, 9000), (7000, 9000)]))


def test_a_unit_that_has_not_changed_is_not_rendered_again() -> None:
    state, renderer = small(), Renderer(ToyRules())
    one, other = renderer.view(state, DeskView()), renderer.view(state, DeskView(frozenset({"blue"})))
    assert all(one.units[key] is other.units[key] for key in one.units)
    assert diff(one, other) == {"seats": {"blue": {"asked": True}}}


def test_a_seat_is_rendered_again_when_it_is_asked_or_may_take_back_or_the_desk_is_another() -> None:
    state, renderer = small(), Renderer(ToyRules())
    one, same = renderer.view(state, DeskView()), renderer.view(state, DeskView())
    assert same.seats["blue"] is one.seats["blue"]
    assert renderer.view(state, DeskView(frozenset({"blue"}))).seats["blue"].asked
    back = renderer.view(state, DeskView(take_back={"blue": "free"})).seats["blue"]
    assert (back.asked, back.take_back) == (False, "free")
    taken = replace(state, desk=replace(state.desk, players={"blue": "A player"}))
    assert renderer.view(taken, DeskView()).seats["blue"].name == "A player"


def test_a_unit_counts_as_activated_only_in_its_turn() -> None:
    turned = replace(small(), turn=Turn(number=1))
    acted = turned.with_unit(replace(turned.units["blue-1"], activated=1))
    later = replace(acted, turn=Turn(number=2))
    renderer = Renderer(ToyRules())
    assert renderer.view(acted, DeskView()).units["blue-1"].activated
    assert not renderer.view(later, DeskView()).units["blue-1"].activated


class Counting(ToyRules):
    """Tells on a vehicle's card how many ride in it."""

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:
        return (CardLine("Riders", str(len(riders(state, unit.id)))),)


def test_a_vehicle_is_rendered_again_when_a_unit_boards_it() -> None:
    state, renderer = small(), Renderer(Counting())
    assert renderer.view(state, DeskView()).units["blue-1"].card["Riders"].value == "0"
    boarded = UnitBoarded("blue-2", "blue-1", "").fold(state)
    assert renderer.view(boarded, DeskView()).units["blue-1"].card["Riders"].value == "1"


class Noting(ToyRules):
    """Tells on each card what the match has noted, and counts the cards that it is asked for."""

    cards = 0

    def cards_tell_of(self, state: State, /) -> object:
        return state.book

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:  # noqa: ARG002 - a rule set's shape
        self.cards += 1
        return (CardLine("Noted", str(state.book.get("loud", "nothing"))),)


def test_cards_are_asked_for_again_when_what_all_of_them_tell_of_is_another() -> None:
    state, rules = small(), Noting()
    renderer = Renderer(rules)
    renderer.view(state, DeskView())
    renderer.view(replace(state, turn=Turn(number=2), book={}), DeskView())
    assert rules.cards == len(state.units), "the notes are equal"
    noted = renderer.view(replace(state, book={"loud": True}), DeskView())
    assert {unit.card["Noted"].value for unit in noted.units.values()} == {"True"}


class Posted(ToyRules):
    """Tells on each card what the match has noted of posts, and counts the cards that it is asked for."""

    cards = 0

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:
        self.cards += 1
        return (CardLine("Post", str(state.book.get(f"post-{unit.id}", "none"))),)


def test_a_card_is_asked_for_again_when_a_note_that_it_reads_is_another() -> None:
    state, rules = small(), Posted()
    renderer = Renderer(rules)
    renderer.view(state, DeskView())
    renderer.view(replace(state, book={"deck": 12}), DeskView())
    assert rules.cards == len(state.units), "no card tells of the deck"
    posted = renderer.view(replace(state, book={"deck": 12, "post-blue-2": "wall"}), DeskView())
    assert [posted.units[key].card["Post"].value for key in ("blue-1", "blue-2")] == ["none", "wall"]
    assert rules.cards == len(state.units) + 1


def test_flags_for_the_rules_alone_are_not_shown() -> None:
    house = Terrain("h", "House", "house", (), cover="hard", flags=("hard_going", "gun:big"), sight="solid")
    (seen,) = table_view(Table(48_000, 48_000, (house,)), {"none": "none", "hard": "hard cover"}).terrain
    assert seen.notes == ("hard cover", "hard going", "blocks sight")


def test_a_view_names_the_pieces_that_were_taken_away() -> None:
    wall, house = (Terrain(id_, id_.title(), id_, ()) for id_ in ("wall", "house"))
    state = replace(position(squad("blue-1", [(6, 6)])), table=Table(48_000, 48_000, (wall, house)))
    for fact in (TerrainChanged("wall", None, "r"), TerrainChanged("house", replace(house, name="Rubble"), "r")):
        state = fact.fold(state)
    view = Renderer(ToyRules()).view(state, DeskView())
    assert (view.gone, list(view.terrain)) == (("wall",), ["house"])
    cleared = Renderer(ToyRules()).view(TerrainChanged("house", None, "r").fold(state), DeskView())
    assert (cleared.gone, cleared.terrain) == (("wall", "house"), {})


class Asked(ToyRules):
    """Counts the cards that it is asked for."""

    cards = 0

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:  # noqa: ARG002 - a rule set's shape
        self.cards += 1
        return (CardLine("Figures", str(unit.strength)), CardLine("Squad", unit.name))


def test_a_card_is_asked_for_again_when_more_than_a_place_has_changed_and_keeps_its_other_lines() -> None:
    state, rules = small(), Asked()
    renderer = Renderer(rules)
    first = renderer.view(state, DeskView()).units["blue-2"]
    squad_ = state.units["blue-2"]
    one, *others = squad_.figures
    figures = {**squad_.figures, one: replace(squad_.figures[one], at=(1, 1))}
    moved = state.with_unit(replace(squad_, figures=figures))
    second = renderer.view(moved, DeskView()).units["blue-2"]
    assert (rules.cards, second.card) == (2, first.card)
    assert [second.figures[key] is first.figures[key] for key in squad_.figures] == [False, *([True] * len(others))]
    figures = {**figures, one: replace(figures[one], fallen=True)}
    fallen = renderer.view(moved.with_unit(replace(squad_, figures=figures)), DeskView()).units["blue-2"]
    assert rules.cards == 3
    assert fallen.card["Figures"].value == str(len(squad_.figures) - 1)
    assert fallen.card["Squad"] is first.card["Squad"]


class Marks(Struct, frozen=True):
    """A view of some entries."""

    entries: dict[str, int]


def test_what_was_removed_from_a_map_is_told_in_the_maps_order() -> None:
    before = Marks({f"entry-{number}": number for number in range(20)})
    patch = diff(before, Marks({"entry-7": 7}))
    assert list(patch["entries"]) == [f"entry-{number}" for number in range(20) if number != 7]
