"""The room of a match on this server: its connections, and the messages of its seats and spectators."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from secrets import token_bytes

from client_protocol.codec import pack, unpack
from client_protocol.from_client import (
    Answer,
    CheckHead,
    CommitRandomness,
    MakeMatch,
    Order,
    Report,
    RevealRandomness,
    Say,
    TakeSeat,
    TieSeat,
)
from client_protocol.from_server import Accepted, MatchSummary, Refused
from client_protocol.players import Webhook
from client_protocol.shapes import OptionValue
from client_protocol.view import NextMatch
from server.kernel.belief import SPECTATORS, Audience
from server.kernel.desk_facts import NextMade, Said
from server.kernel.ruleset import Ruleset
from server.matches.environment import Environment
from server.matches.log.audiences import text_of
from server.matches.log.entries import POSITION, Aside, LogError, digest
from server.matches.log.fold import Fold, folding
from server.matches.log.names import player, side_of, tidy
from server.matches.log.outcome import MatchOutcome, outcome_of
from server.matches.log.secrets import PLAYERS, Claim, Keys, Secrets, webhook_field
from server.matches.log.unreadable import unreadable
from server.matches.outlet import NoOutlet, Outlet, Outlets
from server.matches.play.agreements import Settling, settling
from server.matches.play.closing import CLOSED, closing
from server.matches.play.dormancy import Dormancy
from server.matches.play.due import due
from server.matches.play.machine_turns import MachineTurn, machine_turn, only_programs
from server.matches.play.presence import Presence
from server.matches.play.referee import Referee
from server.matches.play.seats import seated, too_late
from server.matches.play.thinking import Thinking, thinking
from server.matches.play.verdicts import (
    Verdict,
    answering,
    committing,
    id_of,
    ordering,
    revealing,
    sitting_down,
    tying,
)
from server.matches.projections import jobs
from server.matches.projections.frames import Teller
from server.matches.projections.queries import READS, Queries
from server.matches.projections.reports import ReportNote, about, note
from server.matches.projections.summary import Glance, glance, match_summary
from server.matches.publisher import Publisher
from server.matches.setup.rematch import Rematch, rematch
from server.matches.waits import SeatWaits
from server.matches.writer import Writer
from server.store.errors import LogDamaged, StoreError, StoreUnavailable
from server.store.store import MatchStore
from server.work.desk import AtOnce, Work
from server.work.slicing import in_slices

log = logging.getLogger("underfire.room")


async def _payloads(store: MatchStore, match: str, after: int = 0) -> list[bytes]:
    return [payload for _, payload in await store.read(match, after)]


class Room:
    """One match. Make it with `Room.load`.

    Args:
        store: holds the log.
        secrets: the match's private fields.
        referee: the rules on the match's log, up to date.
        writer: writes the log.
        teller: makes the frames for its audiences.
        presence: the connections of its seats on this server.
        outlet: sends frames to the connections.
        environment: clocks and policies of this server.
        changed: called when the number of spectators has changed.
        work: runs long computations.
        left: called when a connection of a seat has ended.
    """

    def __init__(
        self,
        store: MatchStore,
        secrets: Secrets,
        referee: Referee,
        writer: Writer,
        teller: Teller,
        presence: Presence,
        outlet: Outlet,
        environment: Environment,
        changed: Callable[[], None],
        work: Work,
        left: Callable[[str], None] = lambda _seat: None,
    ) -> None:
        self._left = left
        self.match = referee.fold.opened.match
        self._store = store
        self._secrets = secrets
        self._referee = referee
        self._writer = writer
        self._presence = presence
        self._outlet = outlet
        self._environment = environment
        self._changed = changed
        self._work = work
        self._seated: dict[object, Audience] = {}
        self._watching = 0
        self.teller = teller
        """Makes the frames for the match's audiences."""
        self.queries = Queries(referee, partial(_payloads, store, self.match), work, environment.adviser)
        """The match's queries."""

    @classmethod
    async def load(
        cls,
        match: str,
        store: MatchStore,
        rules_of: Callable[[str], Ruleset],
        environment: Environment,
        changed: Callable[[bool], None] = lambda _own: None,
        removed: Callable[[], None] = lambda: None,
        work: Work | None = None,
        outlets: Outlets = NoOutlet,
        left: Callable[[str], None] = lambda _seat: None,
    ) -> Room:
        """Return the room of a match, made from its log.

        Args:
            match: its id.
            store: holds the log.
            rules_of: the editions.
            environment: clocks and policies of this server.
            changed: called after every entry, and when the number of spectators has changed, with whether this server wrote it.
            removed: called when the operator has removed the match.
            work: runs long computations; None: they run at once.
            outlets: makes the outlet that sends frames to the connections.
            left: called when a connection of a seat has ended.

        Raises:
            StoreError: there is no such match, or the store is away.
            LogError: its log cannot be read.
        """
        meta = await store.get_meta(match)
        entries = await store.read(match)
        if "secret" not in meta:
            raise LogDamaged(match, "the secret of its dice is missing")
        secrets = Secrets(Keys(meta))
        fold = Fold(entries[0][1])
        work = work or AtOnce(rules_of)
        await in_slices(folding(fold, [payload for _, payload in entries[1:]]))
        fold.keep_small()
        rules = rules_of(fold.opened.edition)
        # A new referee runs the rules from the last boundary on.
        referee = await thinking(work, fold.state, lambda: Referee(rules, secrets.keys.secret, fold))
        teller, presence = Teller(rules, fold, referee.ask, watched=()), Presence()
        outlet = outlets(teller.snapshot)
        publisher = Publisher(referee, teller, outlet, presence, changed)
        writer = Writer(
            store,
            referee,
            publisher.publish,
            think=Thinking(work, referee, lambda: store.busy),
            expect=publisher.expect,
            confirm=publisher.confirm,
            due=partial(due, referee, secrets, presence, environment.abandonment),
            environment=environment,
            removed=removed,
            reread=partial(_reread, store, match, secrets),
        )
        room = cls(
            store,
            secrets,
            referee,
            writer,
            teller,
            presence,
            outlet,
            environment,
            partial(changed, False),  # noqa: FBT003 - a callback's shape
            work,
            left,
        )
        try:
            await room.settle()
        except BaseException:
            # Its writer follows the log, and holds the match.
            await room.close()
            raise
        return room

    async def settle(self) -> None:
        """Append what is due, after loading or when the store is back."""
        await self._writer.settle()

    async def tick(self) -> None:
        """Append what is due by now: a player's time is up."""
        await self._writer.tick()

    async def close(self) -> None:
        """Stop. Callers that wait for an answer are told that its outcome is unknown."""
        await self._writer.close()

    # --- who is here -------------------------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        """Whether there are no connections."""
        return not self._seated

    async def admit(self, token: str) -> Audience | None:
        """Return the audience that `token` admits to: a seat, the spectators for no token, None for a wrong one.

        Raises:
            StoreUnavailable: the token is not known here, and the database is away.
        """
        if not token:
            return SPECTATORS
        seat = self._seat_of(token)
        if seat is None:
            # Another server may have issued it since.
            await _reread(self._store, self.match, self._secrets)
            seat = self._seat_of(token)
        return seat

    def _seat_of(self, token: str) -> str | None:
        keys = self._secrets.keys
        return keys.seat_of(token) or keys.tied_seat_of(token, self._referee.fold.state.desk.keys)

    def enter(self, audience: Audience, since: int, connection: object) -> None:
        """Send the connection the frames that it missed since the frame `since`, and every frame from now on."""
        self._seated[connection] = audience
        if isinstance(audience, str):
            self._presence.come(audience, connection)
            self._writer.nudge()
        self.teller.watch(audience)
        self._outlet.enter(audience, connection, since, self._referee.fold.seqs[audience])
        self._count_spectators()

    def leave(self, connection: object) -> None:
        """Forget the connection."""
        audience = self._seated.pop(connection, None)
        if audience is not None:
            self._outlet.leave(audience, connection)
            if isinstance(audience, str):
                self._presence.go(audience, connection)
                self._writer.nudge()
                self._left(audience)
            self._count_spectators()
        if self.empty:
            self.queries.forget()
            self.teller.rest()

    def _count_spectators(self) -> None:
        watching = sum(audience == SPECTATORS for audience in self._seated.values())
        if watching != self._watching:
            self._watching = watching
            self._changed()

    def summary(self) -> MatchSummary:
        """Return the match's summary for a start page."""
        return match_summary(self._referee.fold, self._referee.ask, self._watching, self._referee.rules)

    def glance(self) -> Glance:
        """Return what has changed if the summary has changed."""
        return glance(self._referee.fold, self._referee.ask, self._watching)

    @property
    def rules(self) -> Ruleset:
        """The rules of the match."""
        return self._referee.rules

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """The match's options, all of them."""
        return self._referee.fold.state.options

    @property
    def seats(self) -> tuple[str, ...]:
        """The match's seats."""
        return self._referee.fold.seats

    @property
    def programs(self) -> Mapping[str, str]:
        """The seats that programs hold."""
        return self._referee.fold.state.desk.machines

    @property
    def inviting(self) -> bool:
        """Whether anyone may take a free seat: the match is listed, and was not played elsewhere before."""
        fold = self._referee.fold
        return fold.opened.listed and not fold.state.desk.commitment

    def kept(self, seat: str) -> bool:
        """Whether a seat is kept for the player whose force lies on the desk."""
        return seat in self._referee.fold.state.desk.forces and seat not in self._referee.fold.state.desk.players

    @property
    def mustering(self) -> bool:
        """Whether forces can still be brought: the match begins from its scenario, and has not begun."""
        fold = self._referee.fold
        return fold.opened.scenario != POSITION and fold.to_begin and fold.boundary_entry == 1

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._referee.fold.state.result is not None

    def outcome(self) -> MatchOutcome | None:
        """Return how the match ended; None if it is not over."""
        return outcome_of(self._referee.fold)

    async def payloads(self, after: int = 0) -> list[bytes]:
        """Return the log after an entry; by default the whole log.

        Raises:
            StoreError: the log cannot be read now.
        """
        return await _payloads(self._store, self.match, after)

    async def check_head(self, message: CheckHead) -> Accepted | Refused:
        """Say whether an entry of the log has a hash that this server or another one told someone."""
        head, fold = message.head, self._referee.fold
        if not fold.holds(head):
            try:
                # What another server has already told may not have arrived here yet.
                newer = await self.payloads(fold.number)
            except StoreError as error:
                return unreadable(message.id, error, "it cannot be compared now")
            if head not in map(digest, newer) and not fold.holds(head):
                return Refused(
                    message.id, "other_log", "No entry of this match's log has that hash: it is another log."
                )
        return Accepted(message.id)

    @property
    def length(self) -> int:
        """The number of entries in the log."""
        return self._referee.fold.number

    @property
    def published(self) -> bool:
        """Whether the match has ended and its dice secret is published."""
        return bool(self._referee.fold.state.desk.secret)

    @property
    def removed(self) -> bool:
        """Whether the operator has removed the match."""
        return self._writer.removed

    @property
    def listed(self) -> bool:
        """Whether the start page shows the match."""
        return self._referee.fold.opened.listed

    async def dismiss(self) -> None:
        """Tell all connections that the operator has removed the match, and close them."""
        await self._outlet.dismiss()

    @property
    def unattended(self) -> bool:
        """Whether only programs play the match, and no connection is there."""
        return self.empty and only_programs(self._referee.fold)

    def waits(self) -> tuple[SeatWaits, ...]:
        """Return the decisions that wait for players."""
        fold = self._referee.fold
        state, desk = fold.state, fold.state.desk
        return tuple(
            SeatWaits(
                seat,
                state.sides[side_of(state, seat)].name,
                desk.players.get(seat, ""),
                desk.keys.get(seat, ""),
                fold.prompt_id(seat),
                fold.decided_at,
                bool(self._presence.here(seat)),
            )
            for seat in self.glance().deciding
            if state.result is None and seat not in desk.machines and seat not in desk.conceded
        )

    @property
    def tied(self) -> bool:
        """Whether a seat is tied to a player's key."""
        return bool(self._referee.fold.state.desk.keys)

    @property
    def webhooks(self) -> tuple[str, ...]:
        """The seats that have named a webhook for the match."""
        return tuple(self._secrets.keys.webhooks)

    def webhook(self, seat: str) -> Webhook | None:
        """Return the webhook that a seat has named."""
        held = self._secrets.keys.webhooks.get(seat)
        return None if held is None else unpack(held, Webhook)

    async def set_webhook(self, seat: str, webhook: Webhook | None) -> None:
        """Name the webhook of a seat, or none. Raises `StoreError`."""
        fields = {webhook_field(seat): b"" if webhook is None else pack(webhook)}
        await self._store.put_meta(self.match, fields, told=True)
        await _reread(self._store, self.match, self._secrets)

    @property
    def connected(self) -> tuple[str, ...]:
        """The seats that are connected to this server."""
        return tuple(seat for seat in self.seats if self._presence.here(seat))

    def machine_turn(self) -> MachineTurn | None:
        """Return what a program is asked that plays a seat; None if none is."""
        return machine_turn(self._referee, self._secrets)

    # --- what seats want ---------------------------------------------------------------------------------------------

    def answer(self, seat: str, message: Answer) -> asyncio.Future[Accepted | Refused]:
        """Take a seat's answer; return the future of the reply: it is in the log, or refused."""
        verdict = partial(answering, self._referee, seat, message, self._environment.up_ms)
        return self._writer.write(seat, message.id, id_of(seat, message.id), verdict)

    async def answer_of_program(self, seat: str, message: Answer) -> Accepted | Refused:
        """Take the answer of the program that plays a seat."""
        verdict = partial(answering, self._referee, seat, message, self._environment.up_ms, program=True)
        return await self._writer.write(seat, message.id, id_of(seat, message.id), verdict)

    async def say(self, audience: Audience, name: str, message: Say) -> Accepted | Refused:
        """Take a line of chat. `name` is the spectator's name, or ""."""
        speaker = text_of(audience)
        answer_id = id_of(speaker, message.id)
        text = tidy(message.text)
        if not text:
            return Refused(message.id, "empty", "The line is empty.")
        if (audience == SPECTATORS) != (message.channel == "spectators"):
            speaks = "spectators talk among themselves" if audience == SPECTATORS else "seats talk at the table"
            return Refused(message.id, "channel", f"This is not a channel for you: {speaks}.")
        aside = Aside((Said(speaker, tidy(name), text, message.channel),), speaker, answer_id)
        return await self._writer.write(audience, message.id, answer_id, lambda: aside)

    async def settle_on_desk(self, seat: str, message: Settling) -> Accepted | Refused:
        """Take a message of players' agreements: offers, taking back, conceding, claiming."""
        answer_id = id_of(seat, message.id)
        verdict = partial(
            settling,
            self._referee,
            seat,
            message,
            answer_id,
            self._environment.abandonment,
            self._environment.up_ms,
            self._environment.programs,
        )
        return await self._writer.write(seat, message.id, answer_id, verdict)

    async def rematch(
        self, message: MakeMatch, keys: Keys, rules_of: Callable[[str], Ruleset], *, lost: bool
    ) -> Rematch | Refused:
        """Return the next match of the same players (see `setup.rematch`). Raises `StoreError`."""
        fold = self._referee.fold
        opened = fold.opened
        if opened.scenario == POSITION:
            # A position is not kept in memory.
            opened = Fold((await self.payloads())[0]).opened
        return rematch(message, opened, fold.state, keys, rules_of, lost=lost)

    @property
    def followed_by(self) -> NextMatch | None:
        """The next match of the same players, if one of them has made one."""
        return self._referee.fold.state.desk.followed_by

    async def follow(self, next_: NextMade, before: NextMatch | None, id_: str) -> Accepted | Refused:
        """Tell the players of the next match, if none has been made since `before` was known."""

        def verdict() -> Verdict:
            if self.followed_by != before:
                return Refused(id_, "no_rematch", "The next match has been made already: sit down there.")
            return Aside((next_,), "", f"next:{next_.match}")

        return await self._writer.write(SPECTATORS, id_, f"next:{next_.match}", verdict)

    async def report(self, audience: Audience, message: Report) -> Accepted | Refused:
        """Take a report of a line of chat, for the server's operator. Other players never learn of it."""
        try:
            found = await self._work.do(READS, jobs.found_said, await self.payloads(), audience, message.frame)
        except (StoreError, LogError) as error:
            return unreadable(message.id, error, "nothing can be reported now")
        if found is None:
            return Refused(message.id, "nothing_said", "There is no line of chat there.")
        entry, said = found
        name = player(self._referee.fold.state, said.seat) if said.seat else said.name
        report = ReportNote(
            self.match, entry.number, said.seat, name, said.text, entry.at, text_of(audience), tidy(message.reason)
        )
        try:
            new = await self._store.report(note(report), about(report))
        except StoreUnavailable:
            return Refused(
                message.id, "database_away", "The server cannot reach its database: nothing can be reported now."
            )
        if new:
            log.warning(
                "match %s: entry %d was reported",
                self.match,
                entry.number,
                extra={"match": self.match, "entry": entry.number},
            )
        return Accepted(message.id, self._referee.fold.seqs[audience])

    async def end(self, why: str) -> Accepted | Refused:
        """End the match as its server's operator decides, for the reason `why`; return when all are told, or why it cannot be."""
        return await self._writer.write(SPECTATORS, "", CLOSED, partial(closing, self._referee, why))

    async def attend_to_dormancy(self, policy: Dormancy, number: int) -> Accepted | Refused:
        """Append the warning or the end that is due by the operator's policy for matches that are not played any more, if the
        entry `number` is still the last one; return when all are told, or why nothing is due.
        """
        fold, now = self._referee.fold, self._environment.now_ms
        verdict = lambda: policy.due(self._referee, number, now(), self._environment.up_ms())  # noqa: E731
        done = await self._writer.write(SPECTATORS, "", policy.answer_id(fold, number), verdict)
        # When a match has ended, its secret is published before the next turn.
        await self._writer.settle()
        return done

    async def order(self, seat: str, message: Order) -> Accepted | Refused:
        """Take a standing order for one of the seat's units. Other players do not notice."""
        verdict = partial(ordering, self._referee, seat, message)
        return await self._writer.write(seat, message.id, id_of(seat, message.id), verdict)

    def key_of(self, seat: str) -> str:
        """Return the player's key that a seat is tied to, "" for none."""
        return self._referee.fold.state.desk.keys.get(seat, "")

    async def tie(self, seat: str, message: TieSeat) -> Accepted | Refused:
        """Tie a seat to a player's key, for the log and for all to see."""
        try:
            # The tokens follow from it that the holder of the key gets on other devices.
            await self._store.claim_meta(self.match, PLAYERS, token_bytes(32))
        except StoreUnavailable as error:
            return unreadable(message.id, error, "the seat cannot be tied now")
        return await self._writer.write(
            seat, message.id, id_of(seat, message.id), partial(tying, self._referee, seat, message)
        )

    async def commit(self, seat: str, message: CommitRandomness) -> Accepted | Refused:
        """Take a seat's commitment to its share of the dice."""
        return await self._writer.write(seat, message.id, "", partial(committing, self._referee, seat, message))

    async def reveal(self, seat: str, message: RevealRandomness) -> Accepted | Refused:
        """Take a seat's share of the dice, once every seat has committed to its own."""
        verdict = partial(revealing, self._referee, seat, message, self._environment.up_ms)
        return await self._writer.write(seat, message.id, "", verdict)

    def no_seat(self, message: TakeSeat, keys: Keys) -> Refused | None:
        """Return why no player can take a seat with these private fields; None if one may try."""
        if message.seat not in self.seats:
            return Refused(message.id, "no_seat", f"The seats of this match are {', '.join(self.seats)}.")
        if message.seat in self.programs:
            return Refused(message.id, "seat_taken", "This seat is no player's: a program holds it.")
        return too_late(message.id) if self.over and message.seat not in keys.claims else None

    async def sit_down(self, seat: str, claim: Claim, id_: str = "") -> Accepted | Refused:
        """Note that the player who has claimed `seat` sits there now."""
        answer_id = seated(seat, claim, self._referee.fold.state).answer
        return await self._writer.write(seat, id_, answer_id, partial(sitting_down, self._referee, seat, claim, id_))


async def _reread(store: MatchStore, match: str, secrets: Secrets) -> None:
    """Read a match's private fields again. Raises `StoreError`."""
    secrets.keys = Keys(await store.get_meta(match))
