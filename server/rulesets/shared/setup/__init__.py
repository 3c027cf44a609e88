"""What matches of every family are set up from: rows of data, options, scenarios, deployment."""
