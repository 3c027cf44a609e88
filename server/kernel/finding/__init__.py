"""Finding ways and free places on the table."""
