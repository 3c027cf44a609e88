"""The words that tests of campaigns are written in, and campaigns at random."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from client_protocol.campaigns import CampaignChoice, CampaignDice, CampaignPrompt, Share
from client_protocol.forces import Entry, Force, ForceUnit
from server.kernel.campaigns.facts import CampaignFact, LevelTested, fold
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Roster, RosterUnit
from server.kernel.campaigns.state import PostBattle
from server.kernel.dice import Roll, ScriptedDice
from server.kernel.state import Unit
from server.rulesets.fad.campaign import roster, steps, terms
from server.rulesets.fad.campaign.outcome import outcome
from server.rulesets.fad.campaign.terms import Settings, Terms
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.setup.bringing import RULES
from tests.rulesets.fad5.battlefield import fad5
from tests.rulesets.fad5.test_forces import GUN, force, squad, vehicle

Hurt = Mapping[str, int | str | tuple[int, ...]]
"""What a battle does to units, by their names: how many of their last figures they lose or which ones, or how a vehicle is."""


class Campaign:
    """A force in a campaign: battles, dice and answers, and every fact since the last battle began."""

    def __init__(self, own: Terms, force: Force | PostBattle) -> None:
        self.own = own
        self.state = PostBattle(roster.enlist(own, force)) if isinstance(force, Force) else force
        self.facts: list[CampaignFact] = []

    def _folds(self, facts: Sequence[CampaignFact]) -> Campaign:
        self.facts += facts
        self.state = fold(self.state, *facts)
        return self

    def battle(self, hurt: Hurt | None = None) -> Campaign:
        """Fight a battle, in which units lose so many of their last figures, or vehicles are damaged or destroyed."""
        self.facts = []
        return self._folds(steps.after_battle(self.own, self.state.roster, self.outcomes(hurt or {})))

    def outcomes(self, hurt: Hurt) -> list[UnitOutcome]:
        found = []
        for place, number in enumerate(roster.fielded(self.own, self.state.roster)):
            unit = self.state.unit(number)
            what = hurt.get(unit.name, 0)
            if isinstance(what, str):
                found.append(driven(place, what))
            else:
                lost = tuple(range(unit.strength - what + 1, unit.strength + 1)) if isinstance(what, int) else what
                found.append(UnitOutcome(place, unit.strength, lost))
        return found

    def rolls(self, *faces: int) -> Campaign:
        """Let dice fall, as long as dice are due and faces are left; all must be used."""
        dice = ScriptedDice(faces)
        while dice.left:
            due = steps.due(self.own, self.state)
            assert isinstance(due, CampaignDice), due
            self._folds(steps.rolled(self.own, self.state, dice.faces(Roll(due.count)).faces))
        return self

    def answers(self, answer: CampaignChoice | None = None) -> Campaign:
        """Give an answer, or the default one."""
        given = self.prompt.default if answer is None else answer
        return self._folds(steps.answered(self.own, self.state, given))

    def until(self, step: str) -> Campaign:
        """Give default answers until a step is due; dice fall as ones."""
        while self.state.step != step:
            due = steps.due(self.own, self.state)
            if isinstance(due, CampaignDice):
                self.rolls(*[1] * due.count)
            else:
                self.answers()
        return self

    def refuses(self, answer: CampaignChoice) -> str:
        """Return why an answer is not legal."""
        return steps.check(self.own, self.state, answer)

    @property
    def dice(self) -> CampaignDice:
        """The dice that are due."""
        due = steps.due(self.own, self.state)
        assert isinstance(due, CampaignDice), due
        return due

    @property
    def prompt(self) -> CampaignPrompt:
        """The prompt that is due."""
        due = steps.due(self.own, self.state)
        assert isinstance(due, CampaignPrompt), due
        return due

    @property
    def offered(self) -> list[CampaignChoice]:
        """The answers that are offered."""
        return [offer.answer for offer in self.prompt.offers]

    def unit(self, name: str) -> RosterUnit:
        """Return the unit of this name."""
        return next(unit for unit in self.state.roster.units if unit.name == name)

    def number(self, name: str) -> int:
        """Return the number of the unit of this name."""
        return [unit.name for unit in self.state.roster.units].index(name)

    def now(self, name: str) -> ForceUnit:
        """Return the unit of this name as it stands now."""
        now = roster.now(self.unit(name))
        assert now is not None, "it has figures"
        return now


class Decided(Struct, frozen=True):
    """A moment of a campaign at random: the facts of the last step and the states before and after them."""

    before: PostBattle
    facts: tuple[CampaignFact, ...]
    after: PostBattle


def at_random(own: Terms, force: Force, chance: random.Random, battles: int) -> Iterator[Decided]:
    """Play a campaign with random outcomes, dice and legal answers, until it is over or the force has no unit left."""
    state = PostBattle(roster.enlist(own, force))
    for _ in range(battles):
        if roster.force_of(own, state.roster) is None:
            return
        facts = steps.after_battle(own, state.roster, outcomes(own, state.roster, chance))
        yield Decided(state, facts, state := fold(state, *facts))
        while (due := steps.due(own, state)) is not None:
            if isinstance(due, CampaignDice):
                facts = steps.rolled(own, state, [chance.randint(1, 6) for _ in range(due.count)])
            else:
                facts = steps.answered(own, state, legal(due, chance))
            yield Decided(state, facts, state := fold(state, *facts))


def fought(rules: FadRuleset, seeds: int) -> None:
    """Fight campaigns with the ready forces of an edition, under terms of every kind."""
    for seed in range(seeds):
        chance = random.Random(seed)
        own = terms.terms(rules, Settings(traits=chance.choice(("any", "trained"))))
        built = chance.choice(rules.ready_forces)
        for _ in at_random(own, built, chance, 4):
            pass
        state = rules.open(rules.info.scenarios[0].id, {})
        side = next(iter(state.sides.values()))
        units = RULES.units_of(rules.book, built, side.id)
        state = replace(state, units={unit.id: fallen(unit) for unit in units})
        outcome(own, state, side.seat, built)


def fallen(unit: Unit) -> Unit:
    """Return a unit whose first figure has fallen, unless it is a vehicle."""
    (first, figure), *_ = unit.figures.items()
    return replace(unit, figures={**unit.figures, first: replace(figure, fallen=figure.hull is None)})


def outcomes(own: Terms, force: Roster, chance: random.Random) -> list[UnitOutcome]:
    """Return what a battle did to a force, at random."""
    found = []
    for place, number in enumerate(roster.fielded(own, force)):
        unit = force.units[number]
        if unit.vehicle:
            found.append(driven(place, chance.choice(("", "", "damaged", "lost"))))
        else:
            count = chance.randint(0, unit.strength) if chance.randrange(2) else 0
            lost = sorted(chance.sample(range(1, unit.strength + 1), count))
            found.append(UnitOutcome(place, unit.strength, tuple(lost)))
    return found


def driven(place: int, what: str) -> UnitOutcome:
    """Return what a battle did to a vehicle."""
    if what == "lost":
        return UnitOutcome(place, 1, (1,), "lost")
    return UnitOutcome(place, 1, (), "damaged" if what else "")


def legal(prompt: CampaignPrompt, chance: random.Random) -> CampaignChoice:
    """Return a random legal answer."""
    if prompt.step != "share" or chance.randrange(3) == 0:
        return chance.choice(prompt.offers).answer
    left, shares = prompt.troopers, []
    for number, most in prompt.most:
        count = chance.randint(0, min(left, most))
        shares.append((number, count))
        left -= count
    return Share(tuple(shares))


def begun(*units: ForceUnit, **settings: object) -> Campaign:
    """Return a campaign of FAD 5 that a force of these units begins."""
    return Campaign(terms.terms(fad5(), msgspec.convert(settings, Settings)), force(*units))


def rifles(figures: int = 8, name: str = "Squad", **fields: Entry) -> ForceUnit:
    """Return a squad without support weapons."""
    return squad(name=name, figures=figures, **fields)


def lone(name: str = "Sniper", **fields: Entry) -> ForceUnit:
    """Return a lone sniper."""
    return rifles(1, name, leader=False, sniper=True, **fields)


def tank(name: str = "Tank", **fields: str) -> ForceUnit:
    """Return a vehicle."""
    return vehicle(GUN, name=name, **fields)  # type: ignore[arg-type]  # no field is called armour


def of(campaign: Campaign, *kinds: type[CampaignFact]) -> list[CampaignFact]:
    """Return the facts of these kinds."""
    return [fact for fact in campaign.facts if isinstance(fact, kinds)]


def levels_tested(campaign: Campaign, field: str) -> list[LevelTested]:
    """Return the facts of dice for a change of a level."""
    return [fact for fact in campaign.facts if isinstance(fact, LevelTested) and fact.field == field]
