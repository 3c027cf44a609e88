"""Forces of FAD 4 made into forces of FAD 5: what stays, what is changed or left out, and what is said of it."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Conversion, Entries, Entry, Force, ForceUnit
from server.kernel.files.forces import examine, filled
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.setup.conversion import tables
from server.rulesets.library import edition
from tests.rulesets.fad5.battlefield import fad5
from tests.rulesets.forces import put_together
from tests.support.battlefield import fad4

NOTHING = "Nothing in this force can be played in FAD 5."


def squad(*support: str, name: str = "Squad", **fields: Entry) -> ForceUnit:
    """Return a squad with these support weapons."""
    rows: tuple[Entries, ...] = tuple({"weapon": weapon} for weapon in support)
    return ForceUnit("infantry", name, dict(fields), {"support": rows})


def vehicle(*weapons: str, name: str = "Tank", **fields: Entry) -> ForceUnit:
    """Return a vehicle with these weapons."""
    return ForceUnit("vehicle", name, dict(fields), {"weapons": tuple({"weapon": weapon} for weapon in weapons)})


def converted(*units: ForceUnit) -> Conversion:
    """Return what a force of FAD 4 with these units becomes."""
    return fad5().convert_force(Force(FORCE_FORMAT, "fad4", "A test", units))


def units(made: Conversion) -> tuple[ForceUnit, ...]:
    """Return the units of a converted force, which the rules let pass, with every field."""
    assert made.force is not None, made.refusal
    assert examine(fad5(), made.force, {}).problems == ()
    form = fad5().force_form
    assert form is not None
    return filled(form, made.force).units


def test_what_both_editions_know_stays_as_it_is() -> None:
    own = squad(
        "plasma-rifle", figures=7, quality="elite", resolve="determined", small_arm="gauss-rifle", armour="heavy"
    )
    made = converted(own, ForceUnit("weapon_team", "Guns", {"weapon": "heavy-machine-gun", "crew": 3}))
    assert (made.changed, made.refusal) == ((), "")
    on_foot, guns = units(made)
    assert own.fields.items() <= on_foot.fields.items()
    assert on_foot.rows["support"] == ({"weapon": "plasma-rifle", "count": 1},)
    assert (guns.fields["weapon"], guns.fields["crew"]) == ("heavy-machine-gun", 3)
    assert made.force is not None
    assert (made.force.edition, made.force.name) == ("fad5", "A test")


@pytest.mark.rule("fad5/resolve.vehicles")
def test_vehicles_lose_their_resolve_and_that_is_said_once() -> None:
    made = converted(vehicle("machine-gun", name="One"), vehicle(name="Two", resolve="determined"), squad())
    assert [sentence for sentence in made.changed if "Resolve" in sentence] == [
        "One and Two: vehicles have no Resolve in FAD 5."
    ]
    assert all("resolve" not in unit.fields for unit in units(made)[:2])


@pytest.mark.rule("fad5/shoot.vehicle-weapons")
@pytest.mark.parametrize(
    ("weapons", "control", "told"),
    [
        ((), "primitive", False),
        (("medium-cannon",), "primitive", False),
        (("medium-cannon", "machine-gun"), "improved", True),
        (("light-cannon", "light-cannon"), "extensive", True),
        (("light-cannon", "light-cannon", "machine-gun"), "hyper-tech", True),
    ],
)
def test_a_vehicle_has_the_fire_control_with_which_all_its_weapons_fire(
    weapons: tuple[str, ...], control: str, told: bool
) -> None:
    made = converted(vehicle(*weapons))
    (tank,) = units(made)
    assert tank.fields["fire_control"] == control
    assert any("so that all its weapons fire" in sentence for sentence in made.changed) == told


def test_gear_that_the_edition_has_not_is_replaced_or_left_out() -> None:
    suits = squad("missile-rack", "combat-blade", name="Suits", armour="light-powered", linked=True, assault_suit=True)
    made = converted(squad(name="Mechs", armour="bio-mech", razorfield_grenades=True), suits)
    mechs, suited = units(made)
    assert mechs.fields["armour"] == "heavy"
    assert [row["weapon"] for row in suited.rows["support"]] == ["grenade-launcher"]
    assert made.changed[:4] == (
        "Mechs: Bio Mech suits is not played in FAD 5; it has Heavy armour instead.",
        "Mechs: Razorfield grenades is not played in FAD 5, and left out.",
        "Suits: Missile rack is not played in FAD 5; it has Grenade launcher instead.",
        "Suits: Linked weapons, Assault suit and Combat blade are not played in FAD 5, and left out.",
    )
    assert made.changed[4].startswith("The force counts ")


def test_weapon_traits_and_rounds_are_left_out_and_the_weapon_stays() -> None:
    rows: tuple[Entries, ...] = ({"weapon": "light-auto-cannon", "weapon_trait": "gatling", "munition": "swarm"},)
    made = converted(
        ForceUnit("vehicle", "Car", {}, {"weapons": rows}),
        squad(small_arm="stunner", arm_weapon_trait="terror", heavy_weapon="light-mortar"),
    )
    car, on_foot = units(made)
    assert car.rows["weapons"] == ({"weapon": "light-auto-cannon", "arc": "turret", "served_outside": False},)
    assert on_foot.fields["small_arm"] == "stunner"
    assert made.changed[:5] == (
        "Car: Gatling and Swarm are not played in FAD 5, and left out.",
        "Squad keeps Stunners, but without “Stuns”, which is not played in FAD 5.",
        "Squad: Terror is not played in FAD 5, and left out.",
        "Car: vehicles have no Resolve in FAD 5.",
        "Squad: only crews of their own serve heavy weapons in FAD 5.",
    )


def test_a_unit_whose_weapon_or_mobility_has_no_match_is_left_out() -> None:
    made = converted(
        ForceUnit("weapon_team", "Webs", {"weapon": "light-web-cannon"}),
        vehicle("heavy-cannon", name="Battery", mobility="emplaced"),
        squad(),
    )
    assert [unit.name for unit in units(made)] == ["Squad"]
    assert made.changed[:2] == (
        "Webs: Light web cannon is not played in FAD 5, so the unit is left out.",
        "Battery: Emplaced is not played in FAD 5, so the unit is left out.",
    )


@pytest.mark.rule("fad5/unit.platoon-company")
def test_a_commander_with_the_first_led_squad_stands_for_an_officer() -> None:
    officers = [ForceUnit("officer", name, {}, {}) for name in ("Lieutenant", "Ensign")]
    made = converted(squad(name="Alone", leader=False), *officers, squad(name="First"), squad(name="Second"))
    assert [(unit.name, unit.fields["commander"]) for unit in units(made)] == [
        ("Alone", False),
        ("First", True),
        ("Second", False),
    ]
    assert made.changed[:2] == (
        "Lieutenant: Officer is no kind of unit in FAD 5; a commander is with First instead.",
        "Ensign: Officer is no kind of unit in FAD 5; it is left out.",
    )


@pytest.mark.parametrize(
    ("force", "sentence"),
    [
        (
            Force(FORCE_FORMAT, "fad4", "Webs", (ForceUnit("weapon_team", "Webs", {"weapon": "light-web-cannon"}),)),
            f"{NOTHING} Webs: Light web cannon is not played in FAD 5, so the unit is left out.",
        ),
        (
            Force(FORCE_FORMAT, "fad4", "Odd", (ForceUnit("dragon", "Smaug"),)),
            f"{NOTHING} Smaug: FAD 4 has no units of the kind 'dragon'; it is left out.",
        ),
        (
            Force(FORCE_FORMAT, "fad4", "Empty", ()),
            f"{NOTHING} It has no units.",
        ),
        (Force(FORCE_FORMAT, "fad5", "Own", ()), "This is a force for FAD 5 already."),
        (
            Force(FORCE_FORMAT, "fubar4", "Other", ()),
            "Forces for FAD 5 can be made of those for FAD 4; this one is for 'fubar4'.",
        ),
    ],
)
def test_a_force_of_which_nothing_can_be_converted_is_refused_with_a_reason(force: Force, sentence: str) -> None:
    assert fad5().convert_force(force) == Conversion(None, refusal=sentence)


def test_what_no_form_knows_is_left_out_and_told() -> None:
    made = converted(squad(hats=3, small_arm="pistol"))
    (unit,) = units(made)
    assert "hats" not in unit.fields
    assert made.changed == ("Squad: pistol and the field 'hats' are not played in FAD 5, and left out.",)


def test_every_ready_force_of_fad_4_can_be_brought_once_it_is_converted() -> None:
    for ready in fad4().ready_forces:
        assert units(fad5().convert_force(ready)), ready.name


def test_random_forces_convert_to_what_the_rules_let_pass() -> None:
    rules = fad4()
    for seed in range(60):
        force = put_together(rules, random.Random(seed), {})
        assert force is not None
        made = fad5().convert_force(force)
        if made.force is None:
            assert made.refusal.startswith(NOTHING)
            continue
        assert units(made)
        # What is converted needs no second conversion, and each change names its unit.
        assert fad5().convert_force(made.force).force is None
        names = tuple(unit.name for unit in force.units)
        assert all(sentence.startswith((*names, "The force counts ")) for sentence in made.changed)


def test_an_edition_says_whose_forces_it_takes_over() -> None:
    assert fad5().converts == ("fad4",)
    assert fad4().converts == ()
    assert edition("fubar4").converts == ()
    force = fad5().ready_forces[0]
    assert fad4().convert_force(force).refusal == (
        "Forces for FAD 4 can be made of those for no other rules; this one is for 'fad5'."
    )
    assert "fubar4" not in fad4().converts
    assert edition("fubar4").convert_force(force).force is None


def test_the_table_of_conversions_names_what_there_is() -> None:
    for table in tables():
        of, to = edition(table.of), edition(table.to)
        assert isinstance(of, FadRuleset)
        assert isinstance(to, FadRuleset)
        for field, values in table.values.items():
            rows = ("armours",) if field == "armour" else ("support_weapons", "heavy_weapons", "small_arms")
            for was, becomes in values.items():
                assert any(was in getattr(of.book, one) for one in rows), was
                assert not any(was in getattr(to.book, one) for one in rows), was
                assert any(becomes in getattr(to.book, one) for one in rows), becomes


def test_a_conversion_never_changes_the_force_itself() -> None:
    force = Force(FORCE_FORMAT, "fad4", "A test", (vehicle("machine-gun"),))
    before = replace(force)
    fad5().convert_force(force)
    assert force == before
