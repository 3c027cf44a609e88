"""Many campaigns at random, in both editions of the family, and what holds in all of them."""

from __future__ import annotations

import random

import msgspec
import pytest

from client_protocol.campaigns import CampaignDice, CampaignPrompt
from client_protocol.forces import Force
from server.kernel.campaigns.facts import AnyFact
from server.kernel.campaigns.state import PostBattle
from server.rulesets.fad.campaign import roster, steps, terms
from server.rulesets.fad.campaign.terms import Settings, Terms
from server.rulesets.fad.campaign.words import told
from tests.rulesets.fad5.campaigns import Decided, at_random
from tests.rulesets.forces import put_together
from tests.support.battlefield import fad

SEEDS = range(60)
BATTLES = 5


def built(name: str, chance: random.Random) -> Force:
    """Return a ready force of an edition, or one at random."""
    rules = fad(name)
    found = put_together(rules, chance, {}) if chance.randrange(4) else None
    return found or chance.choice(rules.ready_forces)


def lawful(own: Terms, step: Decided) -> None:
    """Check what holds after every step."""
    qualities, resolves = list(own.book.qualities), list(own.book.resolves)
    best = qualities.index(own.table.best_quality)
    assert step.after.roster.points >= 0
    assert step.after.troopers >= 0
    for number, unit in enumerate(step.after.roster.units):
        assert 0 <= unit.strength <= unit.initial
        assert set(unit.missing) <= set(range(1, unit.initial + 1))
        first = qualities.index(str(unit.started.fields["quality"]))
        assert 0 <= qualities.index(roster.quality(unit)) <= max(first, best)
        if number < len(step.before.roster.units):
            before = step.before.unit(number)
            if qualities.index(roster.quality(unit)) > max(qualities.index(roster.quality(before)), best):
                # Only the same vehicle, bought anew, is as good as it was.
                assert before.condition == "lost"
            assert before.condition != "struck" or unit == before, "who is struck off stays so"
            assert unit.lone is False or unit.missing in {(), (1,)}
        assert not roster.resolve(unit) or roster.resolve(unit) in resolves


def asked(own: Terms, state: PostBattle) -> None:
    """Check what is due: the odds of dice, and that offers and defaults are legal."""
    due = steps.due(own, state)
    if isinstance(due, CampaignDice):
        assert sum(odds.ways for odds in due.odds) == due.odds[0].of == 6**due.count
        assert due.title
    elif isinstance(due, CampaignPrompt):
        assert steps.check(own, state, due.default) == ""
        assert [steps.check(own, state, offer.answer) for offer in due.offers] == [""] * len(due.offers)
        assert all(offer.label for offer in due.offers)


@pytest.mark.rule("fad5/campaign.scope")
@pytest.mark.parametrize("edition", ["fad4", "fad5"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_campaign_at_random_keeps_the_laws(edition: str, seed: int) -> None:
    chance = random.Random(f"{edition} {seed}")
    settings = Settings(bank_points=bool(chance.randrange(2)), traits=chance.choice(("any", "trained")))
    own = terms.terms(fad(edition), settings)
    state = None
    for step in at_random(own, built(edition, chance), chance, BATTLES):
        lawful(own, step)
        asked(own, step.after)
        state = step.before
        for fact in step.facts:
            assert msgspec.json.decode(msgspec.json.encode(fact), type=AnyFact) == fact
            assert told(own, state, fact).endswith(("", "."))
            state = fact.fold(state)
        assert state == step.after
        if state.step == "rest":
            force = roster.force_of(own, state.roster)
            assert force is None or own.examine(force).problems == ()
            assert settings.bank_points or state.roster.points == 0
            assert all(unit.strength or unit.condition == "struck" for unit in state.roster.units)
    assert state is not None
    assert state.step == "rest"
