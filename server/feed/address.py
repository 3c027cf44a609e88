"""The addresses of an MQTT broker: that of the feed, with credentials and TLS, and that of browsers."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

PORTS = {"mqtt": 1883, "mqtts": 8883}
"""The usual port of each scheme."""
ROOT = "underfire"
"""The first level of all topics, unless another one is named."""
_LEVELS = re.compile(r"[A-Za-z0-9_.-]{1,64}(?:/[A-Za-z0-9_.-]{1,64}){0,7}")
_FOR_BROWSERS = re.compile(r"wss?://[A-Za-z0-9.\-\[\]:]+(?:/[A-Za-z0-9_./-]*)?")


class AddressError(ValueError):
    """The address cannot be used; the message is a sentence, without the password."""


@dataclass(frozen=True)
class BrokerAddress:
    """Where a broker is, and how one signs in there.

    `ca_file` holds the certificates that are trusted in place of the system's. `tls` says whether the connection is encrypted.
    """

    host: str
    port: int
    tls: bool = False
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: Path | None = None

    def __str__(self) -> str:
        """Return the address without credentials."""
        return f"{self.host}:{self.port}"

    def tls_context(self) -> ssl.SSLContext | None:
        """Return the context of TLS, or None where there is no TLS.

        Raises:
            OSError: the file of certificates cannot be read.
            AddressError: it holds no certificates.
        """
        if not self.tls:
            return None
        try:
            return ssl.create_default_context(cafile=None if self.ca_file is None else str(self.ca_file))
        except ssl.SSLError:
            raise AddressError(f"There are no certificates in {self.ca_file}.") from None


def broker_address(text: str, ca_file: Path | None = None) -> BrokerAddress:
    """Return the address in `mqtt://USER:PASSWORD@HOST:PORT`, or `mqtts://...` with TLS.

    Args:
        text: the address; all but scheme and host may be left out.
        ca_file: certificates to trust in place of the system's.

    Raises:
        AddressError: it is no such address.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise AddressError("The broker's port must be a number from 1 to 65535.") from None
    if parts.scheme not in PORTS or not parts.hostname or parts.path not in ("", "/") or parts.query or parts.fragment:
        # It may hold a password, and is therefore not repeated.
        raise AddressError(
            "The broker's address is written mqtt://USER:PASSWORD@HOST:PORT, or mqtts:// with TLS, such as "
            "mqtts://feed:secret@mqtt.example.org."
        )
    return BrokerAddress(
        host=parts.hostname,
        port=port or PORTS[parts.scheme],
        tls=parts.scheme == "mqtts",
        user=None if parts.username is None else unquote(parts.username),
        password=None if parts.password is None else unquote(parts.password),
        ca_file=ca_file,
    )


def topic_root(text: str) -> str:
    """Return the first level (or levels) of all topics.

    Raises:
        AddressError: no topic can begin so.
    """
    if not _LEVELS.fullmatch(text):
        raise AddressError(
            "The first level of the topics is made of letters, digits, _, - and dots, such as underfire."
        )
    return text


def browsers_address(text: str) -> str:
    """Return the address at which browsers reach the broker: `wss://HOST/PATH`, or `ws://` without TLS.

    Raises:
        AddressError: it is no such address.
    """
    if not _FOR_BROWSERS.fullmatch(text):
        raise AddressError(
            "The broker's address for browsers is written wss://HOST:PORT/PATH, such as wss://play.example.org/mqtt."
        )
    return text
