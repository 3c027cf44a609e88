"""What a match of the family is put together from: the book's numbers, forces, positions, deployment."""
