"""Every message of the wire, with what it carries: from here both ends take them. Ids are strings; see PROTOCOL.md."""

from __future__ import annotations

from client_protocol.from_client import (
    Answer,
    CheckForce,
    CheckHead,
    CheckSetup,
    Claim,
    CommitRandomness,
    Concede,
    EnterLobby,
    EnterMatch,
    ExportCase,
    ExportSetup,
    ExportText,
    ForkPoint,
    GhostPlaces,
    Imagine,
    ImportMatch,
    Inquire,
    Ledger,
    Look,
    MakeMatch,
    MakeOffer,
    MoreMatches,
    Order,
    Ping,
    Recall,
    Replay,
    Report,
    Respond,
    RevealRandomness,
    Say,
    TakeBack,
    TakeSeat,
    Upload,
)
from client_protocol.from_server import (
    Accepted,
    Chance,
    EditionInfo,
    Exported,
    ForceChecked,
    Goodbye,
    History,
    Imagined,
    Imagining,
    LuckLedger,
    Matches,
    MatchesChanged,
    MatchInfo,
    MatchMade,
    MatchPage,
    OptionChoice,
    OptionInfo,
    Pass,
    Pong,
    Preview,
    Refused,
    Remembered,
    ReplayFrame,
    ReplayPart,
    ScenarioInfo,
    Score,
    SeatTaken,
    SetupChecked,
    Sight,
    SightRay,
    Snapshot,
    Status,
    Update,
    Welcome,
)
from client_protocol.shapes import OptionValue

__all__ = [
    "Accepted",
    "Answer",
    "Chance",
    "CheckForce",
    "CheckHead",
    "CheckSetup",
    "Claim",
    "ClientMessage",
    "CommitRandomness",
    "Concede",
    "EditionInfo",
    "EnterLobby",
    "EnterMatch",
    "ExportCase",
    "ExportSetup",
    "ExportText",
    "Exported",
    "ForceChecked",
    "ForkPoint",
    "GhostPlaces",
    "Goodbye",
    "History",
    "Imagine",
    "Imagined",
    "Imagining",
    "ImportMatch",
    "Inquire",
    "Ledger",
    "Look",
    "LuckLedger",
    "MakeMatch",
    "MakeOffer",
    "MatchInfo",
    "MatchMade",
    "MatchPage",
    "Matches",
    "MatchesChanged",
    "MoreMatches",
    "OptionChoice",
    "OptionInfo",
    "OptionValue",
    "Order",
    "Pass",
    "Ping",
    "Pong",
    "Preview",
    "Recall",
    "Refused",
    "Remembered",
    "Replay",
    "ReplayFrame",
    "ReplayPart",
    "Report",
    "Respond",
    "RevealRandomness",
    "Say",
    "ScenarioInfo",
    "Score",
    "SeatTaken",
    "ServerMessage",
    "SetupChecked",
    "Sight",
    "SightRay",
    "Snapshot",
    "Status",
    "TakeBack",
    "TakeSeat",
    "Update",
    "Upload",
    "Welcome",
]

ClientMessage = (
    EnterLobby
    | EnterMatch
    | MoreMatches
    | MakeMatch
    | Upload
    | CheckSetup
    | ImportMatch
    | TakeSeat
    | CheckForce
    | CommitRandomness
    | RevealRandomness
    | Answer
    | Inquire
    | Order
    | Look
    | Imagine
    | TakeBack
    | MakeOffer
    | Respond
    | Concede
    | Claim
    | Say
    | Report
    | Recall
    | Replay
    | Ledger
    | ExportCase
    | ExportSetup
    | ExportText
    | CheckHead
    | Ping
)

ServerMessage = (
    Welcome
    | Matches
    | MatchesChanged
    | MatchPage
    | MatchMade
    | SeatTaken
    | ForceChecked
    | SetupChecked
    | Snapshot
    | Update
    | Accepted
    | Refused
    | Preview
    | Sight
    | Imagined
    | History
    | ReplayPart
    | LuckLedger
    | Exported
    | Status
    | Pong
    | Goodbye
)
