"""A match as it is played: the referee, seats, agreements, clocks, and what the server appends on its own. Pure."""
