"""FAD 5, so far infantry only: its data, its scenario, and the chapters in which it differs from other editions."""
