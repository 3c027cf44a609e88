"""What the tests of moderation share."""

from tests.support.valkey import store, valkey_server, valkey_url

__all__ = ["store", "valkey_server", "valkey_url"]
