"""What a match of the family is set up from: the book's numbers, forces, positions, deployment."""
