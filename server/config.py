"""Settings of a server: from the environment, and from flags, which win."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import TypeVar

from server.feed.address import ROOT, AddressError, BrokerAddress, broker_address, browsers_address, topic_root
from server.log_lines import LogFormat, passwords_in
from server.matches.play.abandonment import Abandonment
from server.matches.play.dormancy import Dormancy
from server.rulesets.library import EDITIONS, UNFINISHED
from server.store.redis_link import address

Network = IPv4Network | IPv6Network
T = TypeVar("T")

LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS: tuple[LogFormat, ...] = ("pretty", "json")
_ABANDONED = re.compile(r"(claim|draw):([1-9][0-9]{0,3})([mhd])")
THIS_MACHINE = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))
"""Web servers on this machine: other programs on it could do worse than to forge an address."""
LONGEST_DAYS = 36_500
SHORTEST_TOKEN = 32
"""The least characters of the operator's token."""
_TOKEN = re.compile(f"[!-~]{{{SHORTEST_TOKEN},1000}}")
_ORIGIN = re.compile(r"https?://[a-z0-9.\-\[\]:]+")


class ConfigError(ValueError):
    """A setting cannot be used; the message is a sentence that names it."""


@dataclass(frozen=True)
class Settings:
    """The settings of `underfire serve`.

    `host` and `port` say where to listen. `data_dir` is where the embedded database keeps the matches (None: the user's data
    directory). `redis_url` names a Redis to use instead. `origins` are the origins of pages that may connect, apart from the
    server's own address; their hosts are names under which it may be requested. `metrics` says whether `/metrics` is shown.
    `log_level` is one of `LOG_LEVELS`. `abandonment` is the policy for stalled matches without a clock. Matches are archived
    `archive_after` days after their end (0: never). `proxies` are the networks of trusted reverse proxies, whose
    `X-Forwarded-For` counts; `per_address` is the most open connections of one address. `signing_key_file` is the file with the
    signing key (None: in the data folder), `signing_key` that key itself, as the text of such a file.
    `unfinished` are editions that are offered although they lack rules yet, by id. At most `machine_matches` matches that only
    programs play go on while no connection is there. `exhibition` says whether start pages show two programs at play, `moments`
    whether they show moments of recorded matches. `mqtt` is the broker that listed matches are published to (None: none is),
    `mqtt_root` the first level of their topics there, `mqtt_websocket` the address at which browsers reach it ("": they do not),
    `mqtt_players` says whether players have topics of their own there, `feed_metrics` the port of the feed's own counters on this
    machine (0: none). `notices` says whether players are told of decisions that wait, from `notice_after` seconds on;
    `notice_networks` are networks that may be sent notices although they are not of the public internet, `notice_ca_file` are the
    certificates to trust then (None: the system's), and `push_contact` is where push services reach the operator.
    `admin_token` is the token with which the server takes an operator's commands ("": it takes none). `log_format` is the form of
    the log's lines, one of `LOG_FORMATS`. `dormancy` is the policy for matches that are not played any more.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    data_dir: Path | None = None
    redis_url: str | None = None
    origins: tuple[str, ...] = ()
    log_level: str = "info"
    abandonment: Abandonment = Abandonment("claim", 14 * 86_400)  # noqa: RUF009 - it is frozen
    archive_after: int = 30
    proxies: tuple[Network, ...] = THIS_MACHINE
    per_address: int = 50
    metrics: bool = False
    signing_key_file: Path | None = None
    signing_key: str | None = field(default=None, repr=False)
    unfinished: tuple[str, ...] = ()
    machine_matches: int = 2
    exhibition: bool = True
    moments: bool = True
    mqtt: BrokerAddress | None = None
    mqtt_root: str = ROOT
    mqtt_websocket: str = ""
    mqtt_players: bool = False
    feed_metrics: int = 0
    notices: bool = True
    notice_after: int = 40
    notice_networks: tuple[Network, ...] = ()
    notice_ca_file: Path | None = None
    push_contact: str = ""
    admin_token: str = field(default="", repr=False)
    log_format: LogFormat = "pretty"
    dormancy: Dormancy = Dormancy()  # noqa: RUF009 - it is frozen

    @property
    def address(self) -> str:
        """The address of the start page for links that leave the server, without a slash at its end; "" if it is not known."""
        return self.origins[0] if self.origins else ""

    @property
    def secrets(self) -> list[str]:
        """What must not come out in a log."""
        broker = None if self.mqtt is None else self.mqtt.password
        return [*filter(None, (self.admin_token, self.signing_key, broker)), *passwords_in([self.redis_url])]


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire serve`. They have no defaults: what is not given is left to the environment."""
    standard = Settings()
    parser.add_argument("--host", help=f"address to listen on; 0.0.0.0 for all (UNDERFIRE_HOST, {standard.host})")
    parser.add_argument("--port", help=f"port to listen on; 0 for a free one (UNDERFIRE_PORT, {standard.port})")
    add_database_flags(parser)
    parser.add_argument(
        "--origins",
        help="addresses under which browsers open this server, and whose pages may connect, with commas between "
        "(UNDERFIRE_ORIGINS)",
    )
    parser.add_argument(
        "--abandoned",
        help="policy for stalled matches without a clock: never, claim:14d (the others may claim the game after 14 days), "
        "draw:30d (UNDERFIRE_ABANDONED, claim:14d)",
    )
    parser.add_argument(
        "--archive-after",
        help="archive finished matches after so many days: move them from the database into files of the data folder; "
        "0 for never. With a database of your own only if the folder is named too "
        f"(UNDERFIRE_ARCHIVE_AFTER, {standard.archive_after})",
    )
    parser.add_argument(
        "--dormant-days",
        help="conclude matches in which nothing happened for so many days, and move them into files of the data folder; their "
        "players are warned before. 0 for never (UNDERFIRE_DORMANT_DAYS, 0)",
    )
    parser.add_argument(
        "--dormant-warning-days",
        help="how many days before that players are warned "
        f"(UNDERFIRE_DORMANT_WARNING_DAYS, {standard.dormancy.warning})",
    )
    parser.add_argument(
        "--proxies",
        help="addresses or networks of web servers in front of this one, with commas between; their X-Forwarded-For is "
        "believed. none: believe no address (UNDERFIRE_PROXIES, 127.0.0.0/8,::1)",
    )
    parser.add_argument(
        "--per-address",
        help=f"how many connections one address may have open (UNDERFIRE_PER_ADDRESS, {standard.per_address})",
    )
    parser.add_argument(
        "--metrics", help="on: show counters for Prometheus at /metrics (UNDERFIRE_METRICS, off)", metavar="{on,off}"
    )
    add_signing_flag(parser)
    add_admin_flag(parser)
    parser.add_argument(
        "--unfinished",
        help="ids of editions to offer although some of their rules are missing, with commas between "
        f"(UNDERFIRE_UNFINISHED, none; there {'are ' + ', '.join(sorted(UNFINISHED)) if UNFINISHED else 'is none now'})",
    )
    parser.add_argument(
        "--machine-matches",
        help="how many matches that only the computer plays go on while no one watches "
        f"(UNDERFIRE_MACHINE_MATCHES, {standard.machine_matches})",
    )
    parser.add_argument(
        "--exhibition",
        help="off: the start page shows no battle of two computers while no match is played (UNDERFIRE_EXHIBITION, on)",
        metavar="{on,off}",
    )
    parser.add_argument(
        "--moments",
        help="off: the start page shows no moments of recorded matches (UNDERFIRE_MOMENTS, on)",
        metavar="{on,off}",
    )
    parser.add_argument(
        "--notices",
        help="off: players who are not connected are not told that a decision of theirs waits (UNDERFIRE_NOTICES, on)",
        metavar="{on,off}",
    )
    parser.add_argument(
        "--notice-after",
        help="seconds after which a player who is not there is told that a decision waits "
        f"(UNDERFIRE_NOTICE_AFTER, {standard.notice_after})",
    )
    parser.add_argument(
        "--notice-networks",
        help="networks of your own to which notices may be sent, such as 10.0.0.0/8: players choose the addresses, and else only "
        "the public internet is asked (UNDERFIRE_NOTICE_NETWORKS, none)",
    )
    parser.add_argument(
        "--notice-ca-file",
        help="certificates to trust where notices are sent, in place of the system's (UNDERFIRE_NOTICE_CA_FILE)",
    )
    parser.add_argument(
        "--push-contact",
        help="mailto: or https: address at which push services reach you (UNDERFIRE_PUSH_CONTACT, the first origin)",
    )
    add_feed_flags(parser)
    parser.add_argument(
        "--mqtt-websocket",
        help="address at which browsers reach the broker, such as wss://play.example.org/mqtt: who watches a listed match gets "
        "it from there (UNDERFIRE_MQTT_WEBSOCKET)",
    )
    add_log_flags(parser)


def add_log_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the log."""
    parser.add_argument("--log-level", help=f"{', '.join(LOG_LEVELS)} (UNDERFIRE_LOG_LEVEL, info)")
    parser.add_argument(
        "--log-format",
        help="json: each line of the log, on standard error, is a JSON object (UNDERFIRE_LOG_FORMAT, pretty)",
        metavar="{pretty,json}",
    )


def add_database_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that name the database."""
    parser.add_argument("--data-dir", help="folder of the embedded database (UNDERFIRE_DATA_DIR, your data directory)")
    parser.add_argument(
        "--redis-url", help="a Redis or Valkey of your own, in place of the embedded one (UNDERFIRE_REDIS_URL)"
    )


def add_feed_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the feed. The broker's address, which may hold a password, has a variable only: UNDERFIRE_MQTT_URL."""
    parser.add_argument(
        "--feed-metrics", help="port on this machine for the feed's own counters (UNDERFIRE_FEED_METRICS, none)"
    )
    parser.add_argument(
        "--mqtt-players",
        help="on: players are told of their turn at topics of their own, too; the broker needs Mosquitto's dynamic security "
        "plugin (UNDERFIRE_MQTT_PLAYERS, off)",
        metavar="{on,off}",
    )
    parser.add_argument("--mqtt-root", help=f"first level of the topics at the broker (UNDERFIRE_MQTT_ROOT, {ROOT})")
    parser.add_argument(
        "--mqtt-ca-file",
        help="certificates to trust for the broker named in UNDERFIRE_MQTT_URL, in place of the system's "
        "(UNDERFIRE_MQTT_CA_FILE)",
    )


def add_signing_flag(parser: argparse.ArgumentParser) -> None:
    """Add the flag that names the key's file."""
    parser.add_argument(
        "--signing-key-file",
        help="the key with which files of matches are signed; made where there is none (UNDERFIRE_SIGNING_KEY_FILE, signing.pem "
        "in the data folder). The key itself may stand in the variable UNDERFIRE_SIGNING_KEY instead",
    )


def add_admin_flag(parser: argparse.ArgumentParser) -> None:
    """Add the flag that names the file of the operator's token."""
    parser.add_argument(
        "--admin-token-file",
        help="the token with which `underfire admin` commands a running server; without one it takes no commands "
        "(UNDERFIRE_ADMIN_TOKEN_FILE). The token itself may stand in the variable UNDERFIRE_ADMIN_TOKEN instead",
    )


def settings(environment: Mapping[str, str], flags: argparse.Namespace | None = None) -> Settings:
    """Return the settings from the environment and the flags.

    Args:
        environment: variables; those that begin with UNDERFIRE_ and are not empty count.
        flags: parsed flags (see `add_flags`); those that were given win over the environment.

    Raises:
        ConfigError: a value cannot be used.
    """
    standard = Settings()

    def given(name: str) -> str | None:
        flag: str | None = getattr(flags, name, None)
        return flag or environment.get(f"UNDERFIRE_{name.upper()}") or None

    key, key_file = environment.get("UNDERFIRE_SIGNING_KEY") or None, given("signing_key_file")
    if key is not None and key_file is not None:
        raise ConfigError(
            "The signing key is given twice: in UNDERFIRE_SIGNING_KEY, and as a file. Remove one of them."
        )
    dormancy = _dormancy(given("dormant_days"), given("dormant_warning_days"))
    if dormancy.days and given("redis_url") and not given("data_dir"):
        raise ConfigError(
            "Matches that are not played any more are archived in files: name the folder that the servers share with --data-dir "
            "or UNDERFIRE_DATA_DIR, or leave UNDERFIRE_DORMANT_DAYS out."
        )
    return Settings(
        dormancy=dormancy,
        admin_token=admin_token(environment, given("admin_token_file")),
        signing_key=key,
        signing_key_file=_folder(key_file, "signing key's file"),
        host=given("host") or standard.host,
        port=port(given("port") or str(standard.port)),
        data_dir=_folder(given("data_dir")),
        redis_url=_redis(given("redis_url")),
        origins=_origins(given("origins") or ""),
        log_level=_log_level(given("log_level") or standard.log_level),
        log_format=_log_format(given("log_format") or standard.log_format),
        abandonment=_abandonment(given("abandoned"), standard.abandonment),
        proxies=_proxies(given("proxies")),
        per_address=_connections(given("per_address") or str(standard.per_address)),
        metrics=_switch("metrics", given("metrics") or "off"),
        exhibition=_switch("exhibition", given("exhibition") or "on"),
        moments=_switch("moments", given("moments") or "on"),
        unfinished=_unfinished(given("unfinished") or ""),
        machine_matches=_machine_matches(given("machine_matches") or str(standard.machine_matches)),
        mqtt=_broker(environment.get("UNDERFIRE_MQTT_URL") or None, given("mqtt_ca_file")),
        feed_metrics=port(given("feed_metrics") or "0"),
        mqtt_players=_switch("players' topics", given("mqtt_players") or "off"),
        mqtt_root=_checked(topic_root, given("mqtt_root") or ROOT),
        mqtt_websocket=_checked(browsers_address, named) if (named := given("mqtt_websocket")) else "",
        notices=_switch("notices", given("notices") or "on"),
        notice_after=_seconds(given("notice_after") or str(standard.notice_after)),
        notice_networks=_networks("What may be sent notices", given("notice_networks") or ""),
        notice_ca_file=_folder(given("notice_ca_file"), "file of certificates"),
        push_contact=_contact(given("push_contact") or ""),
        archive_after=_days(given("archive_after") or str(standard.archive_after)),
    )


def admin_token(environment: Mapping[str, str], file: str | None) -> str:
    """Return the operator's token, from the variable or from a file; "" if there is none.

    Raises:
        ConfigError: it is given twice, or is none.
        OSError: the file cannot be read.
    """
    token, named = environment.get("UNDERFIRE_ADMIN_TOKEN") or "", _folder(file, "file of the operator's token")
    if token and named is not None:
        raise ConfigError(
            "The operator's token is given twice: in UNDERFIRE_ADMIN_TOKEN, and as a file. Remove one of them."
        )
    if named is not None:
        token = named.read_text(encoding="utf-8", errors="replace").strip()
    if (token or named is not None) and not _TOKEN.fullmatch(token):
        # What stands there may be a token nearly, and is therefore not repeated.
        raise ConfigError(
            f"The operator's token must have at least {SHORTEST_TOKEN} characters, letters, figures and signs without blanks. "
            "`openssl rand -hex 32` makes one."
        )
    return token


def _abandonment(text: str | None, standard: Abandonment) -> Abandonment:
    if text is None:
        return standard
    if text.lower() == "never":
        return Abandonment()
    found = _ABANDONED.fullmatch(text.lower())
    if found is None:
        raise ConfigError(f"The policy for stalled matches is never, claim:14d, draw:36h and the like, not {text!r}.")
    then, count, unit = found.groups()
    return Abandonment("claim" if then == "claim" else "draw", int(count) * {"m": 60, "h": 3600, "d": 86_400}[unit])


def _dormancy(days: str | None, warning: str | None) -> Dormancy:
    standard = Dormancy()
    numbers = []
    for text, default in ((days, standard.days), (warning, standard.warning)):
        if text is not None and (not text.isdecimal() or int(text) > LONGEST_DAYS):
            raise ConfigError(
                "The days after which matches that are not played are warned of and concluded are numbers from 0 to "
                f"{LONGEST_DAYS}, not {text!r}."
            )
        numbers.append(default if text is None else int(text))
    policy = Dormancy(*numbers)
    if policy.days and not 1 <= policy.warning < policy.days:
        raise ConfigError(
            f"A match is warned of at least a day before it is concluded, and fewer than {policy.days} days: set "
            f"UNDERFIRE_DORMANT_WARNING_DAYS to that, not {policy.warning}."
        )
    return policy


def _folder(text: str | None, what: str = "data folder") -> Path | None:
    if text is None:
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"The name of the {what} is not a text in UTF-8: {text!r}. Name another one.") from None
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:
        raise ConfigError(f"The {what} {text!r} is in the home of a user who does not exist.") from None


def port(text: str) -> int:
    """Return the port in a text.

    Raises:
        ConfigError: it is not a port.
    """
    if not text.isdecimal() or int(text) > 65_535:
        raise ConfigError(f"The port must be a number from 0 to 65535, not {text!r}.")
    return int(text)


def _days(text: str) -> int:
    if not text.isdecimal() or int(text) > LONGEST_DAYS:
        raise ConfigError(
            f"The days after which matches are archived must be a number from 0 to {LONGEST_DAYS}, not {text!r}."
        )
    return int(text)


def _redis(text: str | None) -> str | None:
    if text is not None and not text.startswith(("redis://", "rediss://", "unix://")):
        # The address may hold a password, and is therefore not repeated.
        raise ConfigError("The database's address must begin with redis://, rediss:// or unix://.")
    if text is not None:
        try:
            address(text).make_connection()  # type: ignore[no-untyped-call] # redis-py has left it out
        except (TypeError, ValueError):
            raise ConfigError(
                "The database's address cannot be read. It is written redis://HOST:PORT/NUMBER, such as redis://localhost:6379/0."
            ) from None
    return text


def _broker(text: str | None, ca_file: str | None) -> BrokerAddress | None:
    if text is None:
        return None
    return _checked(lambda url: broker_address(url, _folder(ca_file, "file of certificates")), text)


def _checked(read: Callable[[str], T], text: str) -> T:
    try:
        return read(text)
    except AddressError as error:
        raise ConfigError(str(error)) from None


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(origin for part in text.split(",") if (origin := part.strip().lower().removesuffix("/")))
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ConfigError(f"An origin is a scheme and a host, such as https://play.example.org, not {origin!r}.")
    return origins


def _proxies(text: str | None) -> tuple[Network, ...]:
    if text is None:
        return THIS_MACHINE
    if text.strip().lower() == "none":
        return ()
    return _networks("A proxy", text)


def _seconds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 86_400:
        raise ConfigError(f"The seconds before a player is told must be a number from 1 to 86400, not {text!r}.")
    return int(text)


def _networks(what: str, text: str) -> tuple[Network, ...]:
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        try:
            found.append(ip_network(part, strict=False))
        except ValueError:
            raise ConfigError(
                f"{what} is an address or a network, such as 127.0.0.1 or 172.16.0.0/12, not {part!r}."
            ) from None
    return tuple(found)


def _contact(text: str) -> str:
    if text and not text.startswith(("mailto:", "https://")):
        raise ConfigError(f"The contact for push services begins with mailto: or https://, not {text!r}.")
    return text


def _connections(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise ConfigError(f"The connections of an address must be a number from 1 to 1000000, not {text!r}.")
    return int(text)


def _machine_matches(text: str) -> int:
    if not text.isdecimal() or int(text) > 1000:
        raise ConfigError(f"The matches that only the computer plays must be a number from 0 to 1000, not {text!r}.")
    return int(text)


def _switch(what: str, text: str) -> bool:
    if text.lower() not in {"on", "off"}:
        are = "is" if what == "exhibition" else "are"
        raise ConfigError(f"The {what} {are} on or off, not {text!r}.")
    return text.lower() == "on"


def _unfinished(text: str) -> tuple[str, ...]:
    names = tuple(name for part in text.split(",") if (name := part.strip().lower()))
    for name in names:
        # One that has been finished since may still be named: it is offered all the same.
        if name not in EDITIONS:
            raise ConfigError(f"There is no edition called {name!r}; there are {', '.join(EDITIONS)}.")
    return names


def _log_format(text: str) -> LogFormat:
    for known in LOG_FORMATS:
        if text.lower() == known:
            return known
    raise ConfigError(f"The form of the log is one of {', '.join(LOG_FORMATS)}, not {text!r}.")


def _log_level(text: str) -> str:
    if text.lower() not in LOG_LEVELS:
        raise ConfigError(f"The log level must be one of {', '.join(LOG_LEVELS)}, not {text!r}.")
    return text.lower()
