"""Running matches: the log in Redis, and the code that writes and follows it."""
