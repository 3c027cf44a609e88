"""Campaign points and what they buy (fad5/campaign.experience, fad5/campaign.buy.*)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.campaigns import Buy, GoOn
from client_protocol.forces import FORCE_FORMAT, Force, ForceReport, ForceUnit, FormChoice, FormField
from server.kernel.campaigns.facts import (
    DiceBought,
    FieldChanged,
    PointsGained,
    PointsSpent,
    UnitRestored,
)
from server.rulesets.fad.campaign import roster, terms
from server.rulesets.fad.campaign.terms import Terms
from tests.rulesets.fad5.campaigns import Campaign, Hurt, begun, lone, of, rifles, tank
from tests.rulesets.fad5.test_forces import force
from tests.support.battlefield import fad4


@pytest.mark.rule("fad5/campaign.experience")
def test_each_platoon_gains_two_points_and_a_force_without_platoons_counts_as_one() -> None:
    assert begun(rifles()).battle().rolls(1, 1).state.roster.points == 2
    names = ("First platoon", "Second platoon")
    two = [rifles(name=name, platoon=name) for name in names]
    campaign = begun(*two, tank()).battle().rolls(1, 1)
    assert of(campaign, PointsGained) == [PointsGained(rule="campaign.experience", points=4)]


@pytest.mark.rule("fad5/campaign.experience")
def test_points_are_kept_unless_the_league_settles_that_they_are_lost() -> None:
    assert begun(rifles()).battle().until("rest").battle().until("rest").state.roster.points == 4
    assert begun(rifles(), bank_points=False).battle().until("rest").state.roster.points == 0


@pytest.mark.rule("fad5/campaign.experience")
def test_a_unit_has_the_same_improvement_once_after_a_battle() -> None:
    campaign = begun(rifles(quality="rabble"), rifles(name="Other", quality="rabble")).battle().until("spend")
    campaign.answers(Buy("quality", 0))
    assert campaign.refuses(Buy("quality", 0)) == "Squad has had such an improvement after this battle."
    campaign.answers(Buy("quality", 1))
    assert campaign.state.step == "rest", "no points are left"
    campaign.battle().until("spend").answers(Buy("quality", 0))
    assert roster.quality(campaign.unit("Squad")) == "regular"


@pytest.mark.rule("fad5/campaign.experience")
def test_what_costs_more_than_there_is_is_refused() -> None:
    campaign = begun(rifles(quality="rabble")).battle().until("spend").answers(Buy("resolve", 0))
    why = "It costs 2 campaign points; the force has 1."
    assert campaign.refuses(Buy("trait", 0, "recon")) == why
    assert campaign.refuses(Buy("quality", 7)) == "There is no such unit on the roster."
    assert campaign.refuses(Buy("medals", 0)) == "Campaign points do not buy 'medals'."


def spending(*units: ForceUnit, hurt: Hurt | None = None, points: int = 9, **settings: object) -> Campaign:
    """Return a campaign after a battle, when points are spent: so many of them."""
    campaign = begun(*units, **settings).battle(hurt or {}).until("spend")
    campaign.state = campaign.state.with_points(points - campaign.state.roster.points)
    campaign.facts = []
    return campaign


def paid(what: str, points: int = 1, unit: int = 0) -> PointsSpent:
    """Return the fact that points are spent."""
    rule = f"campaign.buy.{what.replace('_', '-')}"
    return PointsSpent(rule=rule, what=what, points=points, key=f"{what}:{unit}", unit=unit)


@pytest.mark.rule("fad5/campaign.buy.quality")
def test_a_point_buys_quality_up_to_regular_and_for_crews_too() -> None:
    campaign = spending(rifles(quality="conscript"), tank(quality="conscript"), rifles(name="Elite", quality="elite"))
    campaign.answers(Buy("quality", 0))
    rule = "campaign.buy.quality"
    assert campaign.facts == [paid("quality"), FieldChanged(rule=rule, unit=0, key="quality", value="regular")]
    assert roster.quality(campaign.answers(Buy("quality", 1)).unit("Tank")) == "regular"
    campaign.answers(GoOn()).battle().until("spend")
    why = "Squad is Regular; no better Quality than Regular can be bought."
    assert campaign.refuses(Buy("quality", 0)) == why
    assert campaign.refuses(Buy("quality", 2)) == "Elite is Elite; no better Quality than Regular can be bought."


@pytest.mark.rule("fad5/campaign.buy.resolve")
def test_a_point_buys_resolve_for_those_who_have_some() -> None:
    campaign = spending(rifles(), tank(), rifles(name="Best", resolve="determined"))
    campaign.answers(Buy("resolve", 0))
    rule = "campaign.buy.resolve"
    assert campaign.facts == [paid("resolve"), FieldChanged(rule=rule, unit=0, key="resolve", value="determined")]
    assert campaign.refuses(Buy("resolve", 1)) == "Tank has no Resolve."
    assert campaign.refuses(Buy("resolve", 2)) == "Best is Determined already: there is no better Resolve."
    campaign.state = campaign.state.with_unit(2, campaign.unit("Best").with_field("fanatic", value=True))
    assert campaign.refuses(Buy("resolve", 2)) == "The Resolve of Best never changes."


@pytest.mark.rule("fad5/campaign.buy.reinforcement-die")
def test_a_point_buys_another_die_before_the_troopers_are_shared_out() -> None:
    campaign = begun(rifles()).battle({"Squad": 8}).rolls(1, 3, 1, 2)
    assert campaign.offered == [GoOn(), Buy("reinforcement_die")]
    campaign.answers(Buy("reinforcement_die"))
    rule = "campaign.buy.reinforcement-die"
    assert campaign.facts[-2:] == [
        PointsSpent(rule=rule, what="reinforcement_die", points=1),
        DiceBought(rule=rule),
    ]
    campaign.rolls(4)
    assert campaign.state.troopers == 7
    assert campaign.refuses(Buy("quality", 0)).startswith("The other improvements are bought when")
    campaign.answers(Buy("reinforcement_die")).rolls(1)
    assert (campaign.state.step, campaign.state.roster.points) == ("squad", 0)
    late = spending(rifles())
    assert late.refuses(Buy("reinforcement_die")) == (
        "Reinforcement dice are bought before the reinforcements are shared out."
    )


@pytest.mark.rule("fad5/campaign.buy.return-lone-figure")
def test_a_point_brings_a_lone_figure_back() -> None:
    campaign = spending(rifles(), lone(), hurt={"Sniper": 1})
    assert campaign.refuses(Buy("return_lone_figure", 0)) == "Squad is no lone figure that has fallen."
    assert campaign.refuses(Buy("quality", 1)) == "Sniper is Regular; no better Quality than Regular can be bought."
    assert campaign.refuses(Buy("resolve", 1)) == "Sniper is not in service."
    campaign.answers(Buy("return_lone_figure", 1))
    rule = "campaign.buy.return-lone-figure"
    assert campaign.facts == [paid("return_lone_figure", unit=1), UnitRestored(rule=rule, unit=1)]
    campaign.answers(GoOn())
    assert roster.fielded(campaign.own, campaign.state.roster) == (0, 1)


@pytest.mark.rule("fad5/campaign.buy.repair-vehicle")
def test_a_point_repairs_a_damaged_vehicle() -> None:
    campaign = spending(rifles(), tank(), tank("Other"), hurt={"Tank": "damaged", "Other": "lost"})
    assert campaign.refuses(Buy("repair_vehicle", 2)) == "Other is no damaged vehicle."
    campaign.answers(Buy("repair_vehicle", 1))
    rule = "campaign.buy.repair-vehicle"
    assert campaign.facts == [paid("repair_vehicle", unit=1), UnitRestored(rule=rule, unit=1)]
    assert campaign.unit("Tank").condition == "fit"


@pytest.mark.rule("fad5/campaign.buy.replace-vehicle")
def test_two_points_replace_a_destroyed_vehicle_with_the_quality_that_it_started_with() -> None:
    campaign = spending(rifles(), tank(), hurt={"Tank": "lost"})
    campaign.state = campaign.state.with_unit(1, campaign.unit("Tank").with_field("quality", "rabble"))
    assert campaign.refuses(Buy("replace_vehicle", 0)) == "Squad is no destroyed vehicle."
    campaign.answers(Buy("replace_vehicle", 1))
    rule = "campaign.buy.replace-vehicle"
    assert campaign.facts == [
        paid("replace_vehicle", 2, 1),
        UnitRestored(rule=rule, unit=1, fields=("quality",)),
    ]
    assert (campaign.unit("Tank").condition, roster.quality(campaign.unit("Tank"))) == ("fit", "regular")


@pytest.mark.rule("fad5/campaign.buy.trait")
def test_two_points_buy_a_trait_that_such_a_unit_can_have() -> None:
    campaign = spending(rifles(recon=True), tank())
    assert [answer for answer in campaign.offered if isinstance(answer, Buy) and answer.what == "trait"] == [
        Buy("trait", 0, trait) for trait in ("assault_troops", "shock_troops", "weak")
    ]
    assert campaign.refuses(Buy("trait", 0, "recon")) == "Squad cannot buy the trait 'recon'."
    assert campaign.refuses(Buy("trait", 1, "recon")) == "Tank cannot buy the trait 'recon'."
    assert campaign.refuses(Buy("trait", 0, "commander")) == "Squad cannot buy the trait 'commander'."
    campaign.answers(Buy("trait", 0, "shock_troops"))
    rule = "campaign.buy.trait"
    assert campaign.facts == [
        paid("trait", 2),
        FieldChanged(rule=rule, unit=0, key="shock_troops", value=True),
    ]
    assert campaign.now("Squad").fields["shock_troops"] is True
    assert campaign.refuses(Buy("trait", 0, "weak")) == "Squad has had such an improvement after this battle."


@pytest.mark.rule("fad5/campaign.buy.trait")
def test_a_league_may_settle_that_only_training_gives_traits_and_single_figures_have_some_of_their_own() -> None:
    campaign = spending(rifles(), lone(), traits="trained")
    assert Buy("trait", 0, "shock_troops") in campaign.offered
    assert Buy("trait", 0, "weak") not in campaign.offered
    own = campaign.own
    table = replace(own.table, single=("recon",))
    campaign.own = replace(own, book=replace(own.book, tables=replace(own.book.tables, campaign=table)))
    assert Buy("trait", 0, "recon") not in campaign.offered
    assert Buy("trait", 1, "recon") in campaign.offered


def with_field(own: Terms, field: FormField) -> Terms:
    """Return terms in which squads have one more field."""
    (squads, *others) = own.form.kinds
    kinds = (replace(squads, fields=(*squads.fields, field)), *others)

    def judged(built: Force) -> ForceReport:
        plain = [replace(unit, fields={k: v for k, v in unit.fields.items() if k != field.key}) for unit in built.units]
        return own.examine(replace(built, units=tuple(plain)))

    return replace(own, form=replace(own.form, kinds=kinds), examine=judged)


@pytest.mark.rule("fad5/campaign.buy.personality")
def test_a_point_buys_a_personality_where_units_can_have_one() -> None:
    campaign = spending(rifles())
    assert not [answer for answer in campaign.offered if isinstance(answer, Buy) and answer.what == "personality"]
    assert campaign.refuses(Buy("personality", 0, "medic")) == "Squad can have no personality in this edition."
    choices = tuple(FormChoice(key, key.title()) for key in ("none", "medic", "lucky"))
    own = with_field(campaign.own, FormField("personality", "Personality", "none", choices))
    campaign = Campaign(own, force(rifles())).battle().until("spend")
    assert [offer.label for offer in campaign.prompt.offers if "personality" in offer.label] == [
        "Squad: a personality, medic",
        "Squad: a personality, lucky",
    ]
    assert campaign.refuses(Buy("personality", 0, "none")) == "Squad cannot have the personality 'none'."
    campaign.answers(Buy("personality", 0, "medic"))
    assert campaign.facts[-2:] == [
        paid("personality"),
        FieldChanged(rule="campaign.buy.personality", unit=0, key="personality", value="medic"),
    ]
    assert campaign.now("Squad").fields["personality"] == "medic"


@pytest.mark.rule("fad5/campaign.buy.leadership")
def test_a_point_buys_leadership_for_leaders_who_have_some() -> None:
    campaign = spending(rifles())
    assert campaign.refuses(Buy("leadership", 0)) == "Squad is no leader with a Leadership."
    other = fad4()
    officer = ForceUnit("officer", "Officer", {"leadership": "inspiring"})
    built = Force(FORCE_FORMAT, "fad4", "Led", (rifles(), officer))
    led = Campaign(terms.terms(other), built).battle().until("spend")
    led.answers(Buy("leadership", 1))
    assert led.now("Officer").fields["leadership"] == "heroic"
    assert of(led, FieldChanged) == [FieldChanged(unit=1, key="leadership", value="heroic")], "FAD 4 has no such rule"
    led.until("rest").battle().until("spend")
    assert led.refuses(Buy("leadership", 1)) == "Officer is Heroic already: there is no better Leadership."
