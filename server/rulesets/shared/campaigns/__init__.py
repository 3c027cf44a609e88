"""Campaigns: what families do alike for a force after a battle."""
