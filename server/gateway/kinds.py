"""The kinds of messages for which there are rates: see `Limits.address`."""

from __future__ import annotations

from client_protocol.from_client import (
    ActInLeague,
    AskAdvice,
    AskChallenge,
    AskExhibition,
    AskLeague,
    AskLeagues,
    AskLuckReport,
    AskMoments,
    AskPlayer,
    AskPreview,
    AskRoster,
    AskTopic,
    AskWhatIf,
    CheckForce,
    CheckHead,
    CheckSetup,
    ClientMessage,
    ConvertForce,
    ExportCase,
    ExportSetup,
    ExportText,
    ForgetPlayer,
    ImportMatch,
    Introduce,
    Look,
    MakeLeague,
    MakeMatch,
    MoreMatches,
    Ping,
    PlayFixture,
    Recall,
    Replay,
    Report,
    Say,
    SetLeagueWebhook,
    SetMatchWebhook,
    SetNotices,
    TakeSeat,
    Upload,
)
from client_protocol.leagues import TakeStep

_KINDS: dict[type[object], str] = {
    Ping: "pings",
    **dict.fromkeys((AskPreview, AskAdvice, Look, CheckForce, ConvertForce, AskWhatIf), "previews"),
    **dict.fromkeys((Recall, Replay, CheckHead, MoreMatches, AskExhibition, AskMoments, AskLuckReport), "reads"),
    **dict.fromkeys((ExportSetup, ExportText, ExportCase, AskChallenge, AskPlayer), "reads"),
    **dict.fromkeys((AskLeagues, AskLeague, AskRoster), "reads"),
    **dict.fromkeys((Say, Report), "chat"),
    **dict.fromkeys((MakeMatch, TakeSeat, ImportMatch), "makings"),
    **dict.fromkeys((Introduce, SetNotices, SetMatchWebhook, AskTopic, ForgetPlayer), "makings"),
    **dict.fromkeys((MakeLeague, SetLeagueWebhook, PlayFixture), "makings"),
    Upload: "uploads",
    CheckSetup: "setups",
}
"""The kinds of messages by their types, but for what is done in a league; all others are answers."""


def kind_of(message: ClientMessage) -> str:
    """Return the kind of a message."""
    if isinstance(message, ActInLeague):
        return "previews" if isinstance(message.act, TakeStep) else "makings"
    return _KINDS.get(type(message), "answers")
