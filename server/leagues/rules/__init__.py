"""Who meets whom in a league, and how its players stand. Pure."""
