"""How fast Underfire is, each figure beside a floor that is measured in the same run: `python -m tests.benchmarks`."""
