"""Long work, done where it holds nobody else up: in a process of its own that can be killed, or in a thread."""
