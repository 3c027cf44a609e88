"""How a match begins: from a scenario, a position that somebody has set up, or a moment of another match. Pure."""
