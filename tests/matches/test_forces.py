"""Forces that seats bring: checked, brought together with the seat, logged once, and played."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from client_protocol.from_client import CheckForce, ConvertForce, MakeMatch, TakeSeat
from client_protocol.from_server import ForceChecked, ForceConverted, Refused, SeatTaken, Update
from server.kernel.belief import SPECTATORS
from server.kernel.desk_facts import ForceBrought
from server.matches.log.audiences import audience_of
from server.matches.log.entries import Aside, decode
from server.matches.play import seats
from server.matches.room import Room
from server.matches.rooms import Rooms
from server.store.errors import StoreUnavailable
from server.store.store import MatchStore
from tests.support.playing import Listener
from tests.support.room import DUEL, THREE_WAY, Table, entries_of, eventually, made, ready, rooms_on
from tests.support.toy_rules import force

RED = replace(DUEL, mine=("red",))
LIGHT = force("Light", "rifle")
GUNS = force("Guns", "gun", "rifle")
HEAVY = force("Heavy", "gun", "gun", "gun")
LONG_ID = "a-random-id-of-sixteen-or-more"


async def brought_in(store: MatchStore, match: str) -> list[ForceBrought]:
    """Return every force in a match's log."""
    bodies = [decode(1, entry).body for entry in await entries_of(store, match)]
    return [f for b in bodies if isinstance(b, Aside) for f in b.facts if isinstance(f, ForceBrought)]


async def room_of(rooms: Rooms, match: str) -> Room:
    room = await rooms.get(match)
    assert room is not None
    return room


async def take(rooms: Rooms, match: str, brought: Force | None, id_: str = "t", seat: str = "blue") -> SeatTaken:
    taken = await rooms.take_seat(TakeSeat(id_, match, seat, "Bob", "", brought))
    assert isinstance(taken, SeatTaken), taken
    return taken


async def test_a_brought_force_is_shown_and_then_played(rooms: Rooms, store: MatchStore) -> None:
    match = (await made(rooms, replace(RED, forces={"red": GUNS}))).match
    room = await room_of(rooms, match)
    spectator = Listener()
    room.enter(SPECTATORS, -1, spectator.connection)
    await take(rooms, match, LIGHT)
    last = spectator.messages[-1]
    assert isinstance(last, Update)
    assert [story.text for story in last.story] == ["Bob plays Blue.", "Bob brings a force of their own: Light."]
    view = room.teller.snapshot(SPECTATORS).view
    assert {key: (seat.force, seat.brings) for key, seat in view.seats.items()} == {
        "red": ("Guns", ("Guns squad",)),
        "blue": ("Light", ("Light squad",)),
    }
    await ready(room)
    table = Table(room)
    await eventually(lambda: bool(table.asked))
    view = room.teller.snapshot(SPECTATORS).view
    assert [(unit.name, len(unit.figures)) for unit in view.units.values()] == [("Guns squad", 2), ("Light squad", 1)]
    assert view.units["red-1"].figures["1"].role == "gun"
    await table.play_out()
    assert room.summary().state == "over"
    assert await brought_in(store, match) == [ForceBrought("blue", LIGHT)]


async def test_a_seat_without_a_force_plays_the_scenarios(rooms: Rooms) -> None:
    match = (await made(rooms, RED)).match
    await take(rooms, match, None)
    room = await room_of(rooms, match)
    assert {seat.force for seat in room.teller.snapshot(SPECTATORS).view.seats.values()} == {""}


REFUSED: list[tuple[Force, str]] = [
    (HEAVY, "Heavy squad: It weighs 6; a squad weighs 4 at most."),
    (replace(LIGHT, edition="other"), "It is a force for the edition 'other'; Toy takes those for 'toy'."),
    (replace(LIGHT, format="underfire force 9"), "Its format is 'underfire force 9'"),
    (replace(LIGHT, units=()), "A force is one squad."),
    (replace(LIGHT, name="\u200b"), "a name in it is empty"),
    (replace(LIGHT, units=(replace(LIGHT.units[0], name="\u202e"),)), "a name in it is empty"),
    (replace(LIGHT, units=(ForceUnit("tank", "Tank"),)), "Tank: There is no kind of unit 'tank'; there are squad."),
    (replace(LIGHT, units=(ForceUnit("squad", "S", {"gear": "gun"}),)), "S: Squad has no field 'gear'"),
    (replace(LIGHT, units=(ForceUnit("squad", "S", {"keen": 1}),)), "S: Keen cannot be 1; it is true or false."),
    (
        replace(LIGHT, units=(ForceUnit("squad", "S", {"drill": 9}),)),
        "S: Drill cannot be 9; it is a number from 0 to 3.",
    ),
    (replace(LIGHT, units=(ForceUnit("squad", "S"),)), "S, Figures: 1 to 3 rows are allowed, not 0."),
    (force("S", "rifle", "bow"), 'S squad, Figures row 2: Gear cannot be "bow"; it is one of "rifle", "gun".'),
    (replace(LIGHT, units=(ForceUnit("squad", "S", rows={"tanks": ({},)}),)), "S, tanks: Squad has no list 'tanks'."),
]


@pytest.mark.parametrize(("bad", "reason"), REFUSED, ids=range(len(REFUSED)))
async def test_a_force_that_the_rules_refuse_gets_no_seat_and_makes_no_match(
    rooms: Rooms, store: MatchStore, bad: Force, reason: str
) -> None:
    match = (await made(rooms, RED)).match
    length = await store.length(match)
    for refused in (
        await rooms.take_seat(TakeSeat(LONG_ID, match, "blue", "Bob", "", bad)),
        await rooms.make(replace(RED, forces={"red": bad})),
    ):
        assert isinstance(refused, Refused)
        assert refused.code == "force"
        assert reason in refused.sentence
    assert await store.length(match) == length
    assert len(await rooms.listing()) == 1
    # The seat is still free, and the same message with another force takes it.
    await take(rooms, match, LIGHT, LONG_ID)


async def test_a_long_list_of_reasons_against_a_force_is_cut_short(rooms: Rooms) -> None:
    bad = replace(LIGHT, units=tuple(replace(HEAVY.units[0], name=f"S{n}") for n in range(9)))
    refused = await rooms.make(replace(RED, forces={"red": bad}))
    assert isinstance(refused, Refused)
    assert refused.sentence.endswith("S2: It weighs 6; a squad weighs 4 at most. And 7 more.")
    assert refused.rule == "toy/weight"


async def test_a_maker_brings_forces_only_to_the_seats_taken_with_the_match(rooms: Rooms) -> None:
    for forces in ({"blue": LIGHT}, {"green": LIGHT}):
        refused = await rooms.make(replace(RED, forces=forces))
        assert isinstance(refused, Refused)
        assert refused.code == "force"


async def test_a_seat_taken_again_after_a_lost_reply_brings_its_force_once(rooms: Rooms, store: MatchStore) -> None:
    match = (await made(rooms, RED)).match
    first = await take(rooms, match, LIGHT, LONG_ID)
    # The same message again, and one with another force: the first force stands.
    assert await take(rooms, match, LIGHT, LONG_ID) == first
    assert await take(rooms, match, GUNS, LONG_ID) == first
    assert await take(rooms, match, HEAVY, LONG_ID) == first
    late = await rooms.take_seat(TakeSeat("another-random-id-of-sixteen", match, "blue", "Eve", "", GUNS))
    assert isinstance(late, Refused)
    assert late.code == "seat_taken"
    assert [fact.force for fact in await brought_in(store, match)] == [LIGHT]


async def test_a_crash_between_claiming_and_sitting_down_loses_no_force(
    rooms: Rooms, store: MatchStore, valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = (await made(rooms, RED)).match

    async def away(*_: object, **__: object) -> None:
        raise StoreUnavailable("away")

    with monkeypatch.context() as patch:
        patch.setattr(store, "append", away)
        lost = await rooms.take_seat(TakeSeat(LONG_ID, match, "blue", "Bob", "", LIGHT))
        assert isinstance(lost, Refused)
        assert lost.code == "database_away"
    async with MatchStore(valkey_url) as again, rooms_on(again) as fresh:
        room = await fresh.get(match)
        assert room is not None
        await eventually(lambda: room.teller.snapshot(SPECTATORS).view.seats["blue"].force == "Light")
        assert room.teller.snapshot(SPECTATORS).view.seats["blue"].name == "Bob"
        # A client that lost its connection sends it again, to the other server, and it is still the one force.
        await take(fresh, match, LIGHT, LONG_ID)
    assert [fact.force for fact in await brought_in(store, match)] == [LIGHT]


async def test_names_in_a_force_are_cleaned(rooms: Rooms) -> None:
    match = (await made(rooms, RED)).match
    tricky = replace(LIGHT, name=" L\u202eight\n", units=(replace(LIGHT.units[0], name="S\u200bquad\x07"),))
    await take(rooms, match, tricky)
    seat = (await room_of(rooms, match)).teller.snapshot(SPECTATORS).view.seats["blue"]
    assert (seat.force, seat.brings) == ("Light", ("Squad",))


async def test_hidden_forces_are_for_their_own_seats_until_they_are_on_the_roster(rooms: Rooms) -> None:
    match = (await made(rooms, replace(RED, options={"hidden_forces": True}, forces={"red": GUNS}))).match
    await take(rooms, match, LIGHT)
    room = await room_of(rooms, match)
    seen = {a: room.teller.snapshot(audience_of(a)).view.seats for a in ("red", "blue", "")}
    forces = {audience: (seats["red"].force, seats["blue"].force) for audience, seats in seen.items()}
    assert forces == {"red": ("Guns", ""), "blue": ("", "Light"), "": ("", "")}
    await ready(room)
    table = Table(room)
    await eventually(lambda: bool(table.asked))
    assert [unit.name for unit in room.teller.snapshot(SPECTATORS).view.units.values()] == [
        "Guns squad",
        "Light squad",
    ]


async def test_three_seats_bring_three_forces(rooms: Rooms) -> None:
    match = (await made(rooms, replace(THREE_WAY, mine=("red",)))).match
    await take(rooms, match, LIGHT)
    await take(rooms, match, GUNS, seat="green")
    room = await room_of(rooms, match)
    assert [seat.force for seat in room.teller.snapshot(SPECTATORS).view.seats.values()] == ["", "Light", "Guns"]


async def test_a_force_is_checked_under_the_given_options(rooms: Rooms) -> None:
    checked = rooms.check_force(CheckForce("c", HEAVY, {"hidden_forces": True}))
    assert isinstance(checked, ForceChecked)
    assert checked.report.total == 6
    assert checked.report.units[0].total.value == 6
    (problem,) = checked.report.problems
    assert (problem.unit, problem.rule) == (0, "toy/weight")
    fine = rooms.check_force(CheckForce("c", LIGHT))
    assert isinstance(fine, ForceChecked)
    assert fine.report.problems == ()


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (CheckForce("c", replace(LIGHT, edition="nowhere")), "there is no edition 'nowhere' here"),
        (CheckForce("c", LIGHT, {"weather": True}), "Toy has no option 'weather'"),
        (CheckForce("c", LIGHT, {"hidden_forces": 1}), "the option 'hidden_forces' cannot be 1"),
    ],
)
async def test_a_force_that_cannot_be_checked_is_refused(rooms: Rooms, message: CheckForce, reason: str) -> None:
    refused = rooms.check_force(message)
    assert isinstance(refused, Refused)
    assert (refused.code, reason in refused.sentence) == ("force", True)


async def test_a_force_is_converted_by_the_rules_of_the_wanted_edition(rooms: Rooms) -> None:
    done = rooms.convert_force(ConvertForce("c", replace(LIGHT, edition="old-toy", name="  Light  "), "toy"))
    assert isinstance(done, ForceConverted)
    assert (done.conversion.force, done.conversion.changed) == (LIGHT, ("It is new now.",))
    refused = rooms.convert_force(ConvertForce("c", LIGHT, "toy"))
    assert isinstance(refused, ForceConverted)
    assert (refused.conversion.force, "old toy" in refused.conversion.refusal) == (None, True)
    nowhere = rooms.convert_force(ConvertForce("c", LIGHT, "nowhere"))
    assert isinstance(nowhere, Refused)
    assert "there is no edition 'nowhere' here" in nowhere.sentence


async def test_forces_of_an_edition_without_forces_are_refused(rooms: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.toy_rules.ToyRules.force_form", None)
    refused = await rooms.make(MakeMatch("m", "toy", "duel", "Ada", ("red",), forces={"red": LIGHT}))
    assert isinstance(refused, Refused)
    assert "players cannot bring their own" in refused.sentence


def test_a_brought_force_is_hidden_only_if_the_option_is_on() -> None:
    assert not seats.brought(LIGHT, {}).hidden
    assert not seats.brought(LIGHT, {"hidden_forces": "yes"}).hidden
    assert seats.brought(LIGHT, {"hidden_forces": True}).hidden


def test_the_documented_force_format_is_the_implemented_one() -> None:
    assert LIGHT.format == FORCE_FORMAT
