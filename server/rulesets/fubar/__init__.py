"""FUBAR: the family of the one-page rules and of the editions that grew out of them."""
