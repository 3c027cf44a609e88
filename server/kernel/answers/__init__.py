"""Questions to seats, and checking their answers."""
