"""What previews of every family share: exact odds, luck, findings."""
