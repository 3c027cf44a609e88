"""Playing a match: the referee, seats, agreements, clocks, and entries that the server appends on its own. Pure."""
