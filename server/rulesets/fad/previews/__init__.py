"""What could come: previews, what-if, luck, and what is found out about two units."""
