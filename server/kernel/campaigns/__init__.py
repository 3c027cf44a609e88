"""Campaigns: the roster of a force, what happens to it after a battle, and the interface of an edition's rules for that."""
