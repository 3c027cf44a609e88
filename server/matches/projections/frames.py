"""Frames and snapshots: what each audience is sent of a match, a pure function of the log.

Everything here reads `believed(state, audience)`, which leaves out what the audience may not know.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Prompt
from client_protocol.from_server import Snapshot, Update
from client_protocol.view import View
from server.kernel.answers.check import Ask
from server.kernel.belief import SPECTATORS, Audience, believed
from server.kernel.differences import diff
from server.kernel.ruleset import Ruleset
from server.kernel.state import Desk, State
from server.kernel.views import DeskView, Renderer, table_view
from server.matches.log.audiences import text_of
from server.matches.log.entries import POSITION, Opened, Stepped
from server.matches.log.fold import Added, Coming, Fold
from server.matches.play.taking_back import ways_back
from server.matches.play.without_orders import WithoutOrders
from server.matches.projections.offers import offers
from server.matches.projections.story import Told

HEADS_APART = 8
"""An audience is told the hash of an entry in every so many-th of its frames, by their numbers, and in all once the match is
over: a hash cannot be compressed, and a later one stands for all entries before it.
"""


class Frame(Struct, frozen=True):
    """A frame for one audience: its number in the audience's sequence, and the message. It is `private` if there is an audience
    that does not notice the entry.
    """

    audience: Audience
    seq: int
    update: Update
    private: bool = False


class _Shown(Struct):
    """A view, and all that it is rendered from: None while it need not be at hand."""

    renderer: Renderer
    state: State
    desk: DeskView
    rendered: View | None = None

    def view(self) -> View:
        if self.rendered is None:
            self.rendered = self.renderer.view(self.state, self.desk)
        return self.rendered

    def view_once(self) -> View:
        """Return the view; one that was not at hand is not kept."""
        return self.renderer.afresh().view(self.state, self.desk) if self.rendered is None else self.rendered


class _Seen(Struct, frozen=True):
    """What an audience has been sent so far. Audiences from which nothing is hidden share what they are shown."""

    shown: _Shown
    prompt: Prompt | None


class _Renderers:
    """The renderers of one match. A renderer may reuse what it made before, so it must serve equals only: one is for all
    audiences from which nothing is hidden, and one for each other audience.
    """

    def __init__(self, rules: Ruleset) -> None:
        self._rules = rules
        self.open = Renderer(rules)
        self._partial: dict[Audience, Renderer] = {}

    def of(self, state: State, known: State, audience: Audience) -> Renderer:
        """Return the renderer for an audience that knows `known` of `state`."""
        if known is state and not state.desk.offers:
            return self.open
        renderer = self._partial.get(audience)
        if renderer is None:
            renderer = self._partial[audience] = Renderer(self._rules)
        return renderer

    def drop(self, audience: Audience) -> None:
        """Drop the renderer of an audience that is watched no more."""
        self._partial.pop(audience, None)

    def begin(self) -> None:
        """Begin anew with what is shown to those from whom nothing is hidden."""
        self.open = Renderer(self._rules)

    def forget(self) -> None:
        """Forget what was rendered."""
        self.open.forget()
        for renderer in self._partial.values():
            renderer.forget()


class _Outlook:
    """What the audiences see of a match as a fold has it.

    Args:
        rules: the edition.
        renderers: those of the match.
        fold: the match.
        ask: the open ask.
        ways: how each seat may take back.
    """

    def __init__(
        self,
        rules: Ruleset,
        renderers: _Renderers,
        fold: Fold,
        ask: Ask | None,
        ways: dict[str, Literal["free", "consent"]],
    ) -> None:
        self._rules = rules
        self._renderers = renderers
        self._fold = fold
        self.ask = ask
        asked = frozenset(ask.seats) if ask is not None else frozenset()
        self._desk = DeskView(asked, ways, concludes=fold.concludes)
        self._everything: _Shown | None = None

    def of(self, audience: Audience) -> _Seen:
        """Return what an audience sees; the same view for all from which nothing is hidden."""
        state = self._fold.state
        known = believed(state, audience)
        renderer = self._renderers.of(state, known, audience)
        if renderer is self._renderers.open:
            if self._everything is None:
                self._everything = _Shown(renderer, state, self._desk)
            shown = self._everything
        elif state.desk.offers:
            shown = _Shown(renderer, known, replace(self._desk, offers=offers(self._rules, self._fold, audience)))
        else:
            shown = _Shown(renderer, known, self._desk)
        return _Seen(shown, self.prompt(known, audience))

    def prompt(self, known: State, audience: Audience) -> Prompt | None:
        """Return the prompt that is open to an audience, which knows `known`; None if none is."""
        seat, ask = (audience if isinstance(audience, str) else None), self.ask
        if ask is None or seat is None or seat not in ask.seats:
            return None
        asked = ask.seats[seat]
        return Prompt(
            id=self._fold.prompt_id(seat),
            seat=seat,
            title=asked.title,
            choices=asked.choices,
            default=asked.default,
            rule=asked.rule,
            unit=asked.unit,
            sealed=len(ask.seats) > 1,
            answered=seat in known.sealed,
        )

    def number(self, audience: Audience) -> int:
        """Return the number of an audience's last frame."""
        return self._fold.seqs[audience]

    def head(self, audience: Audience) -> bytes:
        """Return the hash that goes with the audience's last frame, or b"" if that names none."""
        told = self._fold.state.result is not None or self._fold.seqs[audience] % HEADS_APART == 0
        return self._fold.heads[audience] if told else b""


_Shares = tuple[tuple[str, ...], tuple[str, ...]]
"""The seats that have committed to a share of the dice, and those that have revealed theirs."""


class _Telling:
    """The frames of one entry, each made when it is first asked for.

    Args:
        added: the entry: in the log, or on its way there.
        outlook: what the audiences see after it.
        told: its story.
        shares: the shares of the dice after it.
        before: the same before it.
        private: whether there is an audience that does not notice it.
    """

    def __init__(
        self, added: Added, outlook: _Outlook, told: Told, shares: _Shares, before: _Shares, *, private: bool
    ) -> None:
        self.added = added
        self.outlook = outlook
        self.shares = shares
        self._told = told
        self._committed, self._revealed = (now if now != was else None for now, was in zip(shares, before, strict=True))
        self._private = private
        self._patches: dict[tuple[int, int], tuple[_Shown, dict[str, Any]]] = {}
        """How views differ, by the identities of what was and is shown; each with the former, so that no other has its id."""
        self._made: dict[Audience, tuple[_Seen, _Seen, Frame]] = {}

    def to(self, audience: Audience, was: _Seen) -> tuple[_Seen, Frame]:
        """Return what an audience sees after the entry, and its frame; `was` is what it has been sent."""
        made = self._made.get(audience)
        if made is None or made[0] is not was:
            now = self.outlook.of(audience)
            made = self._made[audience] = (was, now, self._frame(audience, was, now))
        return made[1], made[2]

    def _frame(self, audience: Audience, was: _Seen, now: _Seen) -> Frame:
        pair = (id(was.shown), id(now.shown))
        if pair not in self._patches:
            self._patches[pair] = was.shown, diff(was.shown.view(), now.shown.view())
        _, patch = self._patches[pair]
        update = Update(
            seq=self.outlook.number(audience),
            patch=patch,
            story=self._told.to(audience),
            prompt=now.prompt if now.prompt != was.prompt else None,
            closed=was.prompt is not None and (now.prompt is None or now.prompt.id != was.prompt.id),
            committed=self._committed,
            revealed=self._revealed,
            head=self.outlook.head(audience),
        )
        return Frame(audience, update.seq, update, self._private)


class Teller:
    """Makes the frames of one match for its audiences, and snapshots for connections that join.

    Args:
        rules: the edition, for its sentences.
        fold: the match's fold; the teller only reads it, and has made the frames of all its entries.
        ask: the open ask.
        watched: the audiences that it makes frames for from now on (None: all); see `watch`.
    """

    def __init__(
        self, rules: Ruleset, fold: Fold, ask: Ask | None, watched: Collection[Audience] | None = None
    ) -> None:
        self._rules = rules
        self._fold = fold
        self._ask = ask
        self._renderers = _Renderers(rules)
        self._without_orders = WithoutOrders(rules)
        self._known_shares: tuple[Desk | None, _Shares] = (None, ((), ()))
        outlook = self._outlook(fold, ask)
        self._seen = {audience: outlook.of(audience) for audience in (fold.audiences if watched is None else watched)}
        """What the audiences that are watched have been sent."""
        self._coming: _Telling | None = None
        """The frames of an entry that is on its way to the log."""
        self._randomness = self._shares(fold)

    def prompt(self, seat: str) -> Prompt | None:
        """Return the prompt that is open to `seat`, or None."""
        return self._outlook(self._fold, self._ask).prompt(believed(self._fold.state, seat), seat)

    def watch(self, audience: Audience) -> None:
        """Make frames for an audience from now on."""
        if audience not in self._seen:
            self._seen[audience] = self._outlook(self._fold, self._ask).of(audience)

    def ask_nothing(self) -> None:
        """Show no prompt from now until the next entry: what was to be asked cannot be made."""
        self._ask = None

    def rest(self) -> None:
        """Drop what can be rendered again: no connection is there. A view is as large as the state."""
        self._renderers.forget()
        for seen in self._seen.values():
            seen.shown.rendered = None

    def _forget(self, audiences: Collection[Audience]) -> None:
        """Forget what audiences have seen that are watched no more."""
        for audience in audiences:
            del self._seen[audience]
            self._renderers.drop(audience)
        if not self._seen:
            self._renderers.begin()

    def expect(self, coming: Coming, ask: Ask | None, awaited: Collection[Audience]) -> list[Frame]:
        """Return frames of a step that is on its way to the log: players wait for it, and what can be made meanwhile is. If the
        step does not come, nothing has happened.

        It makes those of the `awaited` audiences but for the seat that has decided: of that, others need not wait for what it is
        asked next. `ask` is what is open after the step.
        """
        added, fold = coming.added, coming.fold
        # Whether standing orders had a hand is found out about what is in the log.
        if added.before.desk.orders or not self._seen:
            return []
        self._coming = telling = self._telling(fold, added, ask, self._noticing(added))
        doer = _doer(added)
        return [
            telling.to(audience, self._seen[audience])[1]
            for audience in self._noticing(added)
            if audience != doer and audience in awaited
        ]

    def tell(self, added: Added, ask: Ask | None, awaited: Collection[Audience] | None = None) -> Iterator[Frame]:
        """Yield the frames of the entry that the fold has just taken in: those of the seats, that of the seat that caused it
        after the others', then that of the spectators. Each is made when it is its turn; all must be taken.

        Args:
            added: the entry.
            ask: the open ask now.
            awaited: the audiences that need frames (None: all that are watched). The others are watched no more.
        """
        self._ask = ask
        telling, self._coming = self._coming, None
        if awaited is not None:
            self._forget([audience for audience in self._seen if audience not in awaited])
        if not self._seen:
            self._randomness = self._shares(self._fold)
            return
        noticing = self._noticing(added)
        if telling is None or telling.added is not added or telling.outlook.ask is not ask:
            telling = self._telling(self._fold, added, ask, noticing)
        self._randomness = telling.shares
        doer = _doer(added)
        # The others wait for what a player has done, and each frame takes time to send.
        noticing.sort(key=lambda audience: (audience == SPECTATORS, audience == doer))
        for audience in noticing:
            self._seen[audience], frame = telling.to(audience, self._seen[audience])
            yield frame

    def _noticing(self, added: Added) -> list[Audience]:
        return [audience for audience in added.noticing if audience in self._seen]

    def _telling(self, fold: Fold, added: Added, ask: Ask | None, noticing: Collection[Audience]) -> _Telling:
        for audience in noticing:
            # Before anything newer is rendered: of two views in a row, a renderer takes over what is alike.
            self._seen[audience].shown.view()
        told = Told(self._rules, added.envelope, added.before)
        private = len(added.noticing) < len(fold.audiences)
        shares = self._shares(fold)
        return _Telling(added, self._outlook(fold, ask), told, shares, self._randomness, private=private)

    def snapshot(self, audience: Audience) -> Snapshot:
        """Return the snapshot of all that `audience` sees, at its last frame."""
        fold = self._fold
        seen = self._seen.get(audience) or self._outlook(fold, self._ask).of(audience)
        committed, revealed = self._randomness
        return Snapshot(
            seq=fold.seqs[audience],
            match=fold.opened.match,
            seat=text_of(audience),
            edition=fold.opened.edition,
            # A view is as large as the state: it is kept from the first entry on of which it is told how it differs.
            view=seen.shown.view_once(),
            table=table_view(fold.state.table, dict(self._rules.cover_names())),
            words=self._rules.words,
            commitment=fold.commitment,
            prompt=seen.prompt,
            committed=committed,
            revealed=revealed,
            orders=self._rules.orders,
            origin=origin(fold.opened),
            head=fold.heads[audience],
        )

    def _outlook(self, fold: Fold, ask: Ask | None) -> _Outlook:
        return _Outlook(self._rules, self._renderers, fold, ask, ways_back(fold, ask, self._without_orders))

    def _shares(self, fold: Fold) -> _Shares:
        desk, seats = fold.state.desk, fold.seats
        before, shares = self._known_shares
        if before is None or desk.digests is not before.digests or desk.randomness is not before.randomness:
            shares = (
                tuple(seat for seat in seats if seat in desk.digests),
                tuple(seat for seat in seats if seat in desk.randomness),
            )
            self._known_shares = desk, shares
        return shares


def _doer(added: Added) -> str:
    """Return the seat that caused an entry by a decision; "" if none did."""
    body = added.envelope.body
    return body.seat if isinstance(body, Stepped) else ""


def origin(opened: Opened) -> str:
    """Return the origin of a match that did not begin from a scenario, in a sentence."""
    if opened.forked is not None:
        # Of a match in play or unlisted, not everything is told: see `forks.fork`.
        step = f"step {opened.forked.entry - 1}" if opened.forked.entry else "a step"
        match = f"the match {opened.forked.match}" if opened.forked.match else "another match"
        return f"It goes on from {step} of {match}."
    return "It was begun from a position that a player set up." if opened.scenario == POSITION else ""
