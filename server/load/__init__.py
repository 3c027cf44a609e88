"""Load for a server, by bots that speak the public protocol and nothing else."""
