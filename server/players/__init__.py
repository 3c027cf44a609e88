"""Players: who they are, by the keys that their browsers hold, and what this database keeps of them."""
