"""Frames and snapshots: what each audience is sent of a match, a pure function of the log.

Everything here reads `believed(state, audience)`, which leaves out what the audience may not know.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Prompt
from client_protocol.from_server import Snapshot, Update
from client_protocol.view import View
from server.kernel.answers.check import Ask
from server.kernel.belief import Audience, believed
from server.kernel.differences import diff
from server.kernel.ruleset import Ruleset
from server.kernel.state import Desk, State
from server.kernel.views import DeskView, Renderer, table_view
from server.matches.log.audiences import text_of
from server.matches.log.entries import POSITION, Opened, Stepped
from server.matches.log.fold import Added, Fold
from server.matches.play.referee import Coming
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
        # A renderer may reuse what it made before, so it must serve equals only: one for all audiences from which nothing is
        # hidden, and one for each other audience.
        self._open = Renderer(rules)
        self._partial: dict[Audience, Renderer] = {}
        self._without_orders = WithoutOrders(rules)
        self._shared: tuple[Desk | None, tuple[tuple[str, ...], tuple[str, ...]]] = (None, ((), ()))
        self._seen = self._look(fold.audiences if watched is None else watched, ask)
        """What the audiences that are watched have been sent."""
        self._coming: Told | None = None
        """The story of an entry that is on its way to the log."""
        self._randomness = self._shares()

    def prompt(self, seat: str) -> Prompt | None:
        """Return the prompt that is open to `seat`, or None."""
        return self._prompt(believed(self._fold.state, seat), seat, self._ask)

    def watch(self, audience: Audience) -> None:
        """Make frames for an audience from now on."""
        if audience not in self._seen:
            self._seen.update(self._look((audience,), self._ask))

    def rest(self) -> None:
        """Drop what can be rendered again: no connection is there. A view is as large as the state."""
        self._open.forget()
        for renderer in self._partial.values():
            renderer.forget()
        for seen in self._seen.values():
            seen.shown.rendered = None

    def _forget(self, audiences: Collection[Audience]) -> None:
        """Forget what audiences have seen that are watched no more."""
        for audience in audiences:
            del self._seen[audience]
            self._partial.pop(audience, None)
        if not self._seen:
            self._open = Renderer(self._rules)

    def expect(self, coming: Coming) -> None:
        """Render ahead what will be told of a step that is on its way to the log: players wait for it, and may do so meanwhile.
        If it does not come, nothing has happened.
        """
        rendered: set[Renderer] = set()
        for audience, seen in self._seen.items():
            known = believed(coming.after, audience)
            renderer = self._renderer(coming.after, known, audience)
            if renderer not in rendered:
                rendered.add(renderer)
                # Before anything newer is rendered, as in `tell`.
                seen.shown.view()
                renderer.expect(known)
        if rendered:
            self._coming = Told(self._rules, coming.envelope, coming.before)
            self._coming.expect()

    def tell(self, added: Added, ask: Ask | None, awaited: Collection[Audience] | None = None) -> list[Frame]:
        """Return the frames of the entry that the fold has just taken in, that of the seat that caused it last.

        Args:
            added: the entry.
            ask: the open ask now.
            awaited: the audiences that need frames (None: all that are watched). The others are watched no more.
        """
        self._ask = ask
        told, self._coming = self._coming, None
        frames: list[Frame] = []
        if awaited is not None:
            self._forget([audience for audience in self._seen if audience not in awaited])
        if not self._seen:
            self._randomness = self._shares()
            return frames
        if told is None or not told.tells(added.envelope):
            told = Told(self._rules, added.envelope, added.before)
        randomness = self._shares()
        committed, revealed = (
            now if now != was else None for now, was in zip(randomness, self._randomness, strict=True)
        )
        self._randomness = randomness
        private = len(added.noticing) < len(self._fold.audiences)
        patches: dict[tuple[int, int], dict[str, Any]] = {}
        noticing = [audience for audience in added.noticing if audience in self._seen]
        looks = self._look(noticing, ask)
        for audience in looks:
            # Before anything newer is rendered: of two views in a row, a renderer takes over what is alike.
            self._seen[audience].shown.view()
        for audience, now in looks.items():
            was, self._seen[audience] = self._seen[audience], now
            pair = (id(was.shown), id(now.shown))
            if pair not in patches:
                patches[pair] = diff(was.shown.view(), now.shown.view())
            update = Update(
                seq=self._fold.seqs[audience],
                patch=patches[pair],
                story=told.to(audience),
                prompt=now.prompt if now.prompt != was.prompt else None,
                closed=was.prompt is not None and (now.prompt is None or now.prompt.id != was.prompt.id),
                committed=committed,
                revealed=revealed,
                head=self._head(audience),
            )
            frames.append(Frame(audience, update.seq, update, private))
        if isinstance(added.envelope.body, Stepped):
            # The others wait for what a player has done, and each frame takes time to send: the player's own comes last.
            doer = added.envelope.body.seat
            frames.sort(key=lambda frame: frame.audience == doer)
        return frames

    def snapshot(self, audience: Audience) -> Snapshot:
        """Return the snapshot of all that `audience` sees, at its last frame."""
        fold = self._fold
        seen = self._seen.get(audience) or self._look((audience,), self._ask)[audience]
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

    def _look(self, audiences: Collection[Audience], ask: Ask | None) -> dict[Audience, _Seen]:
        """Return what these audiences see now; the same view for all from which nothing is hidden."""
        state = self._fold.state
        ways = ways_back(self._fold, ask, self._without_orders)
        asked = frozenset(ask.seats) if ask is not None else frozenset()
        plain = DeskView(asked, ways, concludes=self._fold.concludes)
        everything = _Shown(self._open, state, plain)
        found: dict[Audience, _Seen] = {}
        for audience in audiences:
            known = believed(state, audience)
            renderer = self._renderer(state, known, audience)
            if renderer is self._open:
                shown = everything
            elif state.desk.offers:
                shown = _Shown(renderer, known, replace(plain, offers=offers(self._rules, self._fold, audience)))
            else:
                shown = _Shown(renderer, known, plain)
            found[audience] = _Seen(shown, self._prompt(known, audience, ask))
        return found

    def _head(self, audience: Audience) -> bytes:
        """Return the hash that goes with the audience's last frame, or b"" if that names none."""
        told = self._fold.state.result is not None or self._fold.seqs[audience] % HEADS_APART == 0
        return self._fold.heads[audience] if told else b""

    def _renderer(self, state: State, known: State, audience: Audience) -> Renderer:
        """Return the renderer for an audience that knows `known` of `state`."""
        if known is state and not state.desk.offers:
            return self._open
        renderer = self._partial.get(audience)
        if renderer is None:
            renderer = self._partial[audience] = Renderer(self._rules)
        return renderer

    def _prompt(self, state: State, audience: Audience, ask: Ask | None) -> Prompt | None:
        seat = audience if isinstance(audience, str) else None
        asked = ask.seats.get(seat) if ask is not None and seat is not None else None
        if asked is None or seat is None:
            return None
        return Prompt(
            id=self._fold.prompt_id(seat),
            seat=seat,
            title=asked.title,
            choices=asked.choices,
            default=asked.default,
            rule=asked.rule,
            unit=asked.unit,
            sealed=ask is not None and len(ask.seats) > 1,
            answered=seat in state.sealed,
        )

    def _shares(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        desk, seats = self._fold.state.desk, self._fold.seats
        before, shares = self._shared
        if before is None or desk.digests is not before.digests or desk.randomness is not before.randomness:
            shares = (
                tuple(seat for seat in seats if seat in desk.digests),
                tuple(seat for seat in seats if seat in desk.randomness),
            )
            self._shared = desk, shares
        return shares


def origin(opened: Opened) -> str:
    """Return the origin of a match that did not begin from a scenario, in a sentence."""
    if opened.forked is not None:
        # Of a match in play or unlisted, not everything is told: see `forks.fork`.
        step = f"step {opened.forked.entry - 1}" if opened.forked.entry else "a step"
        match = f"the match {opened.forked.match}" if opened.forked.match else "another match"
        return f"It goes on from {step} of {match}."
    return "It was begun from a position that a player set up." if opened.scenario == POSITION else ""
