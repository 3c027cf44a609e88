"""FAD 4: its data, its scenarios, and the chapters in which it differs from other editions."""
