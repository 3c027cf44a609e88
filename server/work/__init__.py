"""Long work, done without holding up others: in a separate process that can be killed, or in a thread."""
