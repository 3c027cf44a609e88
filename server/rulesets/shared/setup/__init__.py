"""What every family's matches are put together from: rows of data, options, scenarios, deployment."""
