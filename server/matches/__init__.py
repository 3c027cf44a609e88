"""Matches as they run: the log in Redis, and whoever writes and follows it."""
