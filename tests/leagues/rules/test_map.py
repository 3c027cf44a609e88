"""A campaign on a map: which maps can be played on, how forces march and meet, and how they fall back."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from client_protocol.leagues import Outcome
from client_protocol.maps import CampaignMap, MapArea
from server.leagues.rules.map import (
    FellBack,
    Fought,
    Meeting,
    enemies,
    engaged,
    fall_back,
    march,
    meetings,
    neighbours,
    problem,
    taken,
    worth,
)


def drawn(routes: str, homes: str, **worths: int) -> CampaignMap:
    """A map whose areas are letters: the routes `ab bc`, homes in their order, areas worth 1 unless it is said."""
    letters = sorted(set(routes) - {" "})
    areas = tuple(
        MapArea(one, one.upper(), 100 * at, 500, "duel", worths.get(one, 1)) for at, one in enumerate(letters)
    )
    return CampaignMap(areas, tuple((one[0], one[1]) for one in routes.split()), tuple(homes))


CHAIN = drawn("ab bc cd de", "ae", c=3)
STAR = drawn("xa xb xc xd", "abcd")
"""Four homes around one area."""


# --- the map ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (replace(CHAIN, areas=(*CHAIN.areas, CHAIN.areas[0])), "one id"),
        (replace(CHAIN, areas=(replace(CHAIN.areas[0], name="b"), *CHAIN.areas[1:])), "the name b"),
        (replace(CHAIN, areas=(replace(CHAIN.areas[0], scenario="no"), *CHAIN.areas[1:])), "scenario of A"),
        (replace(CHAIN, routes=(*CHAIN.routes, ("a", "z"))), "not there"),
        (replace(CHAIN, routes=(*CHAIN.routes, ("a", "a"))), "to itself"),
        (replace(CHAIN, routes=(*CHAIN.routes, ("b", "a"))), "the same areas"),
        (replace(CHAIN, routes=CHAIN.routes[:-1]), "no way on the map from A to E"),
        (replace(CHAIN, homes=("a", "z")), "A home"),
        (replace(CHAIN, homes=("a", "a")), "one home"),
    ],
)
def test_a_map_on_which_no_campaign_can_be_played_is_refused_in_a_sentence(wrong: CampaignMap, said: str) -> None:
    assert problem(CHAIN, ("duel",)) == ""
    assert said in problem(wrong, ("duel",))


def test_neighbours_are_those_worth_most_first() -> None:
    assert neighbours(CHAIN, "b") == ("c", "a")
    assert neighbours(STAR, "x") == ("a", "b", "c", "d")


# --- marching and meeting --------------------------------------------------------------------------------------------


def test_forces_march_at_once_and_those_without_an_order_stay() -> None:
    assert march(CHAIN, {"p": "a", "q": "e"}, {"p": "b"}) == {"p": "b", "q": "e"}
    assert march(CHAIN, {"p": "a", "q": "b"}, {"p": "b", "q": "c"}) == {"p": "b", "q": "c"}


def test_forces_that_would_swap_places_meet_in_the_area_worth_more() -> None:
    assert march(CHAIN, {"p": "b", "q": "c"}, {"p": "c", "q": "b"}) == {"p": "c", "q": "c"}
    assert march(CHAIN, {"p": "c", "q": "b"}, {"p": "b", "q": "c"}) == {"p": "c", "q": "c"}
    assert march(CHAIN, {"p": "b", "q": "a"}, {"p": "a", "q": "b"}) == {"p": "a", "q": "a"}, "both are worth as much"


def test_forces_that_go_round_in_a_ring_do_not_meet() -> None:
    ring = drawn("ab bc ca", "abc")
    at = {"p": "a", "q": "b", "r": "c"}
    after = march(ring, at, {"p": "b", "q": "c", "r": "a"})
    assert after == {"p": "b", "q": "c", "r": "a"}
    assert meetings(ring, at, after, (), {}) == ()


def test_a_force_that_stands_with_an_enemy_does_not_march() -> None:
    at = {"p": "b", "q": "b", "r": "e"}
    assert engaged(at) == {"p", "q"}
    assert march(CHAIN, at, {"p": "a", "r": "d"}) == {"p": "b", "q": "b", "r": "d"}


def test_of_three_forces_the_one_that_stood_there_fights_and_the_last_one_waits() -> None:
    at = {"p": "a", "q": "x", "r": "c"}
    after = dict.fromkeys(at, "x")
    assert meetings(STAR, at, after, (), {}) == (Meeting("x", (("q", "p"),), ("r",)),)
    assert meetings(STAR, at, after, (), {"p": 1}) == (Meeting("x", (("q", "r"),), ("p",)),), "fewer battles first"


def test_a_force_that_waited_fights_first_in_the_next_turn() -> None:
    before = {"p": "x", "q": "x", "r": "c"}
    after = dict.fromkeys(before, "x")
    assert meetings(STAR, before, after, ("q",), {"q": 9, "p": 2}) == (Meeting("x", (("q", "p"),), ("r",)),)


def test_of_four_forces_two_pairs_fight() -> None:
    at = {"p": "a", "q": "b", "r": "c", "s": "d"}
    assert meetings(STAR, at, dict.fromkeys(at, "x"), (), {}) == (Meeting("x", (("p", "q"), ("r", "s"))),)


def test_an_area_is_taken_by_a_force_that_stands_alone_there() -> None:
    assert taken({"p": "b", "q": "e"}, {"a": "p", "e": "q", "b": "q"}) == {"b": "p"}
    assert taken({"p": "b", "q": "b"}, {"a": "p"}) == {}, "no force stands alone"


def test_areas_give_their_holders_what_they_are_worth() -> None:
    assert worth(CHAIN, {"a": "p", "c": "q", "d": "q"}) == {"p": 1, "q": 4}


# --- falling back ----------------------------------------------------------------------------------------------------

HOMES = {"p": "a", "q": "e"}
OUTCOMES: tuple[Outcome, ...] = ("won", "won", "draw", "void")


def fell(at: dict[str, str], came: dict[str, str], held: dict[str, str], *fought: Fought) -> tuple[FellBack, ...]:
    return fall_back(CHAIN, at, came, held, HOMES, fought)


def won(winner: str, area: str = "c") -> Fought:
    return Fought(("p", "q"), area, "won", winner)


def test_a_loser_that_came_in_goes_back() -> None:
    at = {"p": "c", "q": "c"}
    assert fell(at, {"p": "b"}, {}, won("q")) == (FellBack("p", "c", "b", "back"),)


def test_a_loser_that_stood_there_retreats_to_its_own_area_or_else_to_a_free_one() -> None:
    at = {"p": "c", "q": "c"}
    assert fell(at, {"p": "b"}, {"d": "q", "b": "p"}, won("p")) == (FellBack("q", "c", "d", "retreat"),)
    assert fell(at, {"p": "b"}, {"d": "p"}, won("p")) == (FellBack("q", "c", "b", "retreat"),)


def test_a_loser_without_a_refuge_goes_home() -> None:
    at = {"p": "c", "q": "c"}
    assert fell(at, {"p": "b"}, {"d": "p", "b": "p"}, won("p")) == (FellBack("q", "c", "e", "home"),)
    at_home = {"p": "e", "q": "e"}
    assert fell(at_home, {"p": "d"}, {"d": "p"}, won("p", "e")) == (FellBack("q", "e", "e", "home"),)


def test_a_force_does_not_go_back_to_where_another_one_stands_now() -> None:
    at = {"p": "c", "q": "c", "r": "b"}
    homes = {**HOMES, "r": "b"}
    assert fall_back(CHAIN, at, {"p": "b"}, {"b": "p", "d": "p"}, homes, (won("q"),)) == (
        FellBack("p", "c", "d", "retreat"),
    )


@pytest.mark.parametrize("outcome", ["draw", "void"])
def test_after_a_draw_those_that_came_in_go_back(outcome: Outcome) -> None:
    battle = Fought(("p", "q"), "c", outcome)
    at = {"p": "c", "q": "c"}
    assert fell(at, {"p": "b"}, {}, battle) == (FellBack("p", "c", "b", "back"),)
    both = fell(at, {"p": "b", "q": "d"}, {}, battle)
    assert both == (FellBack("p", "c", "b", "back"), FellBack("q", "c", "d", "back"))
    assert fell(at, {}, {}, battle) == (), "neither came in"


def test_a_force_whose_enemy_has_left_the_league_stays() -> None:
    assert fell({"p": "c"}, {"p": "b"}, {}, Fought(("p", "q"), "c", "void")) == ()


def test_two_losers_do_not_retreat_to_one_area() -> None:
    ring = drawn("ax bx cx dx", "abcd")
    at = dict.fromkeys("pqrs", "x")
    fought = (Fought(("p", "q"), "x", "won", "p"), Fought(("r", "s"), "x", "won", "r"))
    homes = dict(zip("pqrs", "abcd", strict=True))
    held = {"a": "p", "c": "r"}
    fell = fall_back(ring, at, {}, held, homes, fought)
    assert [(one.player, one.to) for one in fell] == [("q", "b"), ("s", "d")]


# --- whole campaigns -------------------------------------------------------------------------------------------------


def map_at_random(chance: random.Random, players: int) -> CampaignMap:
    letters = "abcdefghijkl"[: chance.randint(max(2, players), 12)]
    routes = {(chance.choice(letters[:at]), letters[at]) for at in range(1, len(letters))}
    for _ in range(chance.randint(0, 6)):
        one, other = sorted(chance.sample(letters, 2))
        routes.add((one, other))
    homes = "".join(chance.sample(letters, players))
    return drawn(" ".join("".join(route) for route in sorted(routes)), homes, a=chance.randint(0, 5))


@pytest.mark.parametrize("many_sides", [0, 2, 3])
@pytest.mark.parametrize("seed", range(100))
def test_in_each_campaign_forces_stand_somewhere_and_those_that_meet_fight_or_wait(seed: int, many_sides: int) -> None:
    chance = random.Random(seed)
    players = "pqrstu"[: chance.randint(2, 6)]
    map_ = map_at_random(chance, len(players))
    assert problem(map_, ("duel",)) == ""
    homes = dict(zip(players, map_.homes, strict=True))
    sides = {one: 1 + number % many_sides for number, one in enumerate(players)} if many_sides else {}
    at, held = dict(homes), {area: player for player, area in homes.items()}
    came: dict[str, str] = {}
    waited: set[str] = set()
    areas = {one.id for one in map_.areas}
    for _ in range(15):
        orders = {one: chance.choice((*neighbours(map_, at[one]), at[one])) for one in players if chance.random() < 0.9}
        after = march(map_, at, orders, sides)
        assert after.keys() == at.keys()
        for one, area in after.items():
            assert area == at[one] or area in neighbours(map_, at[one])
        swapped = [
            (p, q) for p in players for q in players if enemies(p, q, sides) and after[p] == at[q] != at[p] == after[q]
        ]
        assert swapped == []
        met = meetings(map_, at, after, waited, {}, sides)
        there = [one for meeting in met for pair in meeting.pairs for one in pair]
        waits = [player for meeting in met for player in meeting.waits]
        assert sorted([*there, *waits]) == sorted(engaged(after, sides)), (
            "each force that meets an enemy fights or waits, once"
        )
        assert sides or not waited & set(waits), "no force waits twice in a row"
        assert all(after[p] == after[q] == one.area and enemies(p, q, sides) for one in met for p, q in one.pairs)
        for meeting in met:
            assert not any(enemies(p, q, sides) for p in meeting.waits for q in meeting.waits), "they could fight"
        held |= taken(after, held, sides)
        came = {one: at[one] if at[one] != after[one] else came.get(one, "") for one in players}
        came = {one: start for one, start in came.items() if start and one in engaged(after, sides)}
        fought = []
        for meeting in met:
            for pair in meeting.pairs:
                outcome = chance.choice(OUTCOMES)
                fought.append(Fought(pair, meeting.area, outcome, chance.choice(pair) if outcome == "won" else ""))
        fell = fall_back(map_, after, came, held, homes, fought, sides)
        losers = {one for battle in fought if battle.winner for one in battle.players if one != battle.winner}
        assert losers <= {one.player for one in fell}
        at = {**after, **{one.player: one.to for one in fell}}
        assert set(at.values()) <= areas
        held |= taken(at, held, sides)
        for area in areas:
            standing = [one for one in players if at[one] == area]
            if standing and not any(enemies(one, standing[0], sides) for one in standing[1:]):
                assert not enemies(held[area], standing[0], sides)
        waited = set(waits) & engaged(at, sides)
        came = {one: start for one, start in came.items() if one in engaged(at, sides) - {each.player for each in fell}}


# --- sides -----------------------------------------------------------------------------------------------------------


def test_those_of_one_side_pass_each_other_and_stand_together() -> None:
    allied = {"p": 1, "q": 1, "r": 2}
    assert march(CHAIN, {"p": "b", "q": "c"}, {"p": "c", "q": "b"}, allied) == {"p": "c", "q": "b"}
    assert engaged({"p": "b", "q": "b", "r": "c"}, allied) == frozenset()
    assert engaged({"p": "b", "q": "b", "r": "b"}, allied) == {"p", "q", "r"}


def test_each_force_fights_the_first_enemy_and_those_left_over_wait() -> None:
    at = dict(zip("pqrs", "abcd", strict=True))
    met = meetings(STAR, at, dict.fromkeys(at, "x"), (), {}, {"p": 1, "q": 1, "r": 2, "s": 1})
    assert met == (Meeting("x", (("p", "r"),), ("q", "s")),)


def test_an_area_that_the_side_holds_stays_with_its_holder() -> None:
    allied = {"p": 1, "q": 1}
    assert taken({"q": "b"}, {"b": "p"}, allied) == {}
    assert taken({"q": "b"}, {"b": "r"}, allied) == {"b": "q"}
    assert taken({"q": "b", "p": "b"}, {}, allied) == {"b": "q"}, "the first of them holds it"


def test_a_loser_goes_back_to_where_a_friend_stands() -> None:
    at = {"p": "c", "r": "c", "q": "b"}
    fought = [Fought(("p", "r"), "c", "won", "r")]
    (fell,) = fall_back(CHAIN, at, {"p": "b"}, {}, {"p": "a", "q": "a", "r": "e"}, fought, {"p": 1, "q": 1, "r": 2})
    assert (fell.to, fell.how) == ("b", "back")
