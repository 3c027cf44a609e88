"""What was acknowledged is in the log: once, as it was meant, and in the order in which it was sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from client_protocol.client.table import NOT_NOW
from client_protocol.from_client import Answer, Concede, MakeOffer, Order, Respond, Say, TakeBack
from client_protocol.from_server import Accepted
from server.kernel.desk_facts import OfferAccepted, OfferClosed, Offered, StandingOrder
from server.matches.log.entries import Aside, Body, Ended, Envelope, Opened, Rewound, Stepped, TakenBack
from tests.soak.findings import Audited, called
from tests.soak.witness import WRITTEN, Account, Sent

LATER = NOT_NOW | {"restarting"}
"""Codes of refusals that say nothing of the message."""
Places = Mapping[str, Sequence[Envelope]]
"""The entries of each answer id."""


def check_written(found: Audited, log: Sequence[Envelope], accounts: Sequence[Account]) -> Iterator[str]:
    """Hold what the tables sent against the log; gives what is wrong."""
    places = _places(log)
    for answer, there in places.items():
        if len(there) > 1:
            found.doubled += 1
            yield f"{answer} is in the log {len(there)} times"
    for account in accounts:
        yield from _replied(found, places, account)
        # A player sends the next thing when the last one is acknowledged. The talk of a table runs by itself.
        yield from _in_order(
            places, account, [id_ for id_, one in account.sent.items() if isinstance(one.message, Say)]
        )
        yield from _in_order(
            places, account, [id_ for id_, one in account.sent.items() if not isinstance(one.message, Say)]
        )


def _places(log: Sequence[Envelope]) -> Places:
    places: dict[str, list[Envelope]] = defaultdict(list)
    for envelope in log:
        if not isinstance(envelope.body, Opened | Rewound) and envelope.body.answer:
            places[envelope.body.answer].append(envelope)
    return places


def _replied(found: Audited, places: Places, account: Account) -> Iterator[str]:
    for id_, sent in account.sent.items():
        there = places.get(f"{account.audience}:{id_}", ())
        what = f"{type(sent.message).__name__} {id_} of {called(account.audience)}"
        found.compared[type(sent.message).__name__ + _fate(sent)] += 1
        if isinstance(sent.reply, Accepted) and not there and not sent.void:
            found.lost += 1
            yield f"{what} was acknowledged, and is not in the log"
        elif sent.reply is not None and not isinstance(sent.reply, Accepted) and there:
            yield f"{what} was refused ({sent.reply.code}), and is in the log"
        yield from _again(found, sent, what, written=bool(there))
        for envelope in there:
            if not _means(sent.message, envelope.body):
                yield f"{what} was {sent.message}, and entry {envelope.number} is something else"


def _again(found: Audited, sent: Sent, what: str, *, written: bool) -> Iterator[str]:
    """What was sent once more is replied to as it was the first time, or later: it counts once."""
    for reply in sent.again:
        found.compared["replies to what was sent again"] += 1
        if isinstance(reply, Accepted):
            if not written:
                found.lost += 1
                yield f"{what} was acknowledged when it was sent again, and is not in the log"
        elif isinstance(sent.reply, Accepted) and reply.code not in LATER:
            yield f"{what} was acknowledged, and refused ({reply.code}) when it was sent again"


def _fate(sent: Sent) -> str:
    if sent.reply is None:
        return " without a reply"
    return "" if isinstance(sent.reply, Accepted) else " refused"


def _in_order(places: Places, account: Account, ids: Sequence[str]) -> Iterator[str]:
    numbers = [envelope.number for id_ in ids for envelope in places.get(f"{account.audience}:{id_}", ())]
    for before, after in pairwise(numbers):
        if after < before:
            yield f"{called(account.audience)} sent entry {before} before entry {after}"


def _means(message: WRITTEN, body: Body) -> bool:
    """Whether an entry is what a message asked for."""
    facts = body.facts if isinstance(body, Aside) else ()
    match message:
        case Answer():
            picked = body.picked if isinstance(body, Stepped) else None
            return picked is not None and (picked.choice, picked.values) == (message.choice, message.values)
        case Say():
            said = body.said if isinstance(body, Aside) else None
            return said is not None and (said.text, said.channel) == (message.text, message.channel)
        case TakeBack():
            offered = any(isinstance(fact, Offered) and fact.kind == "take_back" for fact in facts)
            return isinstance(body, TakenBack) or offered
        case MakeOffer():
            return any(isinstance(fact, Offered) and fact.kind == message.kind for fact in facts)
        case Respond():
            kind = OfferAccepted if message.accept else OfferClosed
            return any(isinstance(fact, kind) and fact.offer == message.offer for fact in facts)
        case Order():
            return StandingOrder(message.unit, message.order) in facts
        case Concede():
            return isinstance(body, Ended | Aside)
