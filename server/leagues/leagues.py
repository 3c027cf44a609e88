"""The leagues of a database: made, joined, played, shown."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from client_protocol.campaigns import RosterView
from client_protocol.forces import Force
from client_protocol.from_client import MakeMatch
from client_protocol.from_server import FixtureSeat, MatchMade, Refused
from client_protocol.leagues import (
    ChangeForce,
    FixtureView,
    Join,
    LeagueAct,
    LeagueSummary,
    LeagueTerms,
    LeagueView,
    Undo,
)
from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.leagues.acts import OVER, Actor, Judge, facts_of, fixture_in
from server.leagues.calendar import as_calendar
from server.leagues.campaigns import Campaign
from server.leagues.errors import ActError
from server.leagues.fortune import Tells
from server.leagues.log.dice import commitment
from server.leagues.log.entries import SALT_BYTES, LeagueFold, opening
from server.leagues.log.facts import Happened, LeagueMade, MatchLinked, RulesChanged
from server.leagues.log.league import League
from server.leagues.log.league_file import DOMAIN, written
from server.leagues.log.sealed import Sealing, SecretSealing
from server.leagues.map_acts import checked
from server.leagues.map_turns import followed, orders_until
from server.leagues.open_log import open_log
from server.leagues.rosters import roster_view
from server.leagues.sides import with_sides
from server.leagues.standing_in import seat_holder
from server.leagues.summaries import Summaries
from server.leagues.views import may_see, view
from server.leagues.webhook import host_of
from server.leagues.weighing import weigh
from server.matches.log.names import ID_ALPHABET, ID_LETTERS, tidy
from server.matches.log.outcome import MatchOutcome
from server.matches.log.signatures import Signature
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
"""How many leagues are looked through for a page of the list."""
ATTEMPTS = 20
"""How often something is tried again after conflicts with other servers' entries."""
NO_LEAGUE = "There is no such league on this server, or it is shown only to its players."
SIDES = 2
"""How many sides a league's match has."""
LOOK_MS = 2_000
"""So long until a league is looked after again of which a match is being played, in ms."""


Sign = Callable[[str, Sequence[bytes], str], tuple[Signature, ...]]
"""Signs a whole log, by its name, its entries and what it is the log of."""


def unsigned(_name: str, _payloads: Sequence[bytes], _domain: str) -> tuple[Signature, ...]:
    """Sign nothing."""
    return ()


class Held(Tells, Protocol):
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
        self, message: MakeMatch, forces: Mapping[str, Force], invited: Callable[[str, str], str], league: str, /
    ) -> MatchMade | Refused:
        """Make a match of a league for players who bring these forces."""
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
        address: the server's address for links, without a slash at its end; "" if it is not known.
        sign: signs logs.
    """

    def __init__(
        self,
        logs: LeagueLogs,
        matches: Matches,
        rules_of: Callable[[str], Ruleset],
        token: Callable[[str, str, str], Awaitable[str]],
        now_ms: Callable[[], int],
        address: str = "",
        sign: Sign = unsigned,
    ) -> None:
        self._sign = sign
        self.logs = logs
        self.address = address
        self.matches = matches
        self._rules_of = rules_of
        self._token = token
        self.now_ms = now_ms
        self._folds: dict[str, LeagueFold] = {}
        self._secrets: dict[str, bytes] = {}
        self._campaigns: dict[str, Campaign] = {}
        self._summaries = Summaries()

    # --- reading -----------------------------------------------------------------------------------------------------

    async def fold(self, league: str) -> LeagueFold:
        """Return a league as it stands now. Raises `UnknownMatch`, `LeagueLogError`, `StoreError`."""
        known = self._folds.get(league)
        since = 0 if known is None else known.number
        payloads = await self.logs.read(league, since)
        # Meanwhile another reader may have come first, and what was known may have been forgotten for other leagues.
        fold = self._folds.pop(league, known)
        if fold is None:
            fold = LeagueFold(payloads[0])
        self._folds[league] = fold
        for number, payload in enumerate(payloads, since + 1):
            if number == fold.number + 1:
                fold.add(payload)
        while len(self._folds) > REMEMBERED:
            del self._folds[next(iter(self._folds))]
        return fold

    async def show(self, league: str, key: str, invite: str = "") -> LeagueView:
        """Return a league as the player with a key ("": a stranger) sees it. Raises `ActError`, `StoreError`."""
        fold, _ = await self._seen(league, key, invite)
        shown = view(fold, key, await self._invite(league), await self.sealing(league))
        webhook = await host_of(self.logs, league) if key in fold.league.organisers else ""
        return replace(shown, calendar=await self._calendar_address(fold.league, key), webhook=webhook)

    async def calendar(self, league: str, key: str, token: str) -> bytes:
        """Return the calendar of the player with a key. The token shows that who asks may see a league that is not listed.
        Raises `ActError`, `StoreError`.
        """
        fold, _ = await self._seen(league, key, "")
        found, whole = fold.league, await self._secret(league)
        if key not in found.players or not (token or found.terms.listed):
            raise ActError(NO_LEAGUE, "no_league")
        if token and not hmac.compare_digest(token, _own(whole, key)):
            raise ActError(NO_LEAGUE, "no_league")
        return as_calendar(view(fold, key, "", None), key, self.address)

    async def _calendar_address(self, league: League, key: str) -> str:
        """Return where a player's calendar is, "" for those who do not play: one who has left may still stand in for a player."""
        sits = any(one.state != "over" and seat_holder(one, key) for one in league.fixtures.values())
        if key not in league.playing and not sits:
            return ""
        token = "" if league.terms.listed else "/" + _own(await self._secret(league.id), key)
        return f"/leagues/{league.id}/{key}{token}.ics"

    async def file(self, league: str, key: str = "", token: str = "") -> bytes:
        """Return the file of a league, signed: for everyone if it is listed, else for a player, with the token of the calendar.
        Raises `ActError`, `StoreError`.
        """
        fold, _ = await self._seen(league, key, "")
        if not fold.league.terms.listed and not hmac.compare_digest(token, _own(await self._secret(league), key)):
            raise ActError(NO_LEAGUE, "no_league")
        payloads = open_log(fold, await self.logs.read(league))
        return written(payloads, self._sign(league, payloads, DOMAIN))

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

    async def all(self, key: str, after: int = 0) -> tuple[list[LeagueSummary], list[str], int]:
        """Return the leagues that the player with a key ("": a stranger) may see in a list, the ids of their own among them, and
        the `after` of those that are older (0: there are none). `after` leaves out as many of the newest. Raises `StoreError`.
        """
        shown, own = [], []
        *ids, older = [*await self.logs.all(LISTED + 1, after), ""][: LISTED + 1]
        for league, fold in zip(ids, await asyncio.gather(*map(self.fold, ids)), strict=True):
            found = fold.league
            if may_see(found, key, invited=False):
                shown.append(self._summaries.of(fold))
            if key in found.players or key in found.organisers:
                own.append(league)
        return shown, own, after + LISTED if older else 0

    # --- acting ------------------------------------------------------------------------------------------------------

    async def make(self, id_: str, key: str, name: str, terms: LeagueTerms) -> LeagueView:
        """Make a league, whose organiser has this key and name. Raises `ActError`, `StoreError`."""
        terms = self._tidied(terms)
        # The same message makes the same league.
        seed = hashlib.sha256(f"{key}\0{id_}".encode()).digest()
        league = "".join(ID_ALPHABET[byte % len(ID_ALPHABET)] for byte in seed[:ID_LETTERS])
        dice = secrets.token_bytes(32)
        made = LeagueMade(
            league, terms, key, name, "" if terms.campaign is None else commitment(dice), self._version(terms)
        )
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
        return checked(with_sides(replace(terms, name=name, about=tidy(terms.about))))

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
        fold, invited = await self._seen(league, actor.key, invite)
        actor = dataclasses.replace(actor, invited=invited)
        campaign, sealing = await self.campaign(fold.league), await self.sealing(league)

        def consider(found: League, now: int) -> tuple[Happened, ...]:
            return facts_of(found, actor, act, now, self._judge(found.terms, campaign, sealing))

        await self.append(league, f"{actor.key}:{id_}", actor.key, consider, also_over=isinstance(act, Undo))
        return await self.show(league, actor.key, invite)

    async def append(
        self,
        league: str,
        answer_id: str,
        by: str,
        consider: Callable[[League, int], tuple[Happened, ...]],
        *,
        also_over: bool = False,
    ) -> bool:
        """Append the facts that `consider` finds in the league as it stands at a time (ms since 1970), once for each answer id;
        return whether that was now. In a league that is over nothing happens, unless `also_over`.

        Raises:
            ActError: `consider` raised it.
            StoreError: the database is away; the entry may or may not have been appended.
        """
        sealing = await self.sealing(league)
        for _ in range(ATTEMPTS):
            fold, at = await self.fold(league), self.now_ms()
            try:
                considered = consider if also_over else partial(_unless_over, consider=consider)
                facts = followed(fold.league, considered(fold.league, at), at, sealing)
            except ActError:
                if await self.logs.known(league, answer_id):
                    return False
                raise
            version = self._version(fold.league.terms)
            if version != fold.league.version:
                facts = (RulesChanged(version), *facts)
            payload = fold.entry(at, secrets.token_bytes(SALT_BYTES), by, facts)
            # It is looked after at once, by whatever server: there may be something to tell.
            outcome = await self.logs.append(league, fold.number, answer_id, payload, due=self.now_ms())
            if isinstance(outcome, Appended):
                return True
            if isinstance(outcome, Duplicate):
                return False
        raise ActError("Too much happened in this league at once. Try again.", "busy")

    def _version(self, terms: LeagueTerms) -> str:
        return self._rules_of(terms.edition).version

    def _judge(self, terms: LeagueTerms, campaign: Campaign | None, sealing: Sealing) -> Judge:
        return Judge(lambda force: weigh(self._rules_of(terms.edition), terms, force), sealing, campaign)

    # --- playing -----------------------------------------------------------------------------------------------------

    async def seat(self, id_: str, league: str, key: str, number: int) -> FixtureSeat:
        """Return the seat of a player in the match of a fixture, which is made if there is none yet. Raises `ActError`,
        `StoreError`.
        """
        fold, _ = await self._seen(league, key, "")
        fixture = fixture_in(fold.league, number)
        player = seat_holder(fixture, key)
        if not player:
            raise ActError("This fixture is not yours to play.", "no_player")
        if fixture.state == "waits":
            if fold.league.closed:
                raise ActError(OVER)
            await self._make_match(league, fixture)
            fixture = fixture_in((await self.fold(league)).league, number)
        if not fixture.match:
            raise ActError("There is no match to play here.")
        room = await self.matches.get(fixture.match)
        if room is None:
            raise ActError("The match of this fixture is not on this server any more.", "no_match")
        seat = room.seats[fixture.players.index(player)]
        token = await self._token(fixture.match, seat, key) if room.key_of(seat) == key else ""
        return FixtureSeat(id_, fixture.match, seat, await self._seat_invite(league, seat, fixture.match), token)

    async def _make_match(self, league: str, fixture: FixtureView) -> None:
        found = (await self.fold(league)).league
        if fixture_in(found, fixture.number).state != "waits":
            return  # the other player has come meanwhile
        terms, rules = found.terms, self._rules_of(found.terms.edition)
        seats = [side.seat for side in rules.open(fixture.scenario, terms.options).sides.values()]
        campaign = await self.campaign(found)
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
        made = await self.matches.make_between(message, forces, partial(_seat_invite, secret), league)
        if isinstance(made, Refused):
            raise ActError(made.sentence, made.code)

        def consider(now: League, _at: int) -> tuple[Happened, ...]:
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
        # Meanwhile an organiser may have taken back the whole round.
        after = (await self.fold(league)).league.fixtures.get(fixture.number)
        if after is None or after.match != made.match:
            await self.matches.remove(made.match)

    # --- forces that live on -----------------------------------------------------------------------------------------

    async def campaign(self, league: League) -> Campaign | None:
        """Return what decides on the forces of a league; None: they do not live on. Raises `StoreError`."""
        terms = league.terms
        if terms.campaign is None:
            return None
        if league.id not in self._campaigns:
            rules = self._rules_of(terms.edition).campaign(terms.campaign)
            assert rules is not None, "checked when the league was made"
            self._campaigns[league.id] = Campaign(rules, (await self.logs.meta(league.id))[DICE])
        return self._campaigns[league.id]

    async def roster(self, league: str, key: str, player: str, invite: str = "") -> RosterView:
        """Return the roster of a player as the player with a key ("": a stranger) sees it. Raises `ActError`, `StoreError`."""
        fold, _ = await self._seen(league, key, invite)
        found, campaign = fold.league, await self.campaign(fold.league)
        member = found.players.get(player)
        if campaign is None:
            raise ActError("Forces do not live on in this league.", "no_roster")
        if member is None or (not member.has_place and key not in {player, *found.organisers}):
            raise ActError("This player is not in the league.", "no_player")
        if found.hides_forces and not found.allied(key, player):
            raise ActError("Players see each other's forces only when this league is over.", "hidden")
        names = {one.id: one.name for one in self._rules_of(found.terms.edition).info.scenarios}
        return roster_view(fold, campaign.rules, names, player, owner=key == player)

    # --- secrets -----------------------------------------------------------------------------------------------------

    async def _secret(self, league: str) -> bytes:
        if league not in self._secrets:
            self._secrets[league] = (await self.logs.meta(league))[SECRET]
        return self._secrets[league]

    async def sealing(self, league: str) -> Sealing:
        """Return what seals and opens the orders on a league's map. Raises `StoreError`."""
        return SecretSealing(hmac.digest(await self._secret(league), b"orders", hashlib.sha256))

    async def _invite(self, league: str) -> str:
        return _derived(await self._secret(league), "invite")

    async def _seat_invite(self, league: str, seat: str, match: str) -> str:
        return _seat_invite(await self._secret(league), seat, match)


def _unless_over(
    league: League, at: int, consider: Callable[[League, int], tuple[Happened, ...]]
) -> tuple[Happened, ...]:
    """Return what `consider` finds. A server that looks after a league may come after its end. Raises `ActError`."""
    if league.closed:
        raise ActError(OVER)
    return consider(league, at)


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


def _own(secret: bytes, key: str) -> str:
    """Return the token by which a player's programs read a league that is not listed."""
    return _derived(secret, f"calendar\0{key}")


def _derived(secret: bytes, words: str) -> str:
    return hmac.digest(secret, words.encode(), hashlib.sha256).hex()[:48]


def _seat_invite(secret: bytes, seat: str, match: str) -> str:
    return _derived(secret, f"seat\0{match}\0{seat}")
