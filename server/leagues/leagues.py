"""The leagues of a database: made, joined, played, shown."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from client_protocol.campaigns import RosterView
from client_protocol.forces import Force
from client_protocol.from_client import MakeMatch
from client_protocol.from_server import FixtureSeat, MatchMade, Refused
from client_protocol.leagues import ChangeForce, FixtureView, Join, LeagueAct, LeagueSummary, LeagueTerms, LeagueView
from server.kernel.errors import RulesetError
from server.kernel.files.forces import examine, sentence
from server.kernel.ruleset import Ruleset
from server.leagues.acts import Actor, Judge, facts_of, fixture_in
from server.leagues.campaigns import Campaign
from server.leagues.errors import ActError
from server.leagues.log.dice import commitment
from server.leagues.log.entries import SALT_BYTES, LeagueFold, opening
from server.leagues.log.facts import Happened, LeagueMade, MatchLinked
from server.leagues.log.league import League
from server.leagues.map_acts import checked
from server.leagues.map_turns import followed, orders_until
from server.leagues.rosters import roster_view
from server.leagues.views import may_see, summary, view
from server.matches.log.names import ID_ALPHABET, ID_LETTERS, tidy
from server.matches.log.outcome import MatchOutcome
from server.matches.play.seats import tidied
from server.store.errors import UnknownMatch
from server.store.league_logs import LeagueLogs
from server.store.outcomes import Appended, Duplicate

SECRET = "secret"  # noqa: S105 - the name of a field
"""The private field with the league's secret, from which its invites follow."""
DICE = "dice"
"""The private field with the secret of the dice of a league whose forces live on (see `log.dice`)."""
REMEMBERED = 400
"""How many leagues are kept in memory: those that were asked for last."""
LISTED = 200
"""How many leagues are looked through for a list."""
ATTEMPTS = 20
"""How often something is tried again after conflicts with other servers' entries."""
NO_LEAGUE = "There is no such league on this server, or it is shown only to its players."
SIDES = 2
"""How many sides a league's match has."""
LOOK_MS = 2_000
"""So long until a league is looked after again of which a match is being played, in ms."""


class Held(Protocol):
    """What a league needs of a match."""

    def outcome(self) -> MatchOutcome | None:
        """Return how it ended; None if it is not over."""
        ...

    @property
    def seats(self) -> tuple[str, ...]:
        """Its seats, in the order of the scenario's sides."""
        ...

    async def payloads(self, after: int = 0) -> list[bytes]:
        """Return its log after an entry. Raises `StoreError`."""
        ...

    def key_of(self, seat: str) -> str:
        """Return the player's key that a seat is tied to, "" for none."""
        ...


class Matches(Protocol):
    """What leagues need of the matches of this server."""

    async def get(self, match: str, /) -> Held | None:
        """Return a match. Raises `StoreError`."""
        ...

    async def make_between(
        self, message: MakeMatch, forces: Mapping[str, Force], invited: Callable[[str, str], str], /
    ) -> MatchMade | Refused:
        """Make a match for players who bring these forces."""
        ...

    async def remove(self, match: str, /) -> None:
        """Remove a match that no player has entered. Raises `StoreError`."""
        ...


class Leagues:
    """The leagues that this server serves; it remembers those it was asked for last.

    Args:
        logs: the leagues' logs.
        matches: the matches of this server.
        rules_of: the editions that are offered, or a `RulesetError`.
        token: returns the token of a seat for the holder of the key that it is tied to, "" for none.
        now_ms: milliseconds since 1970.
    """

    def __init__(
        self,
        logs: LeagueLogs,
        matches: Matches,
        rules_of: Callable[[str], Ruleset],
        token: Callable[[str, str, str], Awaitable[str]],
        now_ms: Callable[[], int],
    ) -> None:
        self.logs = logs
        self.matches = matches
        self._rules_of = rules_of
        self._token = token
        self.now_ms = now_ms
        self._folds: dict[str, LeagueFold] = {}
        self._secrets: dict[str, bytes] = {}
        self._campaigns: dict[str, Campaign] = {}

    # --- reading -----------------------------------------------------------------------------------------------------

    async def fold(self, league: str) -> LeagueFold:
        """Return a league as it stands now. Raises `UnknownMatch`, `LeagueLogError`, `StoreError`."""
        known = self._folds.get(league)
        since = 0 if known is None else known.number
        payloads = await self.logs.read(league, since)
        # Another reader may have come first meanwhile.
        fold = self._folds.get(league)
        if fold is None:
            fold = self._folds[league] = LeagueFold(payloads[0])
        for number, payload in enumerate(payloads, since + 1):
            if number == fold.number + 1:
                fold.add(payload)
        self._folds[league] = self._folds.pop(league)
        while len(self._folds) > REMEMBERED:
            del self._folds[next(iter(self._folds))]
        return fold

    async def show(self, league: str, key: str, invite: str = "") -> LeagueView:
        """Return a league as the player with a key ("": a stranger) sees it. Raises `ActError`, `StoreError`."""
        fold, _ = await self._seen(league, key, invite)
        return view(fold, key, await self._invite(league), await self.seal(league))

    async def _seen(self, league: str, key: str, invite: str) -> tuple[LeagueFold, bool]:
        """Return a league that a player may see, and whether the invite is its own. Raises `ActError`, `StoreError`."""
        try:
            fold = await self.fold(league)
        except (UnknownMatch, ValueError):
            raise ActError(NO_LEAGUE, "no_league") from None
        invited = hmac.compare_digest(invite.encode(), (await self._invite(league)).encode())
        if not may_see(fold.league, key, invited=invited):
            raise ActError(NO_LEAGUE, "no_league")
        return fold, invited

    async def all(self, key: str) -> tuple[list[LeagueSummary], list[str]]:
        """Return the leagues that the player with a key ("": a stranger) may see in a list, and the ids of their own among them.
        Raises `StoreError`.
        """
        shown, own = [], []
        ids = await self.logs.all(LISTED)
        for league, fold in zip(ids, await asyncio.gather(*map(self.fold, ids)), strict=True):
            found = fold.league
            if may_see(found, key, invited=False):
                shown.append(summary(found))
            if key in found.players or key in found.organisers:
                own.append(league)
        return shown, own

    # --- acting ------------------------------------------------------------------------------------------------------

    async def make(self, id_: str, key: str, name: str, terms: LeagueTerms) -> LeagueView:
        """Make a league, whose organiser has this key and name. Raises `ActError`, `StoreError`."""
        terms = self._tidied(terms)
        # The same message makes the same league.
        seed = hashlib.sha256(f"{key}\0{id_}".encode()).digest()
        league = "".join(ID_ALPHABET[byte % len(ID_ALPHABET)] for byte in seed[:ID_LETTERS])
        dice = secrets.token_bytes(32)
        made = LeagueMade(league, terms, key, name, "" if terms.campaign is None else commitment(dice))
        now = self.now_ms()
        first = opening(now, secrets.token_bytes(SALT_BYTES), made)
        try:
            await self.fold(league)
        except UnknownMatch:
            await self.logs.create(league, now, {SECRET: secrets.token_bytes(32), DICE: dice}, first)
        return await self.show(league, key)

    def _tidied(self, terms: LeagueTerms) -> LeagueTerms:
        name = tidy(terms.name)
        if not name:
            raise ActError("The name of the league is empty.", "empty")
        try:
            rules = self._rules_of(terms.edition)
            for scenario in terms.scenarios:
                if len(rules.open(scenario, terms.options).sides) != SIDES:
                    raise ActError("The scenarios of a league are for two sides.")
            if terms.campaign is not None and rules.campaign(terms.campaign) is None:
                raise ActError(f"Forces do not live on in {rules.info.name}: it has no rules for campaigns.")
        except RulesetError as error:
            raise ActError(f"This league cannot be made: {error}.") from error
        if rules.force_form is None:
            raise ActError(f"{rules.info.name} is played with the forces of its scenarios: no force can be enrolled.")
        return checked(replace(terms, name=name, about=tidy(terms.about)))

    async def act(self, league: str, actor: Actor, id_: str, invite: str, act: LeagueAct) -> LeagueView:
        """Do something in a league for a player, and return the league afterwards. Raises `ActError`, `StoreError`.

        Args:
            league: the league.
            actor: the player.
            id_: the message's id, by which it is recognised when it comes again.
            invite: the invite that the player has shown, "" for none.
            act: what they do.
        """
        if isinstance(act, Join | ChangeForce):
            act = replace(act, force=tidied(act.force))
        _, invited = await self._seen(league, actor.key, invite)
        actor = Actor(actor.key, actor.name, invited)
        campaign, seal = await self.campaign(league), await self.seal(league)

        def consider(found: League) -> tuple[Happened, ...]:
            return facts_of(found, actor, act, self.now_ms(), Judge(partial(self._weigh, found.terms), campaign, seal))

        await self.append(league, f"{actor.key}:{id_}", actor.key, consider)
        return await self.show(league, actor.key, invite)

    async def append(
        self, league: str, answer_id: str, by: str, consider: Callable[[League], tuple[Happened, ...]]
    ) -> bool:
        """Append the facts that `consider` finds in the league as it stands, once for each answer id; return whether that was
        now.

        Raises:
            ActError: `consider` raised it.
            StoreError: the database is away; the entry may or may not have been appended.
        """
        seal = await self.seal(league)
        for _ in range(ATTEMPTS):
            fold = await self.fold(league)
            try:
                facts = followed(fold.league, consider(fold.league), self.now_ms(), seal)
            except ActError:
                if await self.logs.known(league, answer_id):
                    return False
                raise
            payload = fold.entry(self.now_ms(), secrets.token_bytes(SALT_BYTES), by, facts)
            after = fold.league
            for fact in facts:
                after = fact.fold(after)
            outcome = await self.logs.append(league, fold.number, answer_id, payload, due=due_at(after, self.now_ms()))
            if isinstance(outcome, Appended):
                return True
            if isinstance(outcome, Duplicate):
                return False
        raise ActError("Too much happened in this league at once. Try again.", "busy")

    def _weigh(self, terms: LeagueTerms, force: Force) -> int:
        rules = self._rules_of(terms.edition)
        if not force.name or not all(unit.name for unit in force.units):
            raise ActError("This force cannot be enrolled. A name in it is empty.", "force")
        report = examine(rules, force, terms.options)
        if report.problems:
            said = sentence(rules.force_form, force, report.problems[0])
            raise ActError(f"This force cannot be enrolled. {said}", "force")
        if terms.total and report.total > terms.total:
            raise ActError(
                f"This force counts for {report.total}; in this league a force counts for {terms.total} at most."
            )
        return report.total

    # --- playing -----------------------------------------------------------------------------------------------------

    async def seat(self, id_: str, league: str, key: str, number: int) -> FixtureSeat:
        """Return the seat of a player in the match of a fixture, which is made if there is none yet. Raises `ActError`,
        `StoreError`.
        """
        fold, _ = await self._seen(league, key, "")
        fixture = fixture_in(fold.league, number)
        if key not in fixture.players:
            raise ActError("This fixture is not yours.", "no_player")
        if fixture.state == "waits":
            await self._make_match(league, fixture)
            fixture = fixture_in((await self.fold(league)).league, number)
        if not fixture.match:
            raise ActError("There is no match to play here.")
        room = await self.matches.get(fixture.match)
        if room is None:
            raise ActError("The match of this fixture is not on this server any more.", "no_match")
        seat = room.seats[fixture.players.index(key)]
        token = await self._token(fixture.match, seat, key) if room.key_of(seat) == key else ""
        return FixtureSeat(id_, fixture.match, seat, await self._seat_invite(league, seat, fixture.match), token)

    async def _make_match(self, league: str, fixture: FixtureView) -> None:
        found = (await self.fold(league)).league
        terms, rules = found.terms, self._rules_of(found.terms.edition)
        seats = [side.seat for side in rules.open(fixture.scenario, terms.options).sides.values()]
        campaign = await self.campaign(league)
        forces = {
            seat: found.players[key].force if campaign is None else campaign.force(found, key)
            for seat, key in zip(seats, fixture.players, strict=True)
        }
        message = MakeMatch(
            f"{league}-{fixture.number}",
            terms.edition,
            fixture.scenario,
            terms.name,
            (),
            terms.options,
            listed=False,  # its seats are free for its players alone; those who watch come by the league's page
            clock=terms.clock,
        )
        secret = await self._secret(league)
        made = await self.matches.make_between(message, forces, partial(_seat_invite, secret))
        if isinstance(made, Refused):
            raise ActError(made.sentence, made.code)

        def consider(now: League) -> tuple[Happened, ...]:
            if fixture_in(now, fixture.number).state != "waits":
                raise ActError("This fixture is played already.")
            if campaign is None:
                return (MatchLinked(fixture.number, made.match),)
            for player in fixture.players:
                campaign.force(now, player)
            return (MatchLinked(fixture.number, made.match, campaign.commitments(fixture)),)

        with contextlib.suppress(ActError):
            await self.append(league, f"~match:{fixture.number}:{made.match}", "", consider)
        # Of two players who come at once, on two servers perhaps, one has made the match, and the other one's is removed. Where
        # the database was lost meanwhile it stays, since the fixture may have it.
        if fixture_in((await self.fold(league)).league, fixture.number).match != made.match:
            await self.matches.remove(made.match)

    # --- forces that live on -----------------------------------------------------------------------------------------

    async def campaign(self, league: str) -> Campaign | None:
        """Return what decides on the forces of a league; None: they do not live on. Raises `StoreError`."""
        terms = (await self.fold(league)).league.terms
        if terms.campaign is None:
            return None
        if league not in self._campaigns:
            rules = self._rules_of(terms.edition).campaign(terms.campaign)
            assert rules is not None, "checked when the league was made"
            self._campaigns[league] = Campaign(rules, (await self.logs.meta(league))[DICE])
        return self._campaigns[league]

    async def roster(self, league: str, key: str, player: str, invite: str = "") -> RosterView:
        """Return the roster of a player as the player with a key ("": a stranger) sees it. Raises `ActError`, `StoreError`."""
        fold, _ = await self._seen(league, key, invite)
        found, campaign = fold.league, await self.campaign(league)
        member = found.players.get(player)
        if campaign is None:
            raise ActError("Forces do not live on in this league.", "no_roster")
        if member is None or (member.state == "asks" and key not in {player, *found.organisers}):
            raise ActError("This player is not in the league.", "no_player")
        if found.hides_forces and key != player:
            raise ActError("Players see each other's forces only when this league is over.", "hidden")
        names = {one.id: one.name for one in self._rules_of(found.terms.edition).info.scenarios}
        return roster_view(fold, campaign.rules, names, player, owner=key == player)

    # --- secrets -----------------------------------------------------------------------------------------------------

    async def _secret(self, league: str) -> bytes:
        if league not in self._secrets:
            self._secrets[league] = (await self.logs.meta(league))[SECRET]
        return self._secrets[league]

    async def seal(self, league: str) -> bytes:
        """Return the secret of a league for the orders on its map. Raises `StoreError`."""
        return hmac.digest(await self._secret(league), b"orders", hashlib.sha256)

    async def _invite(self, league: str) -> str:
        return _derived(await self._secret(league), "invite")

    async def _seat_invite(self, league: str, seat: str, match: str) -> str:
        return _seat_invite(await self._secret(league), seat, match)


def due_at(league: League, now: int) -> int | None:
    """Return when a league is to be looked after next (ms since 1970), or None: not until something happens."""
    if league.closed:
        return None
    times = [now + LOOK_MS for one in league.fixtures.values() if one.state == "played"]
    times += [one.battle.until for one in league.players.values() if one.battle is not None and one.battle.until]
    if orders := orders_until(league):
        times.append(orders)
    if league.terms.unplayed != "wait":
        times += [one.until for one in league.fixtures.values() if one.state == "waits" and one.until]
    return min(times, default=None)


def _derived(secret: bytes, words: str) -> str:
    return hmac.digest(secret, words.encode(), hashlib.sha256).hex()[:48]


def _seat_invite(secret: bytes, seat: str, match: str) -> str:
    return _derived(secret, f"seat\0{match}\0{seat}")
