"""Campaigns: what a battle did to a force, and the steps that set up the next one (fad5/campaign.scope)."""
