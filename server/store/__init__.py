"""Matches as logs of bytes in Redis. Knows nothing of rules, and nothing of what the bytes mean."""
