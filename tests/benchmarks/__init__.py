"""How fast Underfire is, each figure next to a floor that is measured in the same run: `python -m tests.benchmarks`."""
