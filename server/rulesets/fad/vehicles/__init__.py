"""Vehicles: how they drive, what they fire, and what they carry. What damage does to them the edition says."""
