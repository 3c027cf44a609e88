"""How a match begins: from a scenario, a position set up by a player, or a moment of another match. Pure."""
