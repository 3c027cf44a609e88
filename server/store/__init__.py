"""The store: matches as logs of bytes in Redis. It knows no rules, and does not interpret the bytes."""
