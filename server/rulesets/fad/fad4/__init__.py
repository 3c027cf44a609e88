"""FAD 4: its data, its scenarios, and the chapters that it has otherwise than other editions."""
