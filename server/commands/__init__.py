"""The subcommands of `underfire`, a module each; see `server.cli`."""
