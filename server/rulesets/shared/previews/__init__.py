"""What previews of every family are made of: exact odds, luck, findings."""
