"""Many campaigns at random, and what holds in all of them."""

from __future__ import annotations

import random

import msgspec
import pytest

from client_protocol.campaigns import CampaignDice, CampaignPrompt
from client_protocol.forces import Force
from server.kernel.campaigns.facts import AnyFact, fold
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.campaigns.state import PostBattle
from tests.rulesets.fad5.campaigns import Decided
from tests.rulesets.forces import put_together
from tests.rulesets.fubar4.battlefield import fubar4
from tests.rulesets.fubar4.campaigns import at_random, campaign
from tests.rulesets.fubar4.test_forces import sentences

SEEDS = range(300)
BATTLES = 6
ORDER = ["green", "seasoned", "veteran", "elite"]
MOST_STEPS = 150


def built(chance: random.Random) -> Force:
    """Return a ready force, or one at random."""
    found = put_together(fubar4(), chance, {}) if chance.randrange(4) else None
    return found or chance.choice(fubar4().ready_forces)


def lawful(rules: CampaignRules, step: Decided, points: int) -> None:
    """Check what holds after every step."""
    before, after = step.before.roster, step.after.roster
    assert 0 <= after.points <= points
    assert len(after.units) == len(before.units), "no unit is new"
    for was, unit in zip(before.units, after.units, strict=True):
        assert unit.started == was.started
        assert 0 <= unit.strength <= unit.initial
        assert set(unit.missing) <= set(range(1, unit.initial + 1))
        assert len(set(unit.missing)) == len(unit.missing)
        assert set(unit.changes) <= {"level"}
        assert abs(ORDER.index(str(unit.fields["level"])) - ORDER.index(str(was.fields["level"]))) <= 1
        assert was.condition != "struck" or unit == was, "a unit that is struck off stays so"
        assert unit.vehicle or unit.condition in {"fit", "struck"}
    assert all(rules.sits_out(after.units[number]) == "" for number in rules.fielded(after))


def asked(rules: CampaignRules, state: PostBattle) -> None:
    """Check what is due: the odds of dice, and that offers and defaults are legal."""
    due = rules.due(state)
    if isinstance(due, CampaignDice):
        assert sum(odds.ways for odds in due.odds) == due.odds[0].of == 6
        assert len(due.odds) > 1 or due.kind == "replacements"
    elif isinstance(due, CampaignPrompt):
        assert len(due.offers) > 1
        assert due.default in [offer.answer for offer in due.offers]
        for offer in due.offers:
            fold(state, *rules.answered(state, offer.answer))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_campaign_at_random_keeps_the_laws(seed: int) -> None:
    chance = random.Random(f"fubar4 {seed}")
    keep = bool(chance.randrange(2))
    rules = campaign(bank_points=keep)
    state, steps = None, 0
    for step in at_random(rules, built(chance), chance, BATTLES):
        lawful(rules, step, 4 * BATTLES)
        asked(rules, step.after)
        state, steps = step.before, steps + 1
        for fact in step.facts:
            assert msgspec.json.decode(msgspec.json.encode(fact), type=AnyFact) == fact
            assert rules.told(state, fact).endswith(("", "."))  # type: ignore[arg-type]  # read back above
            state = fact.fold(state)
        assert state == step.after
        assert steps <= MOST_STEPS, "the steps end"
        if state.step == "rest":
            force = rules.force_of(state.roster)
            assert force is None or sentences(force) == []
            assert keep or state.roster.points == 0
            assert all(unit.strength or unit.condition == "struck" for unit in state.roster.units)
            assert msgspec.json.decode(msgspec.json.encode(state), type=PostBattle) == state
    assert state is not None
    assert state.step == "rest"
