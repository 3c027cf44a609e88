"""The words that tests of FUBAR's campaigns are written in, and campaigns at random."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from client_protocol.campaigns import CampaignChoice, CampaignDice, CampaignPrompt
from client_protocol.forces import Force, ForceUnit
from client_protocol.shapes import OptionValue
from server.kernel.campaigns.facts import AnyFact, CampaignFact, fold
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Roster, RosterUnit
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.campaigns.state import PostBattle
from server.kernel.dice import Roll, ScriptedDice
from server.rulesets.fubar.ruleset import FubarRuleset
from tests.rulesets.fad5.campaigns import Decided, Hurt, driven, legal
from tests.rulesets.fubar4.battlefield import fubar4
from tests.rulesets.fubar4.test_forces import force


class Campaign:
    """A force in a campaign: battles, dice and answers, and every fact since the last battle began."""

    def __init__(self, rules: CampaignRules, built: Force) -> None:
        self.rules = rules
        self.state = PostBattle(rules.enlist(built))
        self.facts: list[CampaignFact] = []

    def _folds(self, facts: Sequence[CampaignFact]) -> Campaign:
        self.facts += facts
        self.state = fold(self.state, *facts)
        return self

    def battle(self, hurt: Hurt | None = None) -> Campaign:
        """Fight a battle, in which units lose so many of their last figures or these, or vehicles are damaged or destroyed."""
        self.facts = []
        return self._folds(self.rules.after_battle(self.state.roster, self.outcomes(hurt or {})))

    def outcomes(self, hurt: Hurt) -> list[UnitOutcome]:
        """Return what a battle did to the units that were in it."""
        found = []
        for place, number in enumerate(self.rules.fielded(self.state.roster)):
            unit = self.state.unit(number)
            what = hurt.get(unit.name, 0)
            if isinstance(what, str):
                found.append(driven(place, what))
            else:
                lost = tuple(range(unit.strength - what + 1, unit.strength + 1)) if isinstance(what, int) else what
                found.append(UnitOutcome(place, unit.strength, lost))
        return found

    def rolls(self, *faces: int) -> Campaign:
        """Let dice fall, as long as faces are left; all must be used."""
        dice = ScriptedDice(faces)
        while dice.left:
            self._folds(self.rules.rolled(self.state, dice.faces(Roll(self.dice.count)).faces))
        return self

    def answers(self, answer: CampaignChoice | None = None) -> Campaign:
        """Give an answer, or the default one."""
        return self._folds(self.rules.answered(self.state, self.prompt.default if answer is None else answer))

    def ends(self) -> Campaign:
        """Let dice fall as threes and give default answers until the steps are done."""
        while (due := self.rules.due(self.state)) is not None:
            if isinstance(due, CampaignDice):
                self.rolls(3)
            else:
                self.answers()
        return self

    def refuses(self, answer: CampaignChoice) -> str:
        """Return why an answer is not legal; "" if it is."""
        try:
            self.rules.answered(self.state, answer)
        except ValueError as why:
            return str(why)
        return ""

    @property
    def dice(self) -> CampaignDice:
        """The dice that are due."""
        due = self.rules.due(self.state)
        assert isinstance(due, CampaignDice), due
        return due

    @property
    def prompt(self) -> CampaignPrompt:
        """The prompt that is due."""
        due = self.rules.due(self.state)
        assert isinstance(due, CampaignPrompt), due
        return due

    @property
    def offered(self) -> dict[str, int]:
        """The labels of what is offered, with the prices."""
        return {offer.label: offer.points for offer in self.prompt.offers}

    def unit(self, name: str) -> RosterUnit:
        """Return the unit of this name."""
        return next(unit for unit in self.state.roster.units if unit.name == name)

    def now(self, name: str) -> ForceUnit:
        """Return the unit of this name as it fights in the next battle."""
        built = self.rules.force_of(self.state.roster)
        assert built is not None, "a unit can fight"
        return next(unit for unit in built.units if unit.name == name)

    def of(self, *kinds: type[CampaignFact]) -> list[CampaignFact]:
        """Return the facts of these kinds."""
        return [fact for fact in self.facts if isinstance(fact, kinds)]


def campaign(**settings: OptionValue) -> CampaignRules:
    """Return the rules of FUBAR's campaigns under these settings."""
    rules = fubar4().campaign(settings)
    assert rules is not None, "it has campaigns"
    return rules


def begun(*units: ForceUnit, **settings: OptionValue) -> Campaign:
    """Return a campaign that a force of these units begins."""
    return Campaign(campaign(**settings), force(*units))


def at_random(rules: CampaignRules, built: Force, chance: random.Random, battles: int) -> Iterator[Decided]:
    """Play a campaign with random outcomes, dice and legal answers, until it is over or the force has no unit that can fight."""
    state = PostBattle(rules.enlist(built))
    for _ in range(battles):
        if rules.force_of(state.roster) is None:
            return
        facts: tuple[AnyFact, ...] = rules.after_battle(state.roster, outcomes(rules, state.roster, chance))
        yield Decided(state, facts, state := fold(state, *facts))
        while (due := rules.due(state)) is not None:
            if isinstance(due, CampaignDice):
                facts = rules.rolled(state, [chance.randint(1, 6) for _ in range(due.count)])
            else:
                facts = rules.answered(state, legal(due, chance))
            yield Decided(state, facts, state := fold(state, *facts))


def outcomes(rules: CampaignRules, roster: Roster, chance: random.Random) -> list[UnitOutcome]:
    """Return what a battle did to a force, at random."""
    found = []
    for place, number in enumerate(rules.fielded(roster)):
        unit = roster.units[number]
        if unit.vehicle:
            found.append(driven(place, chance.choice(("", "", "damaged", "lost"))))
        else:
            count = chance.randint(0, unit.strength) if chance.randrange(2) else 0
            lost = sorted(chance.sample(range(1, unit.strength + 1), count))
            found.append(UnitOutcome(place, unit.strength, tuple(lost)))
    return found


def fought(rules: FubarRuleset, seeds: int) -> None:
    """Fight campaigns with the ready forces of an edition."""
    own = rules.campaign({})
    assert own is not None, "it has campaigns"
    for seed in range(seeds):
        chance = random.Random(seed)
        for _ in at_random(own, chance.choice(rules.ready_forces), chance, 4):
            pass
