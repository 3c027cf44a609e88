"""FAD 5, as far as it is played: infantry. Its data, its scenario, and the chapters that it has otherwise than other editions."""
