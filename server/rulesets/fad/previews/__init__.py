"""Previews, what-if, luck, and findings about two units."""
