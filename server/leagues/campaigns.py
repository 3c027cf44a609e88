"""Forces that live on in a league: their rosters, what a battle did to them, and the steps after it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from client_protocol.campaigns import CampaignAnswer, CampaignDice, Roll
from client_protocol.forces import Force
from client_protocol.leagues import FixtureView
from server.kernel.campaigns.facts import AnyFact, Deed, DeedsTold, fold
from server.kernel.campaigns.roster import Roster
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.campaigns.state import PostBattle
from server.kernel.dice import Roll as DiceRoll
from server.leagues.errors import ActError
from server.leagues.log.dice import battle_secret, commitment, dice
from server.leagues.log.facts import BattleTaken, StepTaken
from server.leagues.log.league import Battle, League, Member
from server.matches.log.outcome import MatchOutcome
from server.matches.projections.deeds import Deeds

HOUR_MS = 3_600_000
UNFOUGHT = "The match ended before its first turn, so that no force has fought."


@dataclass(frozen=True)
class Campaign:
    """What decides on forces that live on: the edition's rules under the league's settings, and the secret of the dice."""

    rules: CampaignRules
    secret: bytes

    def enlisted(self, force: Force) -> Roster:
        """Return the roster of a force that joins. Raises `ActError`."""
        try:
            return self.rules.enlist(force)
        except ValueError as error:
            raise ActError(f"This force cannot be enrolled. {error}", "force") from error

    def commitments(self, fixture: FixtureView) -> tuple[str, ...]:
        """Return the commitments to the secrets of the dice after a fixture, for each of its players."""
        return tuple(commitment(battle_secret(self.secret, fixture.number, player)) for player in fixture.players)

    # --- before a battle -----------------------------------------------------------------------------------------------

    def force(self, league: League, player: str) -> Force:
        """Return the force with which a player's next match is played. Raises `ActError`: it cannot be played now."""
        member = league.players[player]
        if member.battle is not None:
            raise ActError(f"{member.name} has steps to take after the last battle first.", "steps_due")
        running = next(
            (one for one in league.fixtures.values() if one.state == "played" and player in one.players), None
        )
        if running is not None:
            raise ActError(f"{member.name} is in another battle: its losses come first.", "in_battle")
        force = None if member.campaign is None else self.rules.force_of(member.campaign.roster)
        if force is None:
            raise ActError(f"The force of {member.name} has no unit that can fight.", "no_force")
        return force

    # --- after it --------------------------------------------------------------------------------------------------------

    def battles(
        self,
        league: League,
        fixture: FixtureView,
        outcome: MatchOutcome,
        seats: Mapping[str, str],
        deeds: Mapping[str, Deeds],
        now: int,
    ) -> tuple[BattleTaken, ...]:
        """Return what a match did to the rosters of its players who are still in the league. A match that ended before its first
        turn, since forces were declined or a player conceded at once, was no battle.

        Args:
            league: the league.
            fixture: the fixture.
            outcome: how its match ended.
            seats: the players by their seats.
            deeds: what the units of the match did.
            now: milliseconds since 1970.
        """
        if unfought(outcome):
            return ()
        return tuple(
            self._battle(league, fixture, outcome, (seat, player), deeds, now)
            for seat, player in seats.items()
            if league.players[player].state == "plays" and league.players[player].campaign is not None
        )

    def _battle(
        self,
        league: League,
        fixture: FixtureView,
        outcome: MatchOutcome,
        who: tuple[str, str],
        deeds: Mapping[str, Deeds],
        now: int,
    ) -> BattleTaken:
        seat, player = who
        roster = _state(league.players[player]).roster
        force = self.rules.force_of(roster)
        if force is None:
            raise ValueError(f"{roster.name} had no unit that could fight.")
        facts = self.rules.after_battle(roster, self.rules.outcomes(outcome.state, seat, force))
        ids = self.rules.units_in(outcome.state, seat, force)
        told = tuple(
            Deed(number, done.kills, done.killed_at, done.lost_at)
            for number, unit in zip(self.rules.fielded(roster), ids, strict=True)
            if (done := deeds.get(unit)) is not None
        )
        if told:
            facts = (*facts, DeedsTold(deeds=told))
        return BattleTaken(player, fixture.number, facts, until(league, now))

    def step(self, league: League, player: str, number: int, answer: CampaignAnswer | None, now: int) -> StepTaken:
        """Return the step after a battle that is due for a player's force.

        Args:
            league: the league.
            player: the player's key.
            number: the number of the step.
            answer: the player's answer; None: the default.
            now: milliseconds since 1970.

        Raises:
            ActError: another step is due, or none, or the answer is not legal.
        """
        member = league.players.get(player)
        if member is None or member.battle is None:
            raise ActError("There is no step to take after a battle.", "no_steps")
        battle = member.battle
        if battle.step != number:
            raise ActError("This step was taken meanwhile.", "step_taken")
        state = _state(member)
        due = self.rules.due(state)
        fallen = None
        if isinstance(due, CampaignDice):
            if not isinstance(answer, Roll | None):
                raise ActError("Dice are due now.", "dice_due")
            given = None
            source = dice(
                self._secret(battle, player), league.id, battle.fixture, player, _seen(league, battle), battle.dice
            )
            fallen = source.faces(DiceRoll(due.count, purpose=due.kind))
            facts = self.rules.rolled(state, fallen.faces)
        else:
            if due is None or isinstance(answer, Roll):
                raise ActError("No dice are due now.", "no_dice")
            given = due.default if answer is None else answer
            facts = self._answered(state, given)
        done = fold(state, *facts).step == "rest"
        secret = self._secret(battle, player).hex() if done else ""
        return StepTaken(player, number, facts, fallen, given, 0 if done else until(league, now), secret)

    def rolls_next(self, league: League, player: str) -> bool:
        """Return whether dice are due for a player's force."""
        state = league.players[player].campaign
        return state is not None and isinstance(self.rules.due(state), CampaignDice)

    def _answered(self, state: PostBattle, answer: CampaignAnswer) -> tuple[AnyFact, ...]:
        assert not isinstance(answer, Roll), "dice are rolled elsewhere"
        try:
            return self.rules.answered(state, answer)
        except ValueError as error:
            raise ActError(str(error), "not_legal") from error

    def _secret(self, battle: Battle, player: str) -> bytes:
        return battle_secret(self.secret, battle.fixture, player)


def unfought(outcome: MatchOutcome) -> bool:
    """Return whether a match ended before its first turn: then no force has fought."""
    return not outcome.state.turn.number


def until(league: League, now: int) -> int:
    """Return when the default of a step that is due from now on is taken (ms since 1970); 0: never."""
    return now + league.terms.step_hours * HOUR_MS if league.terms.step_hours else 0


def _state(member: Member) -> PostBattle:
    assert member.campaign is not None, "asked only where forces live on"
    return member.campaign


def _seen(league: League, battle: Battle) -> Mapping[str, str]:
    return league.randomness.get(battle.fixture, {})
