"""What the modules of a match of the family bring, gathered once for each choice of modules."""

from __future__ import annotations

from collections.abc import Sequence

from server.rulesets.fad.module import FadModule
from server.rulesets.shared.played import Played, given


class FadPlayed(Played):
    """The hooks of the modules that a match plays, in the order in which the modules are listed.

    Each attribute holds the hooks of the same name of `server.rulesets.fad.module.FadModule`; in the plural, what each module
    brings as one thing.
    """

    def __init__(self, modules: Sequence[FadModule]) -> None:
        super().__init__(modules)
        # While a unit is activated
        self.turning = given(module.turning for module in modules)
        self.beginning = given(module.beginning for module in modules)
        self.instead = given(module.instead for module in modules)
        self.concluding = given(module.concluding for module in modules)
        self.ended = given(module.ended for module in modules)
        self.ending = given(module.ending for module in modules)
        self.tasks = tuple(task for module in modules for task in module.tasks)
        self.inspires = tuple(push for module in modules for push in module.inspires)
        self.vehicle_actions = tuple(action for module in modules for action in module.vehicle_actions)
        self.vehicle_cards = given(module.vehicle_card for module in modules)
        self.previews = tuple(module.previews for module in modules if module.previews)
        self.preparing = given(module.preparing for module in modules)
        # Moving
        self.setting_out = given(module.setting_out for module in modules)
        self.travels = given(module.travel for module in modules)
        self.goes = given(module.goes for module in modules)
        self.meets = given(module.meets for module in modules)
        self.passed = given(module.passed for module in modules)
        self.secretive = any(module.secretive for module in modules)
        self.warns = given(module.warns for module in modules)
        self.closes = given(module.closes for module in modules)
        self.arrived = given(module.arrived for module in modules)
        # Shooting
        self.firing = given(module.firing for module in modules)
        self.trims = given(module.trims for module in modules)
        self.spent = given(module.spent for module in modules)
        self.used = given(module.used for module in modules)
        self.follow = given(module.follow for module in modules)
        self.aftermaths = given(module.aftermath for module in modules)
        self.hinders = given(module.hinders for module in modules)
        self.foretell_hindrance = given(module.foretell_hindrance for module in modules)
        self.crew = given(module.crew for module in modules)
        self.attaches_teams = any(module.attaches_teams for module in modules)
        self.solitary = tuple(trait for module in modules for trait in module.solitary)
        self.spared = given(module.spared for module in modules)
        self.bystander = given(module.bystander for module in modules)
        self.conceals = given(module.conceals for module in modules)
        # Losses
        self.losing = given(module.losing for module in modules)
        self.shields = given(module.shield for module in modules)
        self.woundings = given(module.wounding for module in modules)
        self.endurances = given(module.endurance for module in modules)
        self.withstands = given(module.withstands for module in modules)
        self.helpless = given(module.helpless for module in modules)
        # Morale
        self.again = given(module.again for module in modules)
        self.heartened = given(module.heartened for module in modules)
        self.flees = given(module.flees for module in modules)
        self.pushes = given(module.pushes for module in modules)
        self.stands_fast = given(module.stands_fast for module in modules)
        self.routs = given(module.routs for module in modules)
