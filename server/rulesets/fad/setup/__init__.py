"""What a match of the family is set up from: the book's numbers, positions, deployment."""
