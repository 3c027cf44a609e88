"""The wire, for both ends: every message, the codec, a client for bots and tests. See PROTOCOL.md."""
