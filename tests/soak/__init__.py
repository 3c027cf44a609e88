"""Whole matches under faults, audited against the log: `python -m tests.soak --seconds 1800 --seed 1`."""
